"""The error tree, and the exit code that the command line gives each branch.

    VerimvError
    ├── InputError       2  the input or the call is malformed
    ├── Refuted          1  what was asked for is false
    │   ├── OutputLeavesUnitInterval   … with the exact point that shows it
    │   └── InvalidCertificate         … with the line that does not follow
    ├── Undecided        3  time, memory or precision of a method ran out
    │   └── IncompleteCertificate      … with what is missing
    └── InternalError    4  verimv or a solver contradicts itself
        └── KernelsDisagree            … two kernels about one certificate

Anything else that escapes is a bug in verimv (exit code 4).

    UserWarning
    ├── InexactWarning      a number of the input was rounded
    ├── LogitsWarning       the outputs are the values before a classifier's last function
    └── UnusedWarning       a part of the input was not used
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def check_type(value: object, *kinds: type, hint: str = "") -> None:
    """Raise a one-line TypeError for a wrong call from Python. Errors in files and commands are :class:`InputError`."""
    if not isinstance(value, kinds):
        names = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"expected {names}, found {type(value).__name__}{hint}")


class VerimvError(Exception):
    """Base of every error that verimv raises on purpose."""

    exit_code = 4


class InputError(VerimvError):
    """The input is malformed. The message says where, what was expected and what was found."""

    exit_code = 2

    def __init__(
        self, message: str, *, source: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.line = line
        self.column = column

    def located(self, source: str | None = None, line: int | None = None, column: int | None = None) -> InputError:
        """Return the same error, with those parts of its location filled in that were not known."""
        return InputError(
            self.message,
            source=self.source if self.source is not None else source,
            line=self.line if self.line is not None else line,
            column=self.column if self.column is not None else column,
        )

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.source, self.line, self.column) if p is not None)
        return f"{place}: {self.message}" if place else self.message


class Refuted(VerimvError):
    """The statement to be proved is false."""

    exit_code = 1


class OutputLeavesUnitInterval(Refuted):
    """An output of the network is not in [0,1] on its whole domain, so no formula computes it (Theorem 3.2)."""

    def __init__(self, output: str, point: Mapping[str, Any], value: Any, told: tuple[str, str]) -> None:
        """`told` are the point and the value as people read them."""
        super().__init__(f"output {output} leaves [0,1]: at {told[0]} it is {told[1]} (--scale-output maps it there)")
        self.output = output
        self.point = dict(point)
        self.value = value


class InvalidCertificate(Refuted):
    """A step of a certificate does not follow, or the certificate is about other files."""


class Undecided(VerimvError):
    """Neither proved nor refuted, with the reason."""

    exit_code = 3


class IncompleteCertificate(Undecided):
    """No step of a certificate is wrong, but it does not prove everything."""


class InternalError(VerimvError):
    """A contradiction that must not happen, with what is needed to reproduce it."""

    exit_code = 4

    def __init__(self, message: str, reproduction: str = "") -> None:
        super().__init__(message)
        self.reproduction = reproduction


class KernelsDisagree(InternalError):
    """The kernels give different verdicts on the same certificate, so one of them is wrong."""


class InexactWarning(UserWarning):
    """Numbers of the input were rounded. The message says which, and by how much."""


class LogitsWarning(UserWarning):
    """A classifier was read without its last function, such as softmax, and nobody asked for that (`logits=True`)."""


class UnusedWarning(UserWarning):
    """A part of the input does not matter to the question. The message says which, and how to ask about it."""
