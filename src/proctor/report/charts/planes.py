"""Figures in the plane of judgment and disposition: final choices (Figure 4b), review arrows (Figure 8)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from proctor.report.charts.frame import HEIGHT, Plane
from proctor.report.charts.parts import Chart, data, faded, palette, panel, tips
from proctor.report.charts.rows import Flat, rounded
from proctor.report.charts.style import BLUE, GREY, ORANGE, WIDTH

# Source of a row -> how the legend calls it, its colour and its shape.
_SOURCES = {
    "measured": ("these runs", BLUE, "circle"),
    "computed": ("rule", ORANGE, "square"),
    "published": ("paper", GREY, "diamond"),
}
_HEAD = "M0,-1L0.7,0.9L0,0.5L-0.7,0.9Z"  # an arrowhead that points upwards
_SHORTEST = 24  # pixels; a shorter arrow has no room for a head


def plane(rows: Sequence[Flat], description: str) -> list[Chart]:
    """Figure 4(b): J and D of the final choices under the perturbed simulator, with 95 % intervals where there are any.

    Rows hold J and D. What no accuracies can give is shaded: |D| > min(J, 100 - J).
    """
    points = [_seen(row) for row in rows if "J" in row and "D" in row]
    axes = Plane.around([(point["J"], point["D"]) for point in points])
    tooltip = tips(("who", "model", ""), ("J", "J", ".1f"), ("D", "D", "+.1f"), ("U", "U", ".1f"), ("O", "O", ".1f"))
    dots = alt.Chart(data(points)).mark_point(filled=True, size=90)
    layers = [
        *axes.shade(),
        *_bounds(points, axes),
        dots.encode(opacity=faded(), tooltip=tooltip, **_look(points), **axes.at()),
        *axes.names(points, "J", "D"),
    ]
    return [panel(*layers, width=WIDTH, height=HEIGHT, description=description)]


def _bounds(points: Sequence[Flat], axes: Plane) -> list[alt.Chart]:
    """The intervals of J across and of D upwards, cut at the edge of the plot."""
    cut = [
        {
            **point,
            **{"left": max(axes.left, point["J_low"]), "right": min(100.0, point["J_high"])},
            **{"low": max(axes.low, point["D_low"]), "high": min(axes.high, point["D_high"])},
        }
        for point in points
        if "J_low" in point and "D_low" in point
    ]
    rule = alt.Chart(data(cut)).mark_rule(strokeWidth=1.5)
    look = {"color": _look(points)["color"], "opacity": faded(full=0.5)}
    return [
        rule.encode(x2="right:Q", **axes.at("left", "D"), **look),
        rule.encode(y2="high:Q", **axes.at("J", "low"), **look),
    ]


def review(rows: Sequence[Flat], description: str) -> list[Chart]:
    """Figure 8: from the initial (hollow) to the final choice (filled) in the plane of J and D.

    Rows hold initial_J, initial_D, final_J, final_D.
    """
    ends = ("initial_J", "initial_D", "final_J", "final_D")
    moves = [_seen(row) for row in rows if all(name in row for name in ends)]
    axes = Plane.around([(row[f"{turn}_J"], row[f"{turn}_D"]) for row in moves for turn in ("initial", "final")])
    base = alt.Chart(data([{**row, **_heading(row, axes)} for row in moves]))
    look = _look(moves)
    line = {"color": look["color"], "opacity": faded()}
    dot = {**look, "opacity": faded(), "tooltip": _review_tips()}
    heads = base.transform_filter("datum.moved").mark_point(shape=_HEAD, filled=True, size=150)
    layers = [
        *axes.shade(),
        base.mark_rule(strokeWidth=2).encode(x2="final_J:Q", y2="final_D:Q", **axes.at(*ends[:2]), **line),
        heads.encode(angle=alt.Angle("heading:Q", scale=None), **axes.at("middle_J", "middle_D"), **line),
        base.mark_point(filled=False, size=70, strokeWidth=2).encode(**axes.at(*ends[:2]), **dot),
        base.mark_point(filled=True, size=90).encode(**axes.at(*ends[2:]), **dot),
        *axes.names(moves, "final_J", "final_D"),
    ]
    return [panel(*layers, width=WIDTH, height=HEIGHT, description=description)]


def _review_tips() -> list[alt.Tooltip]:
    turns = [(f"{turn}_{name}", f"{name} {turn}", ".1f") for name in "JD" for turn in ("initial", "final")]
    return tips(("who", "model", ""), *turns, ("dJ", "dJ", "+.1f"), ("dD", "dD", "+.1f"))


def _heading(row: Flat, axes: Plane) -> Flat:
    """Where the arrowhead of a move sits, and its angle clockwise from upwards."""
    start = axes.pixels(row["initial_J"], row["initial_D"])
    end = axes.pixels(row["final_J"], row["final_D"])
    middle = axes.values((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    angle = math.degrees(math.atan2(end[0] - start[0], end[1] - start[1]))
    moved = math.dist(start, end) >= _SHORTEST
    return {"middle_J": middle[0], "middle_D": middle[1], "heading": rounded(angle), "moved": moved}


def _seen(row: Flat) -> Flat:
    return {**row, "shown": _SOURCES[row["source"]][0]}


def _look(rows: Sequence[Flat]) -> dict[str, Any]:
    """Colour and shape by source, of the sources that occur."""
    used = [_SOURCES[source] for source in _SOURCES if any(row["source"] == source for row in rows)]
    shape = alt.Scale(domain=[name for name, _, _ in used], range=[shape for _, _, shape in used])
    colours = {name: colour for name, colour, _ in used}
    return {"color": palette("shown", colours), "shape": alt.Shape("shown:N", scale=shape)}
