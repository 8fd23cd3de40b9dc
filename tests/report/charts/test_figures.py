"""Figures: what they draw from which numbers, and what they say where the numbers are missing."""

import json

import pytest

from proctor.report.charts.bars import conditions
from proctor.report.charts.decided import decided
from proctor.report.charts.figures import make_figures
from proctor.report.charts.files import pdf, svg
from proctor.report.charts.frame import Plane
from proctor.report.charts.rows import Names, flat
from proctor.report.siris_report import make_report
from proctor.siris.verdict.published import published_models

NAMES = [
    *("judgment-by-condition", "judgment-and-disposition", "review", "evidence-components"),
    *("decisions-after-identification", "instructed-inspection", "reach", "selection-loss"),
    *("judgment-by-difficulty", "judgment-by-perturbation"),
]


@pytest.fixture(scope="module")
def figures(rich_report):
    made = make_figures(rich_report.tables, rich_report.records, published=True)
    return {figure.name: figure for figure in made}


def values_of(chart) -> list[dict]:
    """Every row that a chart's layers carry."""
    found = []
    for layer in chart.layer:
        found += layer.data.values
    return found


def test_the_papers_figures_and_ours_come_in_reading_order(figures):
    assert list(figures) == NAMES
    assert [figure.paper for figure in figures.values() if figure.paper] == ["4a", "4b", "8", "5", "6", "7"]


def test_every_figure_has_its_data(figures):
    assert [name for name, figure in figures.items() if figure.missing or not figure.panels] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_valid_draws_and_says_itself_in_words(figures, name):
    """altair checks the specification against Vega-Lite's schema when it is written out."""
    figure = figures[name]
    drawn = svg(figure)
    assert drawn.count("<path") > 5
    assert "rule/test" in drawn
    assert "rule/test" in figure.description
    assert any(character.isdigit() for character in figure.description)
    assert figure.chart().to_dict()["params"] == [
        {"name": "picked", "value": ""},
        {"name": "picked_condition", "value": ""},
    ]


def test_a_name_is_text_in_a_drawing_never_markup(figures):
    drawn = svg(figures["judgment-by-perturbation"])
    assert "<script" not in drawn
    assert "&lt;script&gt;" in drawn


def test_the_same_figure_gives_the_same_bytes(figures):
    one, other = svg(figures["review"]), svg(figures["review"])
    assert one == other
    assert pdf(one) == pdf(other)
    assert pdf(one).startswith(b"%PDF-")
    assert b"LiberationSans" in pdf(one)


def test_a_figure_without_data_names_the_run_that_fills_it(make_record):
    report = make_report([make_record(f"p{i}", o) for i in range(3) for o in ("upheld", "overturned")])
    made = {figure.name: figure for figure in make_figures(report.tables, report.records)}
    assert made["judgment-and-disposition"].panels
    assert made["evidence-components"].panels == ()
    assert "proctor siris run --model MODEL --condition none --condition code" in made["evidence-components"].missing
    assert "--prompt instructed" in made["instructed-inspection"].missing
    assert "proctor siris annotate" in made["decisions-after-identification"].missing
    assert "tolerance" in made["judgment-by-difficulty"].caption
    assert "older logs" in made["judgment-by-difficulty"].missing


def test_published_rows_alone_draw_nothing(make_record):
    """Without a run of one's own the paper's rows would look like a result."""
    report = make_report([make_record(condition="none")], published=True)
    made = {figure.name: figure for figure in make_figures(report.tables, report.records, published=True)}
    assert not made["reach"].panels
    assert not made["decisions-after-identification"].panels


def test_the_perturbed_bar_is_half_of_each_accuracy_end_to_end():
    """GPT-6 Astra, Table 5: U 92, O 99, J 95 (rounded)."""
    row = {"who": "x", "source": "published", "none_J": 34, "reference_J": 100, "U": 92.0, "O": 98.9, "J": 95.4}
    [panel] = conditions([row], 25.0, "words")
    bars = [value for value in values_of(panel) if "part" in value and "beyond" not in value]
    assert [(bar["part"], bar["start"], bar["end"]) for bar in bars] == [
        ("no simulator", 0, 34),
        ("reference simulator", 0, 100),
        ("perturbed, from upheld", 0, 46.0),
        ("perturbed, from overturned", 46.0, 95.4),
    ]
    assert {"at": 25.0} in values_of(panel)


def test_intervals_are_drawn_where_there_are_any_and_only_there(figures):
    whiskers = [value for value in values_of(figures["judgment-by-condition"].panels[0]) if "low" in value]
    assert {value["source"] for value in whiskers} == {"measured"}
    assert {value["who"] for value in whiskers} == {"rule/test", "<script>alert('model')</script>"}


def test_all_thirteen_published_models_and_both_rules_stand_in_the_plane(figures):
    who = {row["who"] for row in figures["judgment-and-disposition"].rows}
    assert {f"{model.name} (paper)" for model in published_models()} | {"follow rule", "random choice"} < who


@pytest.mark.parametrize(("judgment", "edge"), [(50, 50), (80, 20), (30, 30), (100, 0)])
def test_what_no_accuracies_give_is_shaded(judgment, edge):
    """|D| <= J because O >= 0, and |D| <= 100 - J because U <= 100."""
    plane = Plane.around([(20.0, 45.0), (20.0, -45.0)])
    outline = [value for layer in plane.shade() for value in layer.data.values if "inner" in value]
    assert {value["inner"] for value in outline if value["J"] == judgment} == {edge, -edge}


def test_pixels_and_values_of_the_plane_are_inverse():
    plane = Plane.around([(47.0, 13.0)])
    assert plane.values(*plane.pixels(61.0, -7.0)) == (61.0, -7.0)


def test_decisions_after_identification_are_those_that_the_paper_prints():
    """Table 10 and the ends of Figure 6 were printed apart: together they must give each model's correct choices."""
    rows = decided([], Names(()), published=True)
    for model in published_models():
        mine = [row for row in rows if row["who"] == f"{model.name} (paper)"]
        correct = sum(row["count"] for row in mine if row["choice"] == "correct")
        assert correct == model.identification.correct
        assert sum(row["count"] for row in mine) == model.identification.identified


def test_decisions_count_identifying_conversations_by_kind_of_problem(make_record):
    records = [
        make_record("p1", "upheld", final="A", identified=True),
        make_record("p1", "overturned", final="B", identified=True),
        make_record("p2", "overturned", final="C", identified=True),
        make_record("p2", "upheld", final=None, identified=True),
        make_record("p3", "upheld", final="B", identified=False),
        make_record("p4", "upheld", final="B", identified=None),
    ]
    rows = decided(records, Names(("serving-test",)))
    assert {(row["outcome"], row["choice"]): row["count"] for row in rows} == {
        ("upheld", "correct"): 1,
        ("upheld", "no choice"): 1,
        ("overturned", "kept invalid"): 1,
        ("overturned", "third design"): 1,
    }


def test_a_legend_names_only_what_is_drawn(figures):
    drawn = json.dumps(figures["decisions-after-identification"].chart().to_dict())
    assert "third design" in drawn
    assert "no choice" not in drawn


def test_suites_are_named_where_there_are_several(make_record):
    one, other = make_record(), make_record(suite="other")
    assert {row["who"] for row in flat(make_report([one]).table("movement"), Names(("serving-test",)))} == {"rule/test"}
    report = make_report([one, other])
    names = Names.of(report.tables)
    assert {row["who"] for row in flat(report.table("movement"), names)} == {
        "rule/test, serving-test",
        "rule/test, other",
    }


def test_an_arrow_points_from_the_initial_to_the_final_choice(figures):
    """Grok 4.7 (Table 4) moves right and down: between 90 and 180 degrees from upwards."""
    moves = values_of(figures["review"].panels[0])
    [grok] = [move for move in moves if "heading" in move and move["who"] == "Grok 4.7 (paper)"][:1]
    assert grok["final_J"] > grok["initial_J"]
    assert grok["final_D"] < grok["initial_D"]
    assert 90 < grok["heading"] < 180


def test_a_specification_names_no_address(figures):
    text = json.dumps({**figures["judgment-by-condition"].chart().to_dict(), "$schema": ""})
    assert "http" not in text
    assert '"url"' not in text
