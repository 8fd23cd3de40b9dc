"""Where the names of points go, so that they overlap as little as possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

LETTER, LINE, GAP = 6.1, 14.0, 7.0


class Box(NamedTuple):
    """A rectangle in pixels, y upwards."""

    left: float
    right: float
    bottom: float
    top: float

    def overlap(self, other: Box) -> float:
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.top, other.top) - max(self.bottom, other.bottom)
        return wide * high if wide > 0 and high > 0 else 0.0


class Place(NamedTuple):
    """Where a name stands, in pixels, and which of its sides is there."""

    x: float
    y: float
    align: str


def place(
    points: Sequence[tuple[float, float]], names: Sequence[str], size: tuple[float, float], taken: Sequence[Box] = ()
) -> list[Place]:
    """Place each name near its point (pixels, y upwards), one after the other, where it covers least of what is there.

    Nearer places are taken first; a name prefers to stay inside the `size` of the plot.
    """
    boxes = [*taken, *(Box(x - GAP, x + GAP, y - GAP, y + GAP) for x, y in points)]
    found = []
    for (x, y), name in zip(points, names, strict=True):
        candidates = _candidates(x, y)
        best = min(candidates, key=lambda c: _cost(_box(c, name), boxes, size) + candidates.index(c))
        boxes.append(_box(best, name))
        found.append(best)
    return found


def _candidates(x: float, y: float) -> list[Place]:
    beside = [Place(x + GAP, y, "left"), Place(x - GAP, y, "right")]
    near = [*beside, Place(x, y + LINE, "center"), Place(x, y - LINE, "center")]
    rings = [
        Place(x + side * away, y + step * LINE, "left" if side > 0 else "right")
        for away in (GAP, 3 * GAP, 8 * GAP)
        for step in (1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7)
        for side in (1, -1)
    ]
    return near + rings


def _box(place: Place, name: str) -> Box:
    wide = LETTER * len(name)
    left = {"left": place.x, "right": place.x - wide, "center": place.x - wide / 2}[place.align]
    return Box(left, left + wide, place.y - LINE / 2, place.y + LINE / 2)


def _cost(box: Box, boxes: Sequence[Box], size: tuple[float, float]) -> float:
    inside = box.overlap(Box(0, size[0], 0, size[1]))
    outside = (box.right - box.left) * (box.top - box.bottom) - inside
    return 10 * outside + 5 * sum(box.overlap(other) for other in boxes)
