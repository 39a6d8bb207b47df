"""Random certificates whose every accepted line is judged by what it means.

A line that the kernel accepts says something about the real network and the real formula. `meaning` knows what, and
tries it at points, exactly. It shares no code with any kernel. `kernel_view` is the only module that knows `kernel.py`.
"""
