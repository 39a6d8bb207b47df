"""Questions that end in a verdict, and everything about how an answer is looked for."""

from verimv.questions.equality import equivalent

__all__ = ["equivalent"]
