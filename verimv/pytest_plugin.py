"""The pytest plugin: `assert_equivalent` and `assert_certified` as fixtures. pytest finds it once verimv is installed.

It loads nothing of verimv until a test asks for one of them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture(scope="session")
def assert_equivalent() -> Callable[..., None]:
    """assert_equivalent(a, b, tolerance=0, seconds=60): two networks or formulas, proved equal, or a counterexample."""
    from verimv import testing

    return testing.assert_equivalent


@pytest.fixture(scope="session")
def assert_certified() -> Callable[..., None]:
    """assert_certified(directory, network=None): a valid certificate, and about that network."""
    from verimv import testing

    return testing.assert_certified
