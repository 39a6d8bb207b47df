"""``python -m verimv``, and the console script: here, so that Ctrl-C during imports prints one line."""

import os
import sys


def run() -> None:
    """Load and run the command line."""
    try:
        from verimv.cli import run as run_command  # takes a moment

        run_command()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("verimv: interrupted\n")
            sys.stderr.flush()
        os._exit(130)


if __name__ == "__main__":
    run()
