"""Text that every command shares: examples under the help, and messages that stay on one line."""

from __future__ import annotations

from proctor.report.render import one_line

__all__ = ["examples", "one_line"]


def examples(*commands: str) -> str:
    """The Examples section at the end of a command's help, one command a line."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)
