"""Figures of dots with intervals, models down the side: evidence components (Figure 5), prompts (Figure 7), reach,
selection loss, difficulty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import altair as alt

from proctor.report.charts.parts import (
    BY_BOTH,
    BY_MODEL,
    Chart,
    data,
    faded,
    line_at,
    models,
    palette,
    panel,
    percent_axis,
    shapes,
    tips,
)
from proctor.report.charts.rows import Flat, interval, whos
from proctor.report.charts.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, WIDTH

HALF = WIDTH // 2 - 30
EVIDENCE = {
    "none": ("none", GREY),
    "code": ("code", BLUE),
    "code+records": ("code + records", GREEN),
    "code+predictions": ("code + predictions", PURPLE),
    "perturbed": ("code + both", ORANGE),
    "code-reference": ("code, correct", INK),
}
PROMPTS = {"standard": BLUE, "instructed": ORANGE}
TURNS = {"first turn": GREY, "any turn": BLUE}
LOSSES = {"abandoned valid": ORANGE, "kept invalid": BLUE, "third design": PURPLE}
LEVELS = {"hard": ORANGE, "medium": PURPLE, "easy": BLUE}
POINTS = (-50.0, 50.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """What a panel measures: its title, its range, and lines to compare with."""

    title: str
    domain: tuple[float, float] = (0, 100)
    lines: tuple[float, ...] = ()
    form: str = ".1f"


JUDGMENT = Axis("Judgment J (%)", lines=(50.0,))
DISPOSITION = Axis("Disposition D (points)", POINTS, (0.0,), "+.1f")


def evidence(rows: Sequence[Flat], chance: float | None, description: str) -> list[Chart]:
    """Figure 5: J and D by the simulator's evidence shown. Rows hold `evidence` (a condition), J and D.

    The dashed lines are the follow rule, J = 50, and random choice.
    """
    colours = dict(EVIDENCE.values())
    seen = [{**row, "condition": row["evidence"], "series": EVIDENCE[row["evidence"]][0]} for row in rows]
    judgment = JUDGMENT if chance is None else replace(JUDGMENT, lines=(*JUDGMENT.lines, chance))
    axes = {"J": judgment, "D": DISPOSITION}
    return [_dots(_of(seen, name), whos(seen), axis, colours, description) for name, axis in axes.items()]


def prompts(rows: Sequence[Flat], description: str) -> list[Chart]:
    """Figure 7, and reach from Table 8: the standard and the instructed prompt under the perturbed simulator.

    Rows hold `series` (a key of PROMPTS) and any of reach, identified, J (percent) and D.
    """
    axes = {
        "reach": Axis("Reading the changed code in the first turn (%)"),
        "identified": Axis("Identifying the limitation (%)"),
        "J": JUDGMENT,
        "D": DISPOSITION,
    }
    drawn = {name: _of(rows, name) for name in axes}
    return [_dots(drawn[name], whos(rows), axis, PROMPTS, description) for name, axis in axes.items() if drawn[name]]


def reach(rows: Sequence[Flat], description: str) -> list[Chart]:
    """Table 7 drawn: conversations that reach the changed code, by turn; one panel for each simulator."""
    panels = []
    for condition in ("perturbed", "reference"):
        found = [
            dot
            for turn, series in (("initial", "first turn"), ("any", "any turn"))
            for dot in _of([{**row, "series": series, "condition": condition} for row in rows], f"{turn}_{condition}")
        ]
        if found:
            panels.append(_dots(found, whos(rows), Axis(f"Reach, {condition} simulator (%)"), TURNS, description))
    return panels


def loss(rows: Sequence[Flat], description: str) -> list[Chart]:
    """Selection loss of the wrong choices, the median over problems, by kind of error. Rows hold loss_KIND."""
    found = [dot for kind in LOSSES for dot in _of([{**row, "series": kind} for row in rows], loss_name(kind))]
    most = max([10.0, *(float(dot[end]) for dot in found for end in ("value", "high") if end in dot)])
    axis = Axis("Selection loss under the reference simulator (%), median over problems", (0.0, 1.05 * most))
    return [_dots(found, whos(rows), axis, LOSSES, description, width=WIDTH)]


def difficulty(rows: Sequence[Flat], description: str) -> list[Chart]:
    """J and D by level of difficulty. Rows hold `difficulty` (a key of LEVELS), J and D."""
    seen = [{**row, "series": row["difficulty"]} for row in rows]
    axes = {"J": JUDGMENT, "D": DISPOSITION}
    return [_dots(_of(seen, name), whos(seen), axis, LEVELS, description) for name, axis in axes.items()]


def loss_name(kind: str) -> str:
    """What rows call the loss of a kind of error, a key of LOSSES."""
    return f"loss_{kind.replace(' ', '_')}"


def _of(rows: Sequence[Flat], name: str) -> list[Flat]:
    """Keep rows that hold the number `name`, as `value`, `low` and `high`, with what says who and what they are."""
    found = []
    for row in rows:
        if name not in row:
            continue
        about: Flat = {key: row[key] for key in ("who", "source", "series", "condition") if key in row}
        found.append({**about, "value": row[name], **interval(row, name)})
    return found


def _dots(
    dots: Sequence[Flat],
    order: Sequence[str],
    axis: Axis,
    colours: Mapping[str, str],
    description: str,
    *,
    width: int = HALF,
) -> Chart:
    """One panel: a dot with its interval for each model and series, series below one another within a model."""
    used = {name: colour for name, colour in colours.items() if name in {dot["series"] for dot in dots}}
    where = {"y": models(order), "yOffset": alt.YOffset("series:N", sort=list(used))}
    seen = faded(BY_BOTH if any("condition" in dot for dot in dots) else BY_MODEL)
    colour = palette("series", used)
    bounded = [dot for dot in dots if "low" in dot]
    bounds = (
        alt.Chart(data(bounded))
        .mark_rule(strokeWidth=1.5, clip=True)
        .encode(x=_x("low", axis), x2="high:Q", color=colour, opacity=seen, **where)
    )
    marks = (
        alt.Chart(data(dots))
        .mark_point(filled=True, size=70)
        .encode(
            x=_x("value", axis),
            color=colour,
            shape=shapes("series", list(used)),
            opacity=seen,
            tooltip=tips(
                ("who", "model", ""),
                ("series", "which", ""),
                ("value", axis.title.split(" (")[0], axis.form),
                ("interval", "95 % interval", ""),
            ),
            **where,
        )
    )
    layers = [*([bounds] if bounded else []), marks, *(line_at(value, _x("at", axis)) for value in axis.lines)]
    height = max(60, len(order) * (10 + 13 * len(used)))
    return panel(*layers, width=width, height=height, description=description)


def _x(field: str, axis: Axis) -> alt.X:
    return percent_axis(field, axis.title, axis.domain)
