"""Figures of bars: judgment under each condition (Figure 4a), decisions after identification (Figure 6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt

from proctor.report.charts.parts import (
    BY_BOTH,
    Chart,
    data,
    faded,
    line_at,
    models,
    palette,
    panel,
    percent_axis,
    tips,
)
from proctor.report.charts.rows import Flat, interval, rounded, whos
from proctor.report.charts.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, WIDTH

BARS = ("none", "reference", "perturbed")
PARTS = {
    "no simulator": GREY,
    "reference simulator": GREEN,
    "perturbed, from upheld": BLUE,
    "perturbed, from overturned": ORANGE,
}
CHOICES = {"correct": GREEN, "abandoned valid": ORANGE, "kept invalid": BLUE, "third design": PURPLE, "no choice": GREY}


def conditions(rows: Sequence[Flat], chance: float | None, description: str) -> list[Chart]:
    """Figure 4(a): J under each condition; the perturbed bar is U / 2 and O / 2 end to end. `chance` is dashed.

    Rows hold none_J, reference_J, U, O and J in percent, with bounds where there are any.
    """
    bars = [bar for row in rows for bar in _bars(row)]
    ends = [{**bar, "beyond": bar.get("high", bar["J"])} for bar in bars if bar["last"]]
    order = whos(rows)
    where = {"y": models(order), "yOffset": alt.YOffset("condition:N", sort=list(BARS))}
    look = {"color": palette("part", PARTS), "opacity": faded(BY_BOTH)}
    tooltip = tips(
        *(("who", "model", ""), ("condition", "condition", ""), ("part", "part", ""), ("J", "J", ".1f")),
        *(("interval", "95 % interval", ""), ("split", "accuracies", "")),
    )
    drawn = alt.Chart(data(bars)).mark_bar().encode(x=_judgment("start"), x2="end:Q", tooltip=tooltip, **look, **where)
    bounds = (
        alt.Chart(data([bar for bar in ends if "low" in bar]))
        .mark_rule(strokeWidth=1.5)
        .encode(x=_judgment("low"), x2="high:Q", opacity=faded(BY_BOTH, 0.85), **where)
    )
    numbers = (
        alt.Chart(data(ends))
        .mark_text(align="left", dx=4, fontSize=10)
        .encode(x=_judgment("beyond"), text=alt.Text("J:Q", format=".0f"), opacity=faded(BY_BOTH), **where)
    )
    layers = [drawn, bounds, numbers, *([line_at(chance, _judgment("at"))] if chance is not None else [])]
    return [panel(*layers, width=WIDTH, height=max(90, 38 * len(order)), description=description)]


def _judgment(field: str) -> alt.X:
    return percent_axis(field, "Judgment J (%)", (0, 108))


def _bars(row: Flat) -> list[Flat]:
    found = []
    for condition, part in (("none", "no simulator"), ("reference", "reference simulator")):
        if (value := row.get(f"{condition}_J")) is not None:
            found.append({**_about(row, condition, f"{condition}_J"), "part": part, "start": 0, "end": value})
    if "U" in row and "O" in row:
        about = {**_about(row, "perturbed", "J"), "split": f"U {row['U']:.1f}, O {row['O']:.1f}"}
        middle, end = rounded(row["U"] / 2), row["J"]
        found.append({**about, "part": "perturbed, from upheld", "start": 0, "end": middle, "last": False})
        found.append({**about, "part": "perturbed, from overturned", "start": middle, "end": end})
    return found


def _about(row: Flat, condition: str, name: str) -> Flat:
    about: Flat = {"who": row["who"], "source": row["source"], "condition": condition, "J": row[name], "last": True}
    return {**about, "split": "not split", **interval(row, name)}


def decisions(rows: Sequence[Flat], description: str) -> list[Chart]:
    """Figure 6: final choices of the responses that identify the limitation, upheld problems to the left.

    Rows hold `who`, `outcome`, `choice` (a key of CHOICES) and `count`.
    """
    segments = _diverging(rows)
    used = {name: colour for name, colour in CHOICES.items() if any(part["choice"] == name for part in segments)}
    order = whos(rows)
    reach = max((abs(segment["end"]) for segment in segments), default=1) * 1.15

    def across(field: str) -> alt.X:
        title = "identifying responses: upheld problems to the left, overturned to the right"
        axis = alt.Axis(labelExpr="format(abs(datum.value), 'd')", tickMinStep=1, tickCount=8)
        return alt.X(f"{field}:Q", title=title, scale=alt.Scale(domain=[-reach, reach], nice=False), axis=axis)

    tooltip = tips(("who", "model", ""), ("outcome", "problems", ""), ("choice", "choice", ""), ("count", "n", "d"))
    drawn = (
        alt.Chart(data(segments))
        .mark_bar()
        .encode(
            x=across("start"),
            x2="end:Q",
            y=models(order),
            color=palette("choice", used),
            opacity=faded(),
            tooltip=tooltip,
        )
    )
    layers: list[alt.Chart] = [drawn]
    for side in ("upheld", "overturned"):
        ends = alt.Chart(data([end for end in _ends(segments) if end["outcome"] == side]))
        text = ends.mark_text(align="right", dx=-4) if side == "upheld" else ends.mark_text(align="left", dx=4)
        layers.append(text.encode(x=across("end"), y=models(order), text="total:N", opacity=faded()))
    layers.append(alt.Chart(data([{"at": 0}])).mark_rule(color=INK).encode(x=across("at")))
    return [panel(*layers, width=WIDTH, height=max(80, 24 * len(order)), description=description)]


def _diverging(rows: Iterable[Flat]) -> list[Flat]:
    """Lay segments end to end outwards from zero, in the order of CHOICES."""
    found: list[Flat] = []
    at: dict[tuple[str, str], float] = {}
    for row in sorted(rows, key=lambda row: list(CHOICES).index(row["choice"])):
        if not row["count"]:
            continue
        key, sign = (row["who"], row["outcome"]), -1 if row["outcome"] == "upheld" else 1
        start = at.get(key, 0.0)
        at[key] = start + sign * row["count"]
        found.append({**row, "start": start, "end": at[key]})
    return found


def _ends(segments: Sequence[Flat]) -> list[dict[str, Any]]:
    last = {(segment["who"], segment["outcome"]): segment for segment in segments}
    return [{**segment, "total": f"{abs(segment['end']):.0f}"} for segment in last.values()]
