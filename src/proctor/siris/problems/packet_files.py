"""How the files of a packet are written: for authors of domains, so that all domains' packets read alike.

The rest of the suite relies on two of these forms: a workload file keeps its rows under `requests`, and a prediction
file the values of each candidate under `candidates`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2

TARGET = "p95"  # the statistic that decides where prediction.json names none


def workload_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """workload.json: one request per line, so that people and readers see rows."""
    lines = ",\n".join(json.dumps(row) for row in rows)
    return f'{{"version": 1, "requests": [\n{lines}\n]}}\n'


def workload_rows(text: str) -> list[dict[str, Any]]:
    """The rows of workload.json; raises ValueError, LookupError or TypeError for a text that is none."""
    rows: list[dict[str, Any]] = json.loads(text)["requests"]
    return rows


def prediction_text(metric: str, unit: str, candidates: Mapping[str, Mapping[str, float]], target: str = TARGET) -> str:
    """prediction.json. `candidates`: label -> statistic -> value, the lower the better; `target` is the statistic that
    the question asks for, and is named in the file unless it is p95."""
    named = {} if target == TARGET else {"target": target}
    return json.dumps({"metric": metric, "unit": unit, **named, "candidates": candidates}, indent=2) + "\n"


def target_values(text: str) -> dict[str, float]:
    """From prediction.json: label -> value of the target metric."""
    shown = json.loads(text)
    return {label: values[shown.get("target", TARGET)] for label, values in shown["candidates"].items()}


def json_lines(rows: Iterable[Any]) -> str:
    """A .jsonl file: one compact row per line."""
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


@cache
def _templates(package: str) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: files(package).joinpath(name).read_text(encoding="utf-8")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(package: str, template: str, **values: Any) -> str:
    """A Jinja template that lies in a package (its path there), filled in; a value that is missing is an error."""
    return _templates(package).get_template(template).render(**values)
