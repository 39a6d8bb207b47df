import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.effort import scaled
from tests.quick import QUICK

# Times vary with the machine; what a test checks does not.
settings.register_profile("verimv", deadline=None, max_examples=scaled(60), derandomize=True, print_blob=True)
settings.load_profile("verimv")

TESTS = Path(__file__).parent


def pytest_xdist_auto_num_workers(config):
    """One worker for each processor that there is; none for a single file, which has ended before they have started.

    xdist itself would count cores, where psutil is installed: one, on a machine that has two processors in one core.
    """
    if len(config.args) == 1 and Path(config.args[0].partition("::")[0]).is_file():
        return 0
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# -- pytest -m quick ---------------------------------------------------------------------------------------------------


def _name(path):
    return path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else ""


def pytest_ignore_collect(collection_path, config):
    """Nothing else is imported: most of a short run would be spent on that."""
    if config.option.markexpr == "quick" and collection_path.name.startswith("test_"):
        return _name(collection_path) not in {name.partition("::")[0] for name in QUICK} or None
    return None


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items):
    for item in items:
        file = _name(item.path)
        if {file, f"{file}::{item.originalname}"} & QUICK and item.get_closest_marker("slow") is None:
            item.add_marker("quick")
