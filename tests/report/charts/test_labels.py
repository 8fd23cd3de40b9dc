"""Names of points do not cover one another."""

from itertools import combinations

from proctor.report.charts.labels import LETTER, LINE, Box, place
from proctor.siris.verdict.published import published_models


def box(spot, name: str) -> Box:
    wide = LETTER * len(name)
    left = {"left": spot.x, "right": spot.x - wide, "center": spot.x - wide / 2}[spot.align]
    return Box(left, left + wide, spot.y - LINE / 2, spot.y + LINE / 2)


def test_the_papers_thirteen_models_are_all_readable():
    """Figure 4(b)'s crowd near J 50, D +50 is the hard case."""
    models = published_models()
    finals = [model.review.final for model in models]
    points = [(6.9 * (final.judgment - 10), 4.2 * (final.disposition + 50)) for final in finals]
    names = [f"{model.name} (paper)" for model in models]
    boxes = [box(spot, name) for spot, name in zip(place(points, names, (620, 420)), names, strict=True)]
    assert all(one.overlap(other) == 0 for one, other in combinations(boxes, 2))
    assert min(b.left for b in boxes) >= -1
    assert max(b.right for b in boxes) <= 621
    assert max(b.top for b in boxes) <= 428


def test_a_lone_name_stands_to_the_right_of_its_point_and_to_the_left_at_the_right_edge():
    assert place([(100, 100)], ["name"], (620, 420))[0].align == "left"
    assert place([(615, 100)], ["name"], (620, 420))[0].align == "right"
