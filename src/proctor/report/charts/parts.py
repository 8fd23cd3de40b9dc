"""What figures share: the marks of an interval, the axis of models, highlighting, and the theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from proctor.report.charts.rows import Flat
from proctor.report.charts.style import CONFIG, FAINT, INK

Chart = alt.LayerChart
"""What every figure's panels are: layers over one pair of axes."""

# The page sets these when a reader picks a model or a condition; empty picks all.
PICKED, PICKED_CONDITION = "picked", "picked_condition"
BY_MODEL = f"{PICKED} === '' || datum.who === {PICKED}"
BY_BOTH = f"({BY_MODEL}) && ({PICKED_CONDITION} === '' || datum.condition === {PICKED_CONDITION})"


def data(rows: Sequence[Flat]) -> alt.InlineData:
    return alt.InlineData(values=list(rows))


def faded(test: str = BY_MODEL, full: float = 1.0) -> Any:
    """Opacity of a mark: faint where another model, or condition, is picked."""
    return alt.condition(test, alt.value(full), alt.value(FAINT * full))


def models(order: Sequence[str]) -> alt.Y:
    """The axis of models, one band each."""
    axis = alt.Axis(title=None, domain=False, ticks=False, labelPadding=6)
    return alt.Y("who:N", sort=list(order), axis=axis, scale=alt.Scale(paddingInner=0.2, paddingOuter=0.1))


def percent_axis(field: str, title: str, domain: tuple[float, float] = (0, 100)) -> alt.X:
    step = 25 if domain[1] <= 110 else 50
    values = [value for value in range(-1000, 1001, step) if domain[0] <= value <= domain[1]]
    return alt.X(
        f"{field}:Q", title=title, scale=alt.Scale(domain=list(domain), nice=False), axis=alt.Axis(values=values)
    )


def palette(field: str, colours: Mapping[str, str], legend: bool = True) -> alt.Color:
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    return alt.Color(f"{field}:N", scale=scale, legend=alt.Legend() if legend else None)


def shapes(field: str, kinds: Sequence[str]) -> alt.Shape:
    """Shapes say again what colours say, for readers and printers that see no colour."""
    known = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
    return alt.Shape(f"{field}:N", scale=alt.Scale(domain=list(kinds), range=list(known[: len(kinds)])))


def line_at(value: float, axis: alt.X) -> alt.Chart:
    """A vertical line for a rule that needs no model: following always, or choosing at random. `axis` shows `at`."""
    line: alt.Chart = (
        alt.Chart(data([{"at": value}])).mark_rule(strokeDash=[4, 3], opacity=0.55, color=INK).encode(x=axis)
    )
    return line


def tips(*fields: tuple[str, str, str]) -> list[alt.Tooltip]:
    """Tooltips from (field, title, format); the format is empty for text."""
    return [
        alt.Tooltip(f"{field}:Q", title=title, format=form) if form else alt.Tooltip(f"{field}:N", title=title)
        for field, title, form in fields
    ]


def panel(*layers: alt.Chart, width: int, height: int, description: str) -> Chart:
    """Layers as one panel; rows that lack a field are simply not drawn."""
    return alt.LayerChart(layer=list(layers), width=width, height=height, description=description)


def themed(chart: Any) -> Any:
    """Add what stands once at the top of a specification: theme and what the page may pick."""
    picks = [alt.param(name=name, value="") for name in (PICKED, PICKED_CONDITION)]
    themed = chart.add_params(*picks)
    themed.config = CONFIG
    return themed


def beside(panels: Sequence[Chart], columns: int) -> Any:
    """Panels in one drawing, for a file."""
    return panels[0] if len(panels) == 1 else alt.concat(*panels, columns=columns)
