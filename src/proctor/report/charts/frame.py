"""The plane of judgment and disposition that two figures share: its axes, its unreachable part, names beside points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from proctor.report.charts.labels import Box, place
from proctor.report.charts.parts import data, faded
from proctor.report.charts.rows import Flat, rounded
from proctor.report.charts.style import INK, WIDTH

HEIGHT = 420
Align = Literal["left", "right", "center"]
_ALIGNS: tuple[Align, ...] = ("left", "right", "center")
_LONGEST, _FAR = 40, 30


@dataclass(frozen=True, slots=True)
class Plane:
    """J from `left` to 100, D from `low` to `high`, drawn WIDTH by HEIGHT pixels at the figure's own size."""

    left: float
    low: float
    high: float

    @classmethod
    def around(cls, points: Sequence[tuple[float, float]]) -> Plane:
        """Axes in steps of ten that hold every (J, D), the follow rule's J and the ideal point at (100, 0)."""
        left = min([50.0, *(x for x, _ in points)])
        low, high = min([0.0, *(y for _, y in points)]), max([0.0, *(y for _, y in points)])
        return cls(
            left=max(0.0, 10 * math.floor(left / 10) - 10),
            low=max(-50.0, 10 * math.floor(low / 10) - 10),
            high=min(50.0, 10 * math.ceil(high / 10) + 10),
        )

    def x(self, field: str) -> alt.X:
        scale = alt.Scale(domain=[self.left, 100], nice=False, zero=False)
        return alt.X(f"{field}:Q", title="Judgment J (%)", scale=scale, axis=alt.Axis(tickCount=10, tickMinStep=10))

    def y(self, field: str) -> alt.Y:
        scale = alt.Scale(domain=[self.low, self.high], nice=False, zero=False)
        signed = "datum.value === 0 ? '0' : format(datum.value, '+d')"
        title = "Disposition D (points); above 0: upheld problems go better"
        return alt.Y(
            f"{field}:Q", title=title, scale=scale, axis=alt.Axis(tickCount=10, tickMinStep=10, labelExpr=signed)
        )

    def at(self, x: str = "J", y: str = "D") -> dict[str, Any]:
        return {"x": self.x(x), "y": self.y(y)}

    def pixels(self, judgment: float, disposition: float) -> tuple[float, float]:
        """Pixels from the lower left corner, y upwards."""
        across, up = self._scales
        return (judgment - self.left) * across, (disposition - self.low) * up

    def values(self, x: float, y: float) -> tuple[float, float]:
        """The (J, D) that stands at these pixels."""
        across, up = self._scales
        return rounded(self.left + x / across), rounded(self.low + y / up)

    @property
    def _scales(self) -> tuple[float, float]:
        return WIDTH / (100 - self.left), HEIGHT / (self.high - self.low)

    def shade(self) -> list[alt.Chart]:
        """Shade |D| > min(J, 100 - J), which no accuracies give, and say so; draw D = 0 and the ideal point."""
        zero = alt.Chart(data([{"D": 0}])).mark_rule(opacity=0.4, color=INK).encode(y=self.y("D"))
        ideal = self._said("ideal", 0, -8)
        edges = [edge for edge in (self.low, self.high) if edge]
        said = [self._said("unreachable", edge, 10 if edge > 0 else -10) for edge in edges if abs(edge) >= 20]
        return [*(self._area(edge) for edge in edges), zero, ideal, *said]

    def _area(self, edge: float) -> alt.Chart:
        outline = [
            {"J": x, "inner": math.copysign(min(x, 100 - x, abs(edge)), edge), "edge": edge}
            for x in range(int(self.left), 101)
        ]
        area = alt.Chart(data(outline)).mark_area(color=INK, opacity=0.1)
        shaded: alt.Chart = area.encode(x=self.x("J"), y=self.y("inner"), y2="edge:Q")
        return shaded

    def _said(self, words: str, at: float, shift: float) -> alt.Chart:
        text = alt.Chart(data([{"J": 100, "D": at, "text": words}]))
        said: alt.Chart = text.mark_text(align="right", dx=-6, dy=shift, opacity=0.7).encode(text="text:N", **self.at())
        return said

    def names(self, rows: Sequence[Flat], judgment: str, disposition: str) -> list[alt.Chart]:
        """`who` of each row beside its point, in the plane's units: names move with it when it is resized."""
        points = [self.pixels(row[judgment], row[disposition]) for row in rows]
        shown = [_cut(row["who"]) for row in rows]
        zero = self.pixels(100, 0)[1]
        places = place(points, shown, (WIDTH, HEIGHT), [Box(WIDTH - 40, WIDTH, zero, zero + 18)])
        texts: list[Flat] = []
        for row, name, spot, point in zip(rows, shown, places, points, strict=True):
            x, y = self.values(spot.x, spot.y)
            far = math.dist(spot[:2], point) > _FAR
            text = {"who": row["who"], "name": name, "align": spot.align, "x": x, "y": y, "far": far}
            texts.append({**text, "J": row[judgment], "D": row[disposition]})
        far_ones = alt.Chart(data([text for text in texts if text["far"]])).mark_rule(strokeWidth=0.7)
        leaders: alt.Chart = far_ones.encode(x2="x:Q", y2="y:Q", opacity=faded(full=0.5), **self.at())
        return [leaders, *(self._written(texts, align) for align in _ALIGNS)]

    def _written(self, texts: Sequence[Flat], align: Align) -> alt.Chart:
        kept = alt.Chart(data([text for text in texts if text["align"] == align]))
        written: alt.Chart = kept.mark_text(align=align, baseline="middle").encode(
            text="name:N", opacity=faded(), **self.at("x", "y")
        )
        return written


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
