"""The progress bars that long commands show on stderr, where that is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Yields a function that is told how much is done, of how much."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def reading_bar(logs: Sequence[Any]) -> Iterable[Any]:
    """A bar on stderr while logs are read; nothing where stderr is no terminal or there is little to read."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    silent = not console.is_terminal or len(logs) < 2
    return track(logs, "Reading logs", console=console, transient=True, disable=silent)
