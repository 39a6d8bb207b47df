from hypothesis import settings

# Times vary with the machine; what a test checks does not.
settings.register_profile("verimv", deadline=None, max_examples=60, derandomize=True, print_blob=True)
settings.load_profile("verimv")
