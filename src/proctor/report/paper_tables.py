"""The SIRIS paper's Tables 4 to 11 from one's own runs, with the paper's models as further rows if asked.

A table for which no run is at hand is left out, and a line says which run would fill it.
"""

from __future__ import annotations

from collections.abc import Iterable

from proctor.report.evidence_tables import ARMS, EVIDENCE, auxiliary, components, instructed, reach
from proctor.report.identification_table import identification
from proctor.report.judgment_tables import conditions, movement, solved_counts
from proctor.report.numbers import NumberTable
from proctor.report.siris_rows import Runs, with_hidden

_BUILDERS = (movement, conditions, components, reach, instructed, solved_counts, identification, auxiliary)


def paper_tables(runs: Runs, published: bool = False) -> list[NumberTable]:
    """Tables 4 to 11 as far as there are runs for them, in the paper's order."""
    made = [build(runs, published) for build in _BUILDERS]
    return [with_hidden(table) for table in made if any(row.source == "measured" for row in table.rows)]


def missing_runs(runs: Runs) -> list[str]:
    """Say which runs would fill what is left out of Tables 4 to 11, one line for each table."""
    needs: dict[str, list[tuple[str, str]]] = {
        "Tables 5 and 9": [(name, "standard") for name in ("none", "perturbed", "reference")],
        "Table 6 (evidence components)": [(name, "standard") for name in EVIDENCE],
        "Table 7 (reach)": [("perturbed", "standard"), ("reference", "standard")],
        "Table 8 (instructed inspection)": [("perturbed", "standard"), ("perturbed", "instructed")],
        "Table 11 (auxiliary studies)": list(ARMS),
    }
    lines = [_need(table, [run for run in wanted if not runs.asked(*run)]) for table, wanted in needs.items()]
    if not any(s.annotated for s in runs.summaries):
        lines.append("Table 10 (identification) needs annotations: proctor siris annotate LOGS --annotator MODEL")
    return [line for line in lines if line]


def _need(table: str, absent: Iterable[tuple[str, str]]) -> str:
    by_prompt: dict[str, list[str]] = {}
    for condition, prompt in absent:
        by_prompt.setdefault(prompt, []).append(f"--condition {condition}")
    runs = [
        " ".join([*conditions, *([f"--prompt {prompt}"] if prompt != "standard" else [])])
        for prompt, conditions in by_prompt.items()
    ]
    return f"{table}: filled by proctor siris run --model MODEL {' and by '.join(runs)}" if runs else ""
