"""Writing the report's folder: index.html, tables/, figures/."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from proctor.errors import InputError
from proctor.report.charts.figures import Figure, make_figures
from proctor.report.charts.files import pdf, svg
from proctor.report.files import write_whole
from proctor.report.page.html import render
from proctor.report.siris_report import Report
from proctor.report.tables_out import write_tables

PAGE, TABLES, FIGURES = "index.html", "tables", "figures"


@dataclass(frozen=True, slots=True)
class Written:
    """What was written, and the figures that lack their data."""

    page: Path
    tables: tuple[Path, ...]
    figures: tuple[Path, ...]
    missing: tuple[str, ...]


def write_report(report: Report, out: Path, *, published: bool = False) -> Written:
    """Write the page, every table and every figure into the folder `out`, made if need be.

    Each file replaces an older one in a single step, the page last; figures of an earlier report that have no data in
    this one are removed. The same report gives the same bytes. `published`: the report's tables hold the paper's rows.
    Raises InputError where it cannot write.
    """
    refuse_files(out)
    figures = make_figures(report.tables, report.records, published=published)
    page = render(report, figures)
    tables = write_tables(report.tables, report.records, out / TABLES)
    try:
        drawn = _write_figures(figures, out / FIGURES)
        path = _write(out / PAGE, page.encode())
    except OSError as error:
        raise InputError(f"{out}: cannot write there ({error.strerror}); give another --out") from error
    return Written(path, tuple(tables), tuple(drawn), tuple(figure.name for figure in figures if not figure.panels))


def refuse_files(out: Path) -> None:
    """Raise InputError where `out` is a file: worth knowing before everything is computed."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file; --out wants a folder, which is made if it does not exist")


def _write_figures(figures: Sequence[Figure], folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in figures:
        paths = [folder / f"{figure.name}.{kind}" for kind in ("svg", "pdf")]
        if not figure.panels:
            for path in paths:
                path.unlink(missing_ok=True)
            continue
        drawn = svg(figure)
        written += [_write(paths[0], drawn.encode()), _write(paths[1], pdf(drawn))]
    return written


def _write(path: Path, content: bytes) -> Path:
    return write_whole(path, lambda file: file.write(content))
