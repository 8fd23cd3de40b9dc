"""What is chosen after the limitation was identified, by kind of problem: the counts behind Figure 6."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from proctor.report.charts.rows import Flat, Names
from proctor.siris.verdict.observations import Decision, decision
from proctor.siris.verdict.published import published_models, raw
from proctor.siris.verdict.records import Record

_CHOICES: dict[Decision, str] = {
    "correct": "correct",
    "upheld_error": "abandoned valid",
    "kept_presented": "kept invalid",
    "third": "third design",
    "no_choice": "no choice",
}


def decided(records: Iterable[Record], names: Names, *, published: bool = False) -> list[Flat]:
    """Count decisions of identifying conversations under the perturbed simulator with the standard prompt."""
    counts = Counter(
        ((r.suite, r.model), r.outcome, decision(r))
        for r in records
        if r.scored and r.identified and (r.condition, r.prompt) == ("perturbed", "standard")
    )
    models = sorted({model for model, _, _ in counts})
    rows = [
        _row(names.who(*model, "measured"), "measured", outcome, choice, counts[model, outcome, choice])
        for model in models
        for outcome in ("upheld", "overturned")
        for choice in _CHOICES
        if counts[model, outcome, choice]
    ]
    return [*rows, *(_published(names) if published else [])]


def _published(names: Names) -> list[Flat]:
    """Table 10 splits errors by kind, Figure 6's end labels the identifying responses: together they give the rest."""
    ends = raw()["figure6_identifying"]
    rows = []
    for model in published_models():
        upheld, overturned = ends[model.name]
        found = model.identification
        split: list[tuple[str, Decision, int]] = [
            ("upheld", "correct", upheld - found.upheld_error),
            ("upheld", "upheld_error", found.upheld_error),
            ("overturned", "correct", overturned - found.kept_presented - found.third),
            ("overturned", "kept_presented", found.kept_presented),
            ("overturned", "third", found.third),
        ]
        who = names.who("", model.name, "published")
        rows += [_row(who, "published", outcome, choice, count) for outcome, choice, count in split]
    return rows


def _row(who: str, source: str, outcome: str, choice: Decision, count: int) -> Flat:
    return {"who": who, "source": source, "outcome": outcome, "choice": _CHOICES[choice], "count": count}
