"""The one error that users cause and can mend."""

from __future__ import annotations


class InputError(ValueError):
    """A file or argument that a person gave does not fit.

    The message is one line: which file, which field or line, what was expected, what to do. The command line prints it
    without a traceback and exits with status 2.
    """
