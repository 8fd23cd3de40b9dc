"""List, read and search: complete, bounded, and clear about how to go on."""

import contextlib
import subprocess
import sys
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inspect_ai.tool import ToolError

from proctor.siris.review.desk import EXCERPT, MATCHES, READ_LINES, SEARCH_SECONDS, Desk
from proctor.siris.review.packet import Packet
from proctor.siris.review.pages import PAGE_CHARS, read_page, show_page
from proctor.siris.review.patterns import compile_pattern
from proctor.siris.review.tools import MAX_OUTPUT, packet_tools

FILES = {
    "candidates/A.py": "class Router:\n    pass\n",
    "candidates/B.py": "class Router:\n    limit = 512\n",
    "simulator/__init__.py": "",
    "simulator/replica.py": "".join(f"line {n}\n" for n in range(1, 1001)),
    "workload.json": '{"requests": [' + ", ".join(f'{{"id": "r{n}"}}' for n in range(10_000)) + "]}",
}


class Log(list):
    """What the desk tells of reads and matches."""

    def __call__(self, path, lines, read):
        self.append((path, list(lines), read))


@pytest.fixture
def seen():
    return Log()


@pytest.fixture
def desk(seen):
    return Desk(Packet(FILES), seen)


def test_list_names_every_file_with_its_length(desk):
    assert desk.list_files().splitlines() == [
        "candidates/A.py (2 lines, 23 characters)",
        "candidates/B.py (2 lines, 30 characters)",
        "simulator/__init__.py (1 line, 0 characters)",
        "simulator/replica.py (1000 lines, 8893 characters)",
        f"workload.json (1 line, {len(FILES['workload.json'])} characters)",
    ]


def test_read_numbers_lines_and_tells_the_lines_seen(desk, seen):
    assert (
        desk.read("candidates/B.py") == "candidates/B.py, lines 1-2 of 2\n    1| class Router:\n    2|     limit = 512"
    )
    assert seen == [("candidates/B.py", [1, 2], True)]


def test_a_long_file_says_how_to_go_on(desk, seen):
    page = desk.read("simulator/replica.py", start_line=11, line_count=5).splitlines()
    assert page[0] == "simulator/replica.py, lines 11-15 of 1000"
    assert page[1] == "   11| line 11"
    assert page[-1] == "[985 more lines. Read on with start_line=16.]"
    assert len(desk.read("simulator/replica.py").splitlines()) == READ_LINES + 2
    assert seen[0] == ("simulator/replica.py", [11, 12, 13, 14, 15], True)


def test_a_line_longer_than_a_page_is_cut_and_can_be_read_on(desk):
    first = desk.read("workload.json")
    length = len(FILES["workload.json"])
    assert first.endswith(
        f"[Line 1 has {length} characters. Read on with start_line=1, start_column={PAGE_CHARS + 1}.]"
    )
    second = desk.read("workload.json", start_column=PAGE_CHARS + 1)
    both = read_page(first).pieces[1] + read_page(second).pieces[1]
    assert both == FILES["workload.json"][: 2 * PAGE_CHARS]


def test_a_line_that_does_not_fit_any_more_begins_the_next_page():
    """Only a line that is longer than a whole page is cut."""
    half = PAGE_CHARS // 2 + 1
    page = read_page(show_page("f", ["a" * half, "b" * half], 1, 10).text)
    assert (page.pieces, page.next_line, page.next_column) == ({1: "a" * half}, 2, 1)


def test_no_output_is_cut_by_inspect(desk):
    """Pages and matches are bounded in characters so far below the tools' own bound that nothing is lost silently."""
    wide = Desk(Packet({"a": "\U0001f600" * 10**6 + "\n" + "\U0001f600\n" * 10**5}), lambda *_: None)
    for text in (wide.read("a"), wide.read("a", start_line=2, line_count=10**6), wide.search(".")):
        assert len(text.encode()) < MAX_OUTPUT
    assert {tool.max_output for tool in packet_tools(desk)} == {MAX_OUTPUT}


@settings(deadline=None)
@given(
    lines=st.lists(st.text(alphabet=st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=30)),
    long=st.integers(0, 2 * PAGE_CHARS + 5),
    count=st.integers(1, 50),
)
def test_pages_taken_together_are_the_file(lines, long, count):
    """Following the notes from page to page gives every character once, whatever the lines look like."""
    lines = [*lines, "x" * long, *lines]
    pieces: list[str] = []
    line, column = 1, 1
    while line is not None:
        page = show_page("f", lines, line, count, column)
        content = read_page(page.text)
        assert set(content.pieces) == set(range(page.first, page.last + 1))
        for number, piece in content.pieces.items():
            if number == line and column > 1:
                pieces[-1] += piece
            else:
                pieces.append(piece)
        line, column = content.next_line, content.next_column
    assert pieces == lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"path": "simulator/Replica.py"},
            "There is no file 'simulator/Replica.py'. Did you mean simulator/replica.py",
        ),
        ({"path": "replica.py"}, "Did you mean simulator/replica.py?"),
        ({"path": "A.py"}, "Did you mean candidates/A.py?"),
        ({"path": "../../etc/passwd"}, "There is no file"),
        ({"path": "/etc/passwd"}, "There is no file 'etc/passwd'"),
        ({"path": "candidates"}, "'candidates' is a folder"),
        ({"path": ""}, "There is no file ''"),
        ({"path": "\ud800\x00"}, "There is no file"),
        ({"path": "x" * 10**6}, r"There is no file 'x{100}\.\.\.'"),
        ({"path": "workload.json", "start_line": 0}, "start_line must be between 1 and 1: workload.json has 1 line"),
        ({"path": "candidates/A.py", "start_line": 3}, "start_line must be between 1 and 2"),
        ({"path": "candidates/A.py", "start_line": -1}, "start_line must be between 1 and 2"),
        ({"path": "candidates/A.py", "line_count": 0}, "line_count must be 1 or more"),
        ({"path": "candidates/A.py", "start_column": 99}, "start_column must be between 1 and 13"),
        ({"path": "candidates/A.py", "start_line": 10**30}, "start_line must be between"),
    ],
)
def test_a_read_that_makes_no_sense_is_explained(desk, seen, arguments, message):
    with pytest.raises(ToolError, match=message):
        desk.read(**arguments)
    assert seen == []


@pytest.mark.parametrize("path", ["candidates/A.py", "/candidates/A.py", "./candidates/A.py", " candidates/A.py "])
def test_harmless_spellings_of_a_path_are_understood(desk, path):
    assert "class Router" in desk.read(path)


def test_search_returns_places_and_tells_the_lines_matched(desk, seen):
    assert desk.search(r"limit\s*=") == "candidates/B.py:2:     limit = 512"
    assert seen == [("candidates/B.py", [2], False)]


@pytest.mark.parametrize("path", ["", "candidates", "candidates/", "candidates/B.py", "."])
def test_search_takes_a_file_a_folder_or_everything(desk, path):
    assert "candidates/B.py:1: class Router:" in desk.search("CLASS", path, ignore_case=True)


def test_search_is_bounded_and_goes_on_where_it_stopped(desk, seen):
    first = desk.search("^line").splitlines()
    assert len(first) == MATCHES + 1
    assert first[-1] == f"[There are more matches. Go on with skip={MATCHES}, or narrow the search.]"
    second = desk.search("^line", skip=MATCHES).splitlines()
    assert second[0] == f"simulator/replica.py:{MATCHES + 1}: line {MATCHES + 1}"
    assert len(seen) == 2 * MATCHES
    assert desk.search("^line", skip=1000) == "No further match in 5 files."
    assert desk.search("line 10+1$").splitlines() == ["simulator/replica.py:101: line 101"]


def test_a_match_in_a_long_line_shows_its_surroundings_and_column(desk):
    found = desk.search('"r5000"')
    column = FILES["workload.json"].index('"r5000"') + 1
    assert found.endswith(f"... (column {column} of {len(FILES['workload.json'])})")
    assert '"r5000"' in found
    assert len(found) < EXCERPT + 100


def test_search_without_match_says_so(desk, seen):
    assert desk.search("zebra", "candidates") == "No match in 2 files."
    assert seen == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pattern": ""}, "The pattern must have 1 to 1000 characters"),
        ({"pattern": "x" * 1001}, "The pattern must have 1 to 1000 characters"),
        ({"pattern": "("}, "not a valid regular expression"),
        ({"pattern": "(" * 900 + ")" * 100}, "not a valid regular expression"),
        ({"pattern": "a{99999999999}"}, "repeat counts of the pattern are too large"),
        ({"pattern": "(?:a{0009999}){00000009999}"}, "repeat counts of the pattern are too large"),
        ({"pattern": "(?:" + "(a|b)" * 150 + "){9999}"}, "repeat counts of the pattern are too large"),
        ({"pattern": "(?:" * 13 + "(a|b)" * 150 + "){2}" * 13}, "repeat counts of the pattern are too large"),
        ({"pattern": "(?x)(?:a{9 9 9 9}){9999}"}, "The verbose flag x is not supported"),
        ({"pattern": "(?ix:a)"}, "The verbose flag x is not supported"),
        ({"pattern": "a{9(?#x)999}"}, "Braces may hold repeat counts alone"),
        ({"pattern": "(?e)(aaaaaaaaaaaaaaaaa){e<10}b"}, "Braces may hold repeat counts alone"),
        ({"pattern": "x", "skip": 10**30}, "skip must be at most"),
        ({"pattern": "(?R)"}, "Recursive patterns are not supported"),
        ({"pattern": "x", "skip": -1}, "skip must be 0 or more"),
        ({"pattern": "x", "path": "simulater"}, "Did you mean simulator?"),
    ],
)
def test_a_search_that_makes_no_sense_is_explained(desk, arguments, message):
    with pytest.raises(ToolError, match=message):
        desk.search(**arguments)


@pytest.mark.parametrize("pattern", [r"\(?x", "a{2,3}", r"\{1: 2}", r"\p{Lu}", "(?P<x>a)(?P=x)", "(?i)x"])
def test_what_only_looks_like_a_count_or_a_flag_is_allowed(pattern):
    assert compile_pattern(pattern, False)


@pytest.mark.parametrize("huge", [10**30, 10**3000])
def test_a_huge_number_is_never_an_error_of_ours(desk, huge):
    with pytest.raises(ToolError, match="start_line must be between"):
        desk.read("workload.json", start_line=huge)
    with pytest.raises(ToolError, match="start_column must be between"):
        desk.read("workload.json", start_column=huge)
    assert desk.read("workload.json", line_count=huge) == desk.read("workload.json")


@pytest.mark.parametrize("pattern", [r"(?:.|.)*[!]$?\d", r"^(.+)+\d$"])
def test_a_hostile_pattern_ends_in_bounded_time(pattern):
    desk = Desk(Packet({"a": "a b c d e f g h" * 3000 + "!"}), lambda *_: None)
    start = time.monotonic()
    with pytest.raises(ToolError, match="took too long"):
        desk.search(pattern)
    assert time.monotonic() - start < SEARCH_SECONDS + 4


def test_a_hostile_pattern_does_not_fill_the_memory():
    """`regex` unrolls nested counts when it compiles; without the guard this process would die at its limit."""
    script = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
        "from proctor.siris.review.patterns import compile_pattern\n"
        "from inspect_ai.tool import ToolError\n"
        "for pattern in ('(((((a{1000}){1000}){1000}){1000}){1000})', 'a{9,99}{9,999}', '((.{0,300}){0,300})q'):\n"
        "    try:\n        compile_pattern(pattern, False); print('compiled')\n"
        "    except ToolError as error: print(error.message)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["The repeat counts of the pattern are too large together."] * 3, done.stderr


@settings(deadline=None, max_examples=500)
@given(
    pattern=st.text(alphabet=r"ab \s*+?.|()[]^$nAZB{1,2}x:<=!", min_size=1, max_size=12),
    lines=st.lists(st.text(alphabet="ab x1", max_size=6), min_size=1, max_size=6),
)
@example(pattern=r"\Ab", lines=["a", "b"])
@example(pattern=r"a\Z", lines=["a", "b"])
@example(pattern=r"a(?!\s)", lines=["a", "b"])
@example(pattern=r"(?<!\s)b", lines=["a", "b"])
@example(pattern="[^x]++$", lines=["a", "x"])
@example(pattern="(?>[^x]+)$", lines=["a", "x"])
@example(pattern="[^b]", lines=["", "b", "a"])
def test_a_search_finds_exactly_the_lines_that_match_by_themselves(pattern, lines):
    """Looking at the whole text first is a short cut and nothing else."""
    try:
        compiled = compile_pattern(pattern, False)
    except ToolError:
        return
    expected = [number for number, line in enumerate(lines, start=1) if compiled.search(line)]
    seen = Log()
    Desk(Packet({"f": "\n".join(lines) + "\n"}), seen).search(pattern)
    assert [numbers for _, numbers, _ in seen] == [[number] for number in expected]


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=30))
def test_no_pattern_breaks_a_search(pattern):
    """Anything a model may write is either answered or explained."""
    desk = Desk(Packet(FILES), lambda *_: None)
    with contextlib.suppress(ToolError):
        assert desk.search(pattern)
