"""Tables and records as files: the same numbers in both formats, the same bytes every time, whole or not at all."""

import csv
import json
import math

import pyarrow.parquet as pq
import pytest

from proctor.errors import InputError
from proctor.report.files import write_whole
from proctor.report.siris_report import make_report
from proctor.report.tables_out import write_tables


@pytest.fixture(scope="module")
def report(make_study):
    return make_report(make_study(models=("model-01", "model-08"), pairs=7), published=True)


@pytest.fixture(scope="module")
def folder(report, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "new" / "folder"
    write_tables(report.tables, report.records, folder)
    return folder


def test_every_table_is_there_twice_with_the_same_numbers(report, folder):
    names = {table.name for table in report.tables} | {"records"}
    assert {path.name for path in folder.iterdir()} == {f"{n}.{s}" for n in names for s in ("csv", "parquet")}
    for name in names:
        rows = pq.read_table(folder / f"{name}.parquet").to_pylist()
        with (folder / f"{name}.csv").open(newline="") as file:
            texts = list(csv.DictReader(file))
        assert len(rows) == len(texts) > 0
        for row, text in zip(rows, texts, strict=True):
            for key, value in row.items():
                if isinstance(value, float):
                    assert float(text[key]) == value
                else:
                    wanted = str(value).lower() if isinstance(value, bool) else str(value)
                    assert text[key] == ("" if value is None else wanted)


def test_numbers_are_numbers_with_bounds_denominator_and_unit(report, folder):
    rows = pq.read_table(folder / "judgment.parquet").to_pylist()
    [found] = [
        row for row in rows if (row["model"], row["condition"], row["quantity"]) == ("model-08", "perturbed", "J")
    ]
    summary = next(s for s in report.summaries if s.group.model == "model-08" and s.group.condition == "perturbed")
    judgment = summary.intervals["final_J"]
    assert (found["estimate"], found["low"], found["high"]) == (judgment.estimate, judgment.low, judgment.high)
    assert (found["n"], found["unit"], found["source"]) == (42, "%", "measured")
    assert {row["source"] for row in rows} == {"measured", "computed", "published"}
    assert all(row["low"] is None for row in rows if row["source"] == "published")


def test_no_number_is_null_not_nan(folder):
    for path in folder.glob("*.parquet"):
        for column in pq.read_table(path).columns:
            assert not any(isinstance(v, float) and not math.isfinite(v) for v in column.to_pylist())


def test_records_are_one_row_per_conversation_with_what_follows_from_them(report, folder):
    rows = pq.read_table(folder / "records.parquet").to_pylist()
    assert len(rows) == len(report.records) == 2 * 3 * 7 * 2 * 3
    wrong = next(row for row in rows if row["error_kind"] == "kept_invalid")
    assert (wrong["final_correct"], wrong["selection_loss_pct"]) == (False, pytest.approx(24))
    assert json.loads(wrong["reference"])["B"] == 124_000_000
    assert {row["identified"] for row in rows} == {True, False, None}


def test_the_same_logs_give_the_same_bytes_in_any_order(report, folder, tmp_path):
    again = make_report(reversed(report.records), published=True)
    write_tables(again.tables, again.records, tmp_path)
    for path in folder.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_folder_that_cannot_be_is_one_clear_line(report, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="cannot write there"):
        write_tables(report.tables, report.records, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")

    def fail(file):
        file.write(b"half of the n")
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError, match="full"):
        write_whole(path, fail)
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]
    assert path.read_text() == "old"
    write_whole(path, lambda file: file.write(b"new"))
    assert path.read_text() == "new"
