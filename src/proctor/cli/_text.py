"""Text that every command shares: examples under the help, and messages that stay on one line."""

from __future__ import annotations


def examples(*commands: str) -> str:
    """The Examples section at the end of a command's help, one command a line."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)


def one_line(text: str) -> str:
    """`text` on one line, safe on a terminal: control characters, which a file's name may hold, are shown escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
