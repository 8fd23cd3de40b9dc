"""The one error that users cause and can mend, and the hint that helps to mend a name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(ValueError):
    """A file or argument that a person gave does not fit.

    The message is one line: which file, which field or line, what was expected, what to do. The command line prints it
    without a traceback and exits with status 2.
    """


def nearest(name: str, choices: Iterable[str]) -> str:
    """What to do about an unknown name: the choice that is spelt most like it, else all choices."""
    known = list(choices)
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"choose one of {', '.join(known)}"
