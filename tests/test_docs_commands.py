"""What README and docs show is true: every command runs, and prints what the page says it prints.

Run are fenced blocks marked `console` (lines that begin with `$ ` are commands, each run by itself; what follows is the
output, in which `...` stands for anything; no output shown, none compared), `bash` (one script) and `python` (one
program). The blocks of a page run in order, in one copy of the repository, without any model provider's key. A block
that cannot run has the reason in a comment before it: `<!-- not run: needs a model key -->`. `make` calls are not run
from here but must be among those of `.ci/run`.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(path.relative_to(ROOT) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
RUN = ("console", "bash", "python")
SECONDS = 300
FENCE = re.compile(r"^```(\w*)\s*$")
NOT_RUN = re.compile(r"^<!-- not run: (\S.*?) -->\s*$")
LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: the page's line where its text begins, its language and text, and why it is not run, if so."""

    line: int
    language: str
    text: str
    not_run: str | None


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page of Markdown."""
    found, before, inside = [], "", None
    for number, line in enumerate(page.splitlines(), 1):
        fence = FENCE.match(line)
        if inside is not None and line.rstrip() == "```":
            start, language, reason, body = inside
            found.append(Block(start, language, "\n".join(body) + "\n", reason))
            inside, before = None, ""
        elif inside is not None:
            inside[3].append(line)
        elif fence:
            reason = NOT_RUN.match(before)
            inside = (number + 1, fence[1], reason[1] if reason else None, [])
        elif line.strip():
            before = line
    return found


def commands(block: Block) -> list[tuple[list[str], str]]:
    """What a block has the reader type, as argument lists, and the output shown for it ("" if none is)."""
    if block.language == "python":
        return [([sys.executable, "-c", block.text], "")]
    if block.language == "bash":
        return [(["bash", "-euc", block.text], "")]
    typed = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    parts = (re.match(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", each, re.DOTALL) for each in typed)
    return [(["bash", "-euc", part[1]], part[2]) for part in parts if part]


def is_make(command: list[str]) -> bool:
    return command[-1].startswith("make ")


@pytest.fixture
def copy(tracked: list[Path], tmp_path: Path) -> Path:
    """A copy of the repository."""
    for path in tracked:
        there = tmp_path / path.relative_to(ROOT)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, there)
    return tmp_path


def environment() -> dict[str, str]:
    """The reader's: this Python's programs first on PATH, a plain terminal 100 columns wide, no key."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_TOKEN"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    shared = os.environ.get("PROCTOR_SHARED", str(ROOT.parent / "shared"))
    return {**kept, "PATH": path, "PROCTOR_SHARED": shared, "COLUMNS": "100", "NO_COLOR": "1"}


def run(command: list[str], shown: str, where: str, cwd: Path) -> None:
    """Run one command; fails the test if it fails or prints something other than what is shown."""
    done = subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        pytest.fail(f"{where}: exit {done.returncode}: {command[-1]}\n{done.stdout}\n{done.stderr}")
    if shown.strip() and not doctest.OutputChecker().check_output(shown, done.stdout, LIKE):
        pytest.fail(f"{where}: {command[-1]}\nthe page shows\n{shown}\nbut it prints\n{done.stdout}")


@pytest.mark.docs
@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_command_of_the_page_runs(page, copy):
    """A reader who types a page's commands one after another gets what the page says."""
    for block in blocks((ROOT / page).read_text(encoding="utf-8")):
        if block.language in RUN and not block.not_run:
            for command, shown in commands(block):
                if not is_make(command):
                    run(command, shown, f"{page}:{block.line}", copy)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_make_call_of_the_page_is_one_that_ci_makes(page):
    """What `.ci/run` calls is what pages tell readers to type."""
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    shown = [
        command[-1].strip()
        for block in blocks((ROOT / page).read_text(encoding="utf-8"))
        if block.language in RUN and not block.not_run
        for command, _ in commands(block)
        if is_make(command)
    ]
    assert [call for call in shown if not re.search(rf"\b{re.escape(call)}\s*$", ci, re.MULTILINE)] == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_no_command_hides_in_a_block_of_another_language(page):
    """A block that shows a prompt but is not marked `console` would never be run."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [b.line for b in blocks(text) if b.language != "console" and re.search(r"^\$ ", b.text, re.MULTILINE)] == []


PAGE = """
Text.

```console
$ echo one \\
    two
one two
$ make demo
```

<!-- not run: needs a model key -->
```console
$ false
```

```bash
cd /
pwd
```
"""


def test_blocks_and_commands_are_read_as_documented():
    """Continued lines, outputs, reasons and whole scripts."""
    first, second, third = blocks(PAGE)
    assert (first.line, first.language, first.not_run) == (5, "console", None)
    assert [(c[-1], shown) for c, shown in commands(first)] == [
        ("echo one \\\n    two\n", "one two\n"),
        ("make demo\n", ""),
    ]
    assert second.not_run == "needs a model key"
    assert commands(third) == [(["bash", "-euc", "cd /\npwd\n"], "")]


def test_a_reason_must_be_given():
    """`<!-- not run -->` without a reason does not keep a block from running."""
    assert blocks("<!-- not run: -->\n```bash\nfalse\n```\n")[0].not_run is None


@pytest.mark.parametrize(("script", "shown"), [("false", ""), ("echo two", "one\n"), ("echo one; exit 3", "one\n")])
def test_a_page_that_is_wrong_is_noticed(script, shown, tmp_path):
    """A failing command, or another output than the one shown, fails the page."""
    with pytest.raises(pytest.fail.Exception, match=r"page\.md:1"):
        run(["bash", "-euc", script], shown, "page.md:1", tmp_path)


def test_an_ellipsis_stands_for_anything(tmp_path):
    """So that a page may show times and paths."""
    run(["bash", "-euc", "echo took 12 s; echo done"], "took ... s\ndone\n", "page.md:1", tmp_path)
