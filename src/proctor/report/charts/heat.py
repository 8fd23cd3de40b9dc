"""A figure of coloured cells: judgment by perturbation."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from proctor.report.charts.parts import Chart, data, faded, models, panel, tips
from proctor.report.charts.rows import Flat, interval, whos
from proctor.report.charts.style import WIDTH

# Light to dark blue; cells carry their number, so colour says nothing alone.
SHADES = ("#f0f4fa", "#9fc3e6", "#2f6fae", "#0b3a6b")


def perturbations(rows: Sequence[Flat], description: str) -> list[Chart]:
    """J of each model on the problems of each perturbation, with its interval. Rows hold `perturbation`, J, U, O."""
    cells = [_cell(row) for row in rows if "J" in row]
    columns = sorted({cell["perturbation"] for cell in cells})
    order = whos(cells)
    words = "split(datum.label, '_')"  # a line each
    axis = alt.Axis(title=None, labelAngle=0, labelExpr=words, domain=False, ticks=False)
    where = {"x": alt.X("perturbation:N", sort=columns, axis=axis), "y": models(order)}
    tooltip = tips(
        *(("who", "model", ""), ("perturbation", "perturbation", ""), ("J", "J", ".1f"), ("interval", "95 %", "")),
        *(("U", "U", ".1f"), ("O", "O", ".1f"), ("problems", "problems", "d")),
    )
    base = alt.Chart(data(cells))
    shade = alt.Color("J:Q", scale=alt.Scale(domain=[0, 100], range=list(SHADES)), legend=None)
    ink = alt.condition("datum.J > 60", alt.value("white"), alt.value("#111"))
    written = {"color": ink, "opacity": faded(), **where}
    layers = [
        base.mark_rect().encode(color=shade, opacity=faded(), tooltip=tooltip, **where),
        base.mark_text(dy=-6, fontSize=13).encode(text=alt.Text("J:Q", format=".0f"), **written),
        base.mark_text(dy=9, fontSize=10).encode(text="bounds:N", **written),
    ]
    return [panel(*layers, width=WIDTH, height=40 * len(order), description=description)]


def _cell(row: Flat) -> Flat:
    kept: Flat = {key: row[key] for key in ("who", "source", "perturbation", "J", "U", "O", "problems") if key in row}
    found = interval(row, "J")
    bounds = f"{found['low']:.0f} to {found['high']:.0f}" if "low" in found else ""
    return {**kept, "bounds": bounds, **found}
