"""The three read-only tools as Inspect tools on one desk. No sandbox, no disk: a packet is all they can reach."""

from __future__ import annotations

from inspect_ai.tool import Tool, ToolDef, tool

from proctor.siris.review.desk import READ_LINES, Desk

MAX_OUTPUT = 8 * 24_000  # bytes; the pages are bounded in characters, so Inspect need not cut them once more


@tool(parallel=False, max_output=MAX_OUTPUT)
def list_files(desk: Desk) -> Tool:
    async def execute() -> str:
        """List all files with their lengths."""
        return desk.list_files()

    return execute


@tool(parallel=False, max_output=MAX_OUTPUT)
def read_file(desk: Desk) -> Tool:
    async def execute(path: str, start_line: int = 1, line_count: int = READ_LINES, start_column: int = 1) -> str:
        """Read lines of a file. They come numbered; a last line in brackets says how to read on where there is more.

        Args:
            path: Path of the file as list_files shows it.
            start_line: First line to read, from 1.
            line_count: Number of lines to read. Long lines may make it fewer.
            start_column: First character of the first line to show, from 1. For lines that are too long for one read.
        """
        return desk.read(path, start_line, line_count, start_column)

    return execute


@tool(parallel=False, max_output=MAX_OUTPUT)
def search(desk: Desk) -> Tool:
    async def execute(pattern: str, path: str = "", ignore_case: bool = False, skip: int = 0) -> str:
        """Search for a regular expression, line by line. Returns matching lines as path:line: text.

        Args:
            pattern: Regular expression.
            path: File or folder to search in. All files if left out.
            ignore_case: Whether upper and lower case match each other.
            skip: Number of matches to leave out, to go on after an earlier search.
        """
        return desk.search(pattern, path, ignore_case, skip)

    return execute


def packet_tools(desk: Desk) -> list[ToolDef]:
    """What both turns of a conversation may use; as definitions, which Inspect need not derive anew at every call."""
    return [ToolDef(tool) for tool in (list_files(desk), read_file(desk), search(desk))]
