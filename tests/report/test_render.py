"""Tables fit the place they are shown in, and nothing in a cell is taken for markup."""

import io

from rich.console import Console

from proctor.report.render import PIPE_WIDTH, Table, fitted, markdown, show

TABLE = Table(
    "Judgment",
    ("model", "condition", "J", "D"),
    (("openai/[bold]x|y", "perturbed", "50.0 [44.1, 55.9]", "-3.4 [-9.0, +2.2]"),),
)


def shown(width: int) -> str:
    stream = io.StringIO()
    show(Console(file=stream, width=width), [TABLE], ["a note [sic]"])
    return stream.getvalue()


def test_where_there_is_room_an_interval_stands_beside_its_estimate():
    text = shown(PIPE_WIDTH)
    assert "50.0 [44.1, 55.9]" in text
    assert "openai/[bold]x|y" in text
    assert "a note [sic]" in text


def test_a_narrow_terminal_puts_intervals_below_and_stays_within_its_width():
    text = shown(64)
    assert "50.0 [" not in text
    assert "[44.1, 55.9]" in text
    assert max(map(len, text.splitlines())) <= 64


def test_a_narrower_one_exchanges_rows_and_columns():
    lines = [line.split() for line in shown(40).splitlines()]
    assert ["openai/[bold]x|y"] in lines
    assert ["J", "50.0", "[44.1,", "55.9]"] in lines
    assert ["D", "-3.4", "[-9.0,", "+2.2]"] in lines


def test_many_rows_on_a_narrow_terminal_repeat_the_labels_beside_fewer_columns():
    long = Table(TABLE.title, TABLE.columns, TABLE.rows * 9)
    parts = fitted(long, lambda table: len(table.columns) <= 3)
    assert [part.columns for part in parts] == [("model", "condition", "J"), ("model", "condition", "D")]
    assert all(len(part.rows) == 9 for part in parts)


def test_even_a_very_narrow_terminal_loses_no_character():
    text = "".join(shown(12).split())
    assert all(text.count(c) >= "50.0[44.1,55.9]-3.4[-9.0,+2.2]".count(c) for c in "0123459[]-+")


def test_markdown_escapes_what_would_end_a_cell():
    lines = markdown([TABLE], ["one", "two"]).splitlines()
    assert lines[0] == "### Judgment"
    assert lines[2:5] == [
        "| model | condition | J | D |",
        "| --- | --- | --: | --: |",
        "| openai/[bold]x\\|y | perturbed | 50.0 [44.1, 55.9] | -3.4 [-9.0, +2.2] |",
    ]
    assert lines[-2:] == ["- one", "- two"]


def test_control_characters_never_reach_the_terminal():
    hostile = Table("T\x1b[2J", ("model", "condition", "J"), (("m\x1b[31m\nx", "c", "1"),))
    stream = io.StringIO()
    show(Console(file=stream, width=PIPE_WIDTH), [hostile], ["note\x1b]0;title\x07"])
    for text in (stream.getvalue(), markdown([hostile], ["note\x1b"])):
        assert "\x1b" not in text
        assert "\\x1b" in text
    assert "m\\x1b[31m\\nx" in stream.getvalue()
