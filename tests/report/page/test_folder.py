"""The report's folder: what is in it, that it is written whole, and the same from the same logs."""

import json
import os
import subprocess
import sys

import pytest

from proctor.cli.siris_verdict import register
from proctor.errors import InputError
from proctor.report.page import write_report
from proctor.report.siris_report import make_report


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def small(make_record):
    return make_report([make_record(f"p{i}", o, "B", "A") for i in range(4) for o in ("upheld", "overturned")])


@pytest.fixture(scope="module")
def written(small, tmp_path_factory):
    return write_report(small, tmp_path_factory.mktemp("report") / "deep" / "out")


def test_the_folder_holds_a_page_tables_and_figures_and_nothing_unfinished(written):
    folder = written.page.parent
    names = set(contents(folder))
    assert "index.html" in names
    assert {"tables/judgment.csv", "tables/judgment.parquet", "tables/records.parquet"} <= names
    assert {"figures/review.svg", "figures/review.pdf"} <= names
    assert len(names) == 1 + len(written.tables) + len(written.figures)
    assert "evidence-components" in written.missing


def test_writing_again_gives_the_same_bytes_and_removes_figures_that_lost_their_data(small, written):
    folder = written.page.parent
    before = contents(folder)
    stale, foreign = folder / "figures" / "evidence-components.svg", folder / "figures" / "mine.svg"
    stale.write_text("of an earlier report")
    foreign.write_text("the user's own")
    write_report(small, folder)
    assert not stale.exists()
    assert foreign.read_text() == "the user's own"
    foreign.unlink()
    assert contents(folder) == before


def test_a_file_in_the_way_is_an_error_and_stays(small, tmp_path):
    path = tmp_path / "out"
    path.write_text("precious")
    with pytest.raises(InputError, match="--out wants a folder"):
        write_report(small, path)
    assert path.read_text() == "precious"


def test_where_nothing_can_be_made_is_one_line(small, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="give another --out"):
        write_report(small, tmp_path / "file" / "out")


@pytest.fixture
def command(in_process):
    return in_process(register)


def test_the_command_says_where_the_page_is_and_prints_the_first_table(command, log, tmp_path):
    result = command("report", log, "--out", tmp_path / "out", "--published")
    assert result.exit_code == 0, result.output
    assert f"page: {tmp_path / 'out' / 'index.html'}" in result.stdout
    assert "Judgment on final choices" in result.stdout
    assert "GPT-6 Astra (published)" in result.stdout
    assert "GPT-6 Astra (paper)" in (tmp_path / "out" / "index.html").read_text()


def test_a_form_that_was_asked_for_keeps_standard_output_for_itself(command, log, tmp_path):
    result = command("report", log, "--out", tmp_path / "out", "--json")
    assert json.loads(result.stdout)["groups"]
    assert "page: " in result.stderr


@pytest.mark.slow
def test_another_process_with_another_hash_seed_writes_the_same_bytes(log, tmp_path):
    found = []
    for seed in ("1", "2"):
        args = [sys.executable, "-m", "proctor", "siris", "report", str(log), "--out", str(tmp_path / seed)]
        subprocess.run(args, env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True)
        found.append(contents(tmp_path / seed))
    assert found[0] == found[1]
