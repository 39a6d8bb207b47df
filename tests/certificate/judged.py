"""What the Python kernel says of certificates that tests hold in memory."""

import zlib
from collections.abc import Mapping

from verimv import kernel
from verimv.kernels.verdicts import rejection


def rejected(text: str, subjects: Mapping[str, str], is_packed: bool = False) -> kernel.Rejected | None:
    """What the kernel says against a certificate about these texts, stored as it is, or gzipped."""
    lines = text.encode().splitlines(keepends=True)
    stored = len(zlib.compress(text.encode())) if is_packed else len(text.encode())
    contents = {name: content.encode() for name, content in subjects.items()}
    return rejection(lambda: kernel.verify(iter(lines), contents.__getitem__, contents.keys(), stored))


def case_rejected(case, is_packed: bool = False) -> kernel.Rejected | None:
    """The same for a hand-made case."""
    return rejected(case.text(), case.subjects, is_packed)


def checker_of(**subjects: str) -> kernel.Checker:
    """A checker that has read its subjects, and no line yet; with work to spare."""
    return kernel.start(subjects, 10**9).checker
