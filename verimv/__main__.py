"""``python -m verimv`` is ``verimv``."""

import sys

from verimv.cli import main

sys.exit(main())
