"""``python -m verimv`` is ``verimv``."""

from verimv.cli import run

if __name__ == "__main__":
    run()
