"""What the page says before it shows anything: what was run, each model's main result, what is not resolved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from proctor.report.charts.rows import Names
from proctor.report.numbers import Number, NumberTable, Row
from proctor.report.siris_report import Report
from proctor.siris.verdict.summary import Summary

FOLLOW_J = 50.0  # judgment of always following, and of always doing the opposite rightly


@dataclass(frozen=True, slots=True)
class Finding:
    """One model's main result: its name as figures have it, J and D with bounds, and what they come to in words."""

    who: str
    prompt: str
    judgment: Number
    disposition: Number
    words: str


def lead(report: Report) -> str:
    """One sentence: who answered what, under how many conditions, and how much of it is scored."""
    groups = [summary.group for summary in report.summaries]
    problems = len({(r.suite, r.problem) for r in report.records})
    pairs = len({(r.suite, r.pair) for r in report.records})
    models, conditions = len({g.model for g in groups}), len({g.condition for g in groups})
    suites = ", ".join(sorted({g.suite for g in groups}))
    assigned = sum(s.coverage.assigned for s in report.summaries)
    scored = sum(s.coverage.scored for s in report.summaries)
    repeated = max((r.repetition for r in report.records), default=0)
    often = "once" if repeated <= 1 else f"up to {repeated} times"
    return (
        f"{_many(models, 'model')} answered {_many(problems, 'problem')} ({_many(pairs, 'pair')}) of {suites} under "
        f"{_many(conditions, 'evidence condition')}, {often} each: {scored} of {assigned} "
        f"assigned conversations are scored."
    )


def findings(report: Report, names: Names) -> list[Finding]:
    """The measured models under the perturbed simulator, best judgment first."""
    asked = [s for s in report.summaries if s.group.condition == "perturbed" and s.coverage.scored]
    found = [_finding(summary, names) for summary in asked]
    return sorted(found, key=lambda f: (f.prompt != "standard", -f.judgment.estimate, f.who))


def _finding(summary: Summary, names: Names) -> Finding:
    judgment = Number.of(summary.intervals.get("final_J"))
    disposition = Number.of(summary.intervals.get("final_D"), unit="points")
    who = names.who(summary.group.suite, summary.group.model, "measured")
    said = " ".join([_against_following(judgment), _leaning(disposition)])
    return Finding(who, summary.group.prompt, judgment, disposition, said)


def _against_following(judgment: Number) -> str:
    if not judgment.bounded:
        return "J has no interval."
    if judgment.low > FOLLOW_J:
        return "Judges better than always following the recommendation (J 50)."
    if judgment.high < FOLLOW_J:
        return "Judges worse than always following the recommendation (J 50)."
    return "Not resolved whether it judges better than always following the recommendation (J 50)."


def _leaning(disposition: Number) -> str:
    if not disposition.bounded:
        return "D has no interval."
    if disposition.low > 0:
        return "Better on upheld problems: it keeps recommendations that it should not keep."
    if disposition.high < 0:
        return "Better on overturned problems: it drops recommendations that it should not drop."
    return "Not resolved which kind of problem it does better on."


def unresolved(tables: Iterable[NumberTable]) -> list[str]:
    """The measured comparisons whose direction the data do not tell, one line each, the perturbed condition first."""
    found = [
        ("perturbed" not in row.labels, f"{_label(table, row)}: {row.remark}")
        for table in tables
        if table.name.startswith("compare_")
        for row in table.rows
        if row.source == "measured" and "not resolved" in row.remark
    ]
    return [line for _, line in sorted(found, key=lambda item: item[0])]


def _label(table: NumberTable, row: Row) -> str:
    labels = dict(zip(table.labels, row.labels, strict=True))
    between = f"{labels.pop('second')} against {labels.pop('first')}"
    kept = [value for name, value in labels.items() if name not in table.hidden and value not in ("", "standard")]
    return f"{', '.join(kept)}: {between}" if kept else between


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def shortened(lines: Sequence[str], most: int) -> tuple[list[str], int]:
    """The first lines, and how many more there are."""
    return list(lines[:most]), max(0, len(lines) - most)
