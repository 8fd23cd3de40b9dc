"""Figures in the plane of judgment and disposition: final choices (Figure 4b), review arrows (Figure 8)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

from proctor.report.charts.labels import Box, place
from proctor.report.charts.parts import Chart, data, faded, palette, panel, tips
from proctor.report.charts.rows import Flat, rounded
from proctor.report.charts.style import BLUE, GREY, INK, ORANGE, WIDTH

HEIGHT = 420
_HEAD = "M0,-1L0.7,0.9L0,0.5L-0.7,0.9Z"  # points upwards
SOURCES = {"measured": BLUE, "computed": ORANGE, "published": GREY}
_SHOWN = {"measured": "these runs", "computed": "rule", "published": "paper"}
_COLOURS = {_SHOWN[source]: colour for source, colour in SOURCES.items()}
Domain = tuple[float, float]


def plane(rows: Sequence[Flat], description: str) -> list[Chart]:
    """Figure 4(b): J and D of the final choices under the perturbed simulator, with 95 % intervals where there are any.

    Rows hold J and D. What no accuracies can give is shaded: |D| <= J and |D| <= 100 - J.
    """
    points = [_seen(row) for row in rows if "J" in row and "D" in row]
    across, up = _domains([(p["J"], p["D"]) for p in points])
    tooltip = tips(("who", "model", ""), ("J", "J", ".1f"), ("D", "D", "+.1f"), ("U", "U", ".1f"), ("O", "O", ".1f"))
    base = alt.Chart(data(points))
    layers = [
        *_shade(across, up),
        _bounds(points, "J", across, up),
        _bounds(points, "D", across, up),
        base.mark_point(filled=True, size=90).encode(
            x=_x("J", across), y=_y("D", up), color=_colour(points), shape=_shape(points), opacity=faded(), tooltip=tooltip
        ),
        *_names(points, ("J", "D"), across, up),
    ]
    return [panel(*layers, width=WIDTH, height=HEIGHT, description=description)]


def review(rows: Sequence[Flat], description: str) -> list[Chart]:
    """Figure 8: from the initial (hollow) to the final choice (filled) in the plane of J and D.

    Rows hold initial_J, initial_D, final_J, final_D.
    """
    ends = ("initial_J", "initial_D", "final_J", "final_D")
    moves = [_seen(row) for row in rows if all(name in row for name in ends)]
    both = [(row[f"{turn}_J"], row[f"{turn}_D"]) for row in moves for turn in ("initial", "final")]
    across, up = _domains(both)
    moves = [{**row, **_heading(row, across, up)} for row in moves]
    tooltip = tips(
        ("who", "model", ""),
        *((f"{turn}_{name}", f"{name} {turn}", ".1f") for name in "JD" for turn in ("initial", "final")),
        *((change, change, "+.1f") for change in ("dJ", "dD")),
    )
    base = alt.Chart(data(moves))
    colour, shape = _colour(moves), _shape(moves)
    dot = {"color": colour, "shape": shape, "opacity": faded(), "tooltip": tooltip}
    middle = base.transform_filter("datum.moved").mark_point(shape=_HEAD, filled=True, size=150)
    layers = [
        *_shade(across, up),
        base.mark_rule(strokeWidth=2).encode(
            x=_x("initial_J", across), x2="final_J:Q", y=_y("initial_D", up), y2="final_D:Q", color=colour, opacity=faded()
        ),
        middle.encode(
            x=_x("middle_J", across),
            y=_y("middle_D", up),
            angle=alt.Angle("heading:Q", scale=None),
            color=colour,
            opacity=faded(),
        ),
        base.mark_point(filled=False, size=70, strokeWidth=2).encode(x=_x("initial_J", across), y=_y("initial_D", up), **dot),
        base.mark_point(filled=True, size=90).encode(x=_x("final_J", across), y=_y("final_D", up), **dot),
        *_names(moves, ("final_J", "final_D"), across, up),
    ]
    return [panel(*layers, width=WIDTH, height=HEIGHT, description=description)]


def _seen(row: Flat) -> Flat:
    return {**row, "shown": _SHOWN[row["source"]]}


def _colour(rows: Sequence[Flat]) -> alt.Color:
    return palette("shown", {name: colour for name, colour in _COLOURS.items() if name in {r["shown"] for r in rows}})


def _shape(rows: Sequence[Flat]) -> alt.Shape:
    known = {"these runs": "circle", "rule": "square", "paper": "diamond"}
    used = {name: shape for name, shape in known.items() if name in {row["shown"] for row in rows}}
    return alt.Shape("shown:N", scale=alt.Scale(domain=list(used), range=list(used.values())))


def _domains(points: Sequence[tuple[float, float]]) -> tuple[Domain, Domain]:
    """Axes that hold every point and the ideal one at (100, 0), in steps of ten."""
    left = min([50.0, *(x for x, _ in points)])
    low, high = min([0.0, *(y for _, y in points)]), max([0.0, *(y for _, y in points)])
    across = (max(0.0, 10 * math.floor(left / 10) - 10), 100.0)
    return across, (max(-50.0, 10 * math.floor(low / 10) - 10), min(50.0, 10 * math.ceil(high / 10) + 10))


def _x(field: str, domain: Domain) -> alt.X:
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    return alt.X(f"{field}:Q", title="Judgment J (%)", scale=scale, axis=alt.Axis(tickCount=10))


def _y(field: str, domain: Domain) -> alt.Y:
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    signed = "datum.value === 0 ? '0' : format(datum.value, '+d')"
    title = "Disposition D (points); above 0: upheld problems go better"
    return alt.Y(f"{field}:Q", title=title, scale=scale, axis=alt.Axis(tickCount=10, labelExpr=signed))


def _shade(across: Domain, up: Domain) -> list[alt.Chart]:
    """Shade |D| > min(J, 100 - J), and say so; draw D = 0 and the ideal point."""
    edge = sorted({across[0], 50.0, *across} | {max(across[0], abs(bound)) for bound in up} | {100 - abs(b) for b in up})
    outline = [
        {"J": x, "inner": side * min(x, 100 - x), "outer": up[side > 0]}
        for side in (1, -1)
        for x in edge
        if across[0] <= x <= across[1] and side * min(x, 100 - x) * side <= abs(up[side > 0])
    ]
    areas = [
        alt.Chart(data([point for point in outline if (point["outer"] > 0) == above]))
        .mark_area(color=INK, opacity=0.1, clip=True)
        .encode(x=_x("J", across), y=_y("inner", up), y2="outer:Q")
        for above in (True, False)
    ]
    zero = alt.Chart(data([{"at": 0}])).mark_rule(opacity=0.4, color=INK).encode(y=_y("at", up))
    words = [{"J": 100, "D": 0, "text": "ideal"}]
    ideal = alt.Chart(data(words)).mark_text(align="right", dx=-4, dy=-8, opacity=0.7).encode(
        x=_x("J", across), y=_y("D", up), text="text:N"
    )
    said = [
        alt.Chart(data([{"J": 100, "D": bound, "text": "unreachable"}]))
        .mark_text(align="right", dx=-6, dy=10 if bound > 0 else -10, opacity=0.7)
        .encode(x=_x("J", across), y=_y("D", up), text="text:N")
        for bound in up
        if abs(bound) >= 20
    ]
    return [*areas, zero, ideal, *said]


def _bounds(points: Sequence[Flat], name: str, across: Domain, up: Domain) -> alt.Chart:
    """The interval of J across or of D upwards, cut at the edge of the plot."""
    low, high = f"{name}_low", f"{name}_high"
    edge = across if name == "J" else up
    cut = [
        {**p, low: max(edge[0], p[low]), high: min(edge[1], p[high])} for p in points if low in p and high in p
    ]
    rule = alt.Chart(data(cut)).mark_rule(strokeWidth=1.5)
    if name == "J":
        return rule.encode(x=_x(low, across), x2=f"{high}:Q", y=_y("D", up), color=_colour(points), opacity=faded(full=0.5))
    return rule.encode(x=_x("J", across), y=_y(low, up), y2=f"{high}:Q", color=_colour(points), opacity=faded(full=0.5))


def _heading(row: Flat, across: Domain, up: Domain) -> Flat:
    """Where the arrowhead of a move sits, and its angle clockwise from upwards as drawn at the figure's own size."""
    right = (row["final_J"] - row["initial_J"]) * WIDTH / (across[1] - across[0])
    rise = (row["final_D"] - row["initial_D"]) * HEIGHT / (up[1] - up[0])
    middle = {f"middle_{name}": rounded((row[f"initial_{name}"] + row[f"final_{name}"]) / 2) for name in "JD"}
    return {**middle, "heading": rounded(math.degrees(math.atan2(right, rise))), "moved": math.hypot(right, rise) > 24}


def _names(rows: Sequence[Flat], fields: tuple[str, str], across: Domain, up: Domain) -> list[alt.Chart]:
    """Names beside their points, in the plot's own units so that they move with it."""
    wide, high = WIDTH / (across[1] - across[0]), HEIGHT / (up[1] - up[0])
    points = [((row[fields[0]] - across[0]) * wide, (row[fields[1]] - up[0]) * high) for row in rows]
    ideal = Box(WIDTH - 40, WIDTH, -up[0] * high, -up[0] * high + 18)
    places = place(points, [row["who"][:40] for row in rows], (WIDTH, HEIGHT), [ideal])
    texts = [
        {
            **{"who": row["who"], "shown": row["shown"], "label": row["who"][:40], "align": spot.align},
            **{"x": rounded(across[0] + spot.x / wide), "y": rounded(up[0] + spot.y / high)},
            **{"at_x": row[fields[0]], "at_y": row[fields[1]], "far": math.dist(spot[:2], point) > 30},
        }
        for row, spot, point in zip(rows, places, points, strict=True)
    ]
    leaders = alt.Chart(data([text for text in texts if text["far"]])).mark_rule(strokeWidth=0.7)
    written = [
        alt.Chart(data([text for text in texts if text["align"] == align]))
        .mark_text(align=align, baseline="middle")
        .encode(x=_x("x", across), y=_y("y", up), text="label:N", opacity=faded())
        for align in ("left", "right", "center")
    ]
    return [leaders.encode(x=_x("at_x", across), x2="x:Q", y=_y("at_y", up), y2="y:Q", opacity=faded(full=0.5)), *written]
