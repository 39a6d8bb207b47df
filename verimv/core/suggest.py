"""Did you mean …? The known word that is closest to a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

#: How alike two words must be, from 0 to 1.
_ALIKE = 0.6


#: Names that a message lists.
_LISTED = 12


def listed(names: Sequence[str]) -> str:
    """Return names for a message, the first of them if there are many."""
    more = [f"… ({len(names):,} in all)"] if len(names) > _LISTED else []
    return ", ".join([*names[:_LISTED], *more])


def did_you_mean(word: str, known: Iterable[str], written: Mapping[str, str] | None = None) -> str:
    """Return "; did you mean …?" for the end of a message, or nothing if no known word is close.

    `written` says how known words are written, if not as they are.
    """
    from difflib import get_close_matches  # only mistakes need it

    spelled = {name.casefold(): name for name in known}
    begun = [name for name in spelled if word and name.startswith(word.casefold())]  # such as tol of tolerance
    found = begun if len(begun) == 1 else get_close_matches(word.casefold(), spelled, n=1, cutoff=_ALIKE)
    if not found:
        return ""
    meant = spelled[found[0]]
    return f"; did you mean {meant if written is None else written[meant]}?"
