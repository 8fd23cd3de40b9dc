"""Tables and records as files: CSV for people and spreadsheets, Parquet for programs, the same numbers in both.

One file per table, one row per number: labels, `source` (measured, computed, published), `quantity`, `estimate`, `low`,
`high`, `n`, `unit`, `method`, `remark`. Where there is no number the cell is empty (CSV) or null (Parquet). The same
report gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from proctor.errors import InputError
from proctor.report.files import write_whole
from proctor.report.numbers import NumberTable
from proctor.siris.verdict.loss import selection_loss_pct
from proctor.siris.verdict.records import Record
from proctor.siris.verdict.scoring import error_kind

if TYPE_CHECKING:
    import pyarrow as pa

RECORDS = "records"


def write_tables(tables: Sequence[NumberTable], records: Iterable[Record], folder: Path) -> list[Path]:
    """Write `NAME.csv` and `NAME.parquet` for each table and for the records into `folder`, made if need be.

    Each file replaces an older one in a single step. Returns the paths. Raises InputError where it cannot write.
    """
    frames = {table.name: table_frame(table) for table in tables} | {RECORDS: records_frame(records)}
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in frames.items():
            for suffix, write in (("csv", _csv), ("parquet", _parquet)):
                written.append(write_whole(folder / f"{name}.{suffix}", partial(write, frame)))
    except OSError as error:
        raise InputError(f"{folder}: cannot write there ({error.strerror}); give another --out") from error
    return written


def table_frame(table: NumberTable) -> pa.Table:
    """The table as Arrow, one row per number, as `NumberTable.long` gives them."""
    import pyarrow as pa

    text, real = pa.string(), pa.float64()
    fields = dict.fromkeys(table.labels, text) | {
        "source": text,
        "quantity": text,
        "estimate": real,
        "low": real,
        "high": real,
        "n": pa.int64(),
        "unit": text,
        "method": text,
        "remark": text,
    }
    return pa.Table.from_pylist(table.long(), schema=pa.schema(list(fields.items())))


def records_frame(records: Iterable[Record]) -> pa.Table:
    """One row per conversation: the record's fields and what follows from them, in the order of group, problem,
    repetition. Predictions and files read are JSON.
    """
    import pyarrow as pa

    kept = sorted(records, key=lambda r: (*r.group, r.problem, r.repetition))
    fields: dict[str, Callable[[Record], Any]] = {
        **{name: _field(name) for name in Record.model_fields if name != "version"},
        "initial_correct": lambda r: r.correct("initial"),
        "final_correct": lambda r: r.correct("final"),
        "error_kind": error_kind,
        "selection_loss_pct": lambda r: selection_loss_pct(r) if r.scored else None,
    }
    columns = {name: [value(record) for record in kept] for name, value in fields.items()}
    return pa.table({name: pa.array(values, _type(name)) for name, values in columns.items()})


_BOOLEANS = ("reached_initial", "reached_any", "identified", "initial_correct", "final_correct")
_JSON = ("reference", "perturbed", "files_read", "ended_by")


def _field(name: str) -> Callable[[Record], Any]:
    if name in _JSON:
        return lambda record: json.dumps(getattr(record, name), sort_keys=True)
    return lambda record: getattr(record, name)


def _type(name: str) -> pa.DataType:
    import pyarrow as pa

    if name in _BOOLEANS:
        return pa.bool_()
    return {"repetition": pa.int64(), "selection_loss_pct": pa.float64()}.get(name, pa.string())


def _csv(frame: pa.Table, file: IO[bytes]) -> None:
    from pyarrow import csv

    csv.write_csv(frame, file)


def _parquet(frame: pa.Table, file: IO[bytes]) -> None:
    from pyarrow import parquet

    parquet.write_table(frame, file, compression="zstd")
