"""The pytest plugin of verimv, which pytest finds by itself: the fixtures `assert_equivalent` and `assert_certified`.

It loads nothing of verimv until a test uses one of them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture(scope="session")
def assert_equivalent() -> Callable[..., None]:
    """assert_equivalent(a, b, tolerance=0, seconds=60): fail unless two networks or formulas are proved equal."""
    from verimv import testing

    return testing.assert_equivalent


@pytest.fixture(scope="session")
def assert_certified() -> Callable[..., None]:
    """assert_certified(directory, network=None): fail unless the certificate is valid and about that network."""
    from verimv import testing

    return testing.assert_certified
