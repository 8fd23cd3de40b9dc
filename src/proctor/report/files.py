"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> Path:
    """Have `write` fill a file beside `path` and move it into its place: a reader sees the old file or the new one.

    The folder must exist. Returns `path`; raises OSError where nothing can be written there.
    """
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            write(file)
            file.flush()
            os.fchmod(file.fileno(), 0o644)  # as other files are: a temporary one is its owner's alone
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    return path
