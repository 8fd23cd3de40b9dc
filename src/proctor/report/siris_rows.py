"""What the siris tables share: which runs there are, how rows are named and ordered, and the rows nobody measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from proctor.report.numbers import Number, NumberTable, Row, Unit
from proctor.siris.verdict.comparison import place
from proctor.siris.verdict.counts import Solved, percent
from proctor.siris.verdict.published import PROBLEMS_OF_A_KIND, PublishedModel, published_models
from proctor.siris.verdict.records import Group
from proctor.siris.verdict.summary import Summary

PAPER = "paper"  # what the suite of a published row is called
FOLLOW, RANDOM = "follow rule", "random choice"
GROUP = ("suite", "model", "condition", "prompt")
MODEL = ("suite", "model")
ACCURACIES = ("U", "O", "J", "D")


@dataclass(frozen=True)
class Runs:
    """The summaries of all groups, found by what was asked."""

    summaries: tuple[Summary, ...]

    @classmethod
    def of(cls, summaries: Iterable[Summary]) -> Runs:
        return cls(tuple(sorted(summaries, key=lambda s: order(s.group))))

    def get(self, suite: str, model: str, condition: str, prompt: str = "standard") -> Summary | None:
        wanted = Group(suite, model, condition, prompt)
        return next((summary for summary in self.summaries if summary.group == wanted), None)

    def models(self, *conditions: str) -> list[tuple[str, str]]:
        """(suite, model) that were asked under one of the conditions, with the standard prompt."""
        asked = [s.group for s in self.summaries if s.group.condition in conditions and s.group.prompt == "standard"]
        return list(dict.fromkeys((group.suite, group.model) for group in asked))

    def suites(self) -> list[str]:
        return list(dict.fromkeys(summary.group.suite for summary in self.summaries))

    def asked(self, condition: str, prompt: str = "standard") -> bool:
        return any((s.group.condition, s.group.prompt) == (condition, prompt) for s in self.summaries)


def order(group: Group) -> tuple[str, str, tuple[int, str], tuple[int, str]]:
    return group.suite, group.model, place(group.condition), place(group.prompt)


def metric(summary: Summary | None, name: str) -> Number:
    """One metric in percent, or in points where it may be negative; NaN where nothing was asked."""
    unit: Unit = "points" if name in ("initial_D", "final_D", "dJ", "dD") else "%"
    if summary is None:
        return Number(float("nan"), unit=unit)
    return Number.of(summary.intervals.get(name), summary.measures.trials.get(name), unit)


def count(summary: Summary | None, name: str) -> Number:
    """A metric that is one share, as a count out of its trials."""
    if summary is None or name not in summary.intervals:
        return Number(float("nan"), unit="count")
    return Number.count_of(summary.intervals[name], summary.measures.trials[name])


def final_accuracies(summary: Summary | None) -> dict[str, Number]:
    """U, O, J and D of the final choices, measured; NaN where nothing was asked."""
    return {name: metric(summary, f"final_{name}") for name in ACCURACIES}


def exact(value: float, unit: Unit = "%", n: int | None = None) -> Number:
    """A number without an interval: it was computed from a rule, or published without telling of pairs."""
    return Number(value, n=n, unit=unit)


def paper_models(wanted: bool) -> list[PublishedModel]:
    """The paper's thirteen models if they are wanted."""
    return published_models() if wanted else []


def published_count(value: int, n: int = PROBLEMS_OF_A_KIND) -> Number:
    return exact(value, "count", n)


def published_pct(part: int, n: int = PROBLEMS_OF_A_KIND) -> Number:
    return exact(percent(part, n), n=n)


def accuracies(solved: Solved, names: Sequence[str] = ACCURACIES) -> dict[str, Number]:
    """U, O, J and D from counts, without intervals."""
    values = {
        "U": exact(solved.upheld_pct, n=solved.upheld_of),
        "O": exact(solved.overturned_pct, n=solved.overturned_of),
        "J": exact(solved.judgment, n=solved.upheld_of + solved.overturned_of),
        "D": exact(solved.disposition, "points", solved.upheld_of + solved.overturned_of),
    }
    return {name: values[name] for name in names}


def rule_rows(runs: Runs, row: Callable[[str, str, Summary], Mapping[str, Number]], labels: int) -> list[Row]:
    """The follow rule and random choice for each suite, from `row(rule, suite, any summary of the suite)`.

    Labels beyond suite and model are empty.
    """
    found = []
    for suite in runs.suites():
        summary = next(s for s in runs.summaries if s.group.suite == suite)
        for rule in (FOLLOW, RANDOM):
            empty = ("",) * (labels - 2)
            found.append(Row((suite, rule, *empty), row(rule, suite, summary), "computed"))
    return found


def rule_solved(rule: str, summary: Summary) -> dict[str, Number]:
    """U, O, J and D of following always, or of choosing one of a problem's candidates at random, on average."""
    upheld, overturned = (100.0, 0.0) if rule == FOLLOW else (summary.random_pct, summary.random_pct)
    return {
        "U": exact(upheld),
        "O": exact(overturned),
        "J": exact((upheld + overturned) / 2),
        "D": exact((upheld - overturned) / 2, "points"),
    }


def with_hidden(table: NumberTable) -> NumberTable:
    """Hide label columns that do not tell measured rows apart; suite and prompt only, the others are always shown."""
    measured = [row for row in table.rows if row.source == "measured"]
    hidden = set()
    for i, label in enumerate(table.labels):
        values = {row.labels[i] for row in measured}
        if (label == "suite" and len(values) <= 1) or (label == "prompt" and values <= {"standard"}):
            hidden.add(label)
    title = f"{table.title} ({measured[0].labels[0]})" if "suite" in hidden and measured else table.title
    return replace(table, title=title, hidden=frozenset(hidden))
