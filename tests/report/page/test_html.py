"""The page: what it says in words, that it needs nothing else, and that nothing in it can act."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from proctor.report.charts.figures import make_figures
from proctor.report.charts.rows import Names
from proctor.report.numbers import Number
from proctor.report.page import words
from proctor.report.page.html import render
from proctor.report.siris_report import make_report


class Page(HTMLParser):
    """What a browser makes of the text: elements with their attributes, and the text of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.scripts: list[str] = []
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        if tag == self.inside:
            self.inside = ""

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def text(rich_report):
    return render(rich_report, make_figures(rich_report.tables, rich_report.records, published=True))


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_nothing_from_a_log_becomes_markup(text, page):
    """The report's model and note are scripts: the page has its three script elements and no more."""
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(&#39;model&#39;)&lt;/script&gt;" in text
    assert [script.get("type") for script in page.all("script")] == ["application/json", None, None]
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert "<script>alert('model')</script>" in {option["value"] for option in page.all("option")}
    specs = json.loads(page.scripts[0])
    assert "<script>alert('model')</script>" in json.dumps(specs)


def test_the_policy_allows_the_pages_own_two_scripts_and_no_address(page):
    [policy] = [meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    digests = {f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in page.scripts[1:]}
    assert set(rules["script-src"].split()) == digests
    assert rules["default-src"] == "'none'"
    assert "http" not in policy


def test_nothing_points_outside_the_folder(page):
    targets = [
        value for _, attributes in page.elements for name, value in attributes.items() if name in ("src", "href")
    ]
    assert targets
    assert all(re.match(r"#|figures/|tables/", target) for target in targets)


def test_every_figure_has_a_place_words_and_a_table_of_its_data(text, page, rich_report):
    figures = make_figures(rich_report.tables, rich_report.records, published=True)
    charts = [div for div in page.all("div") if div.get("class") == "chart"]
    assert len(charts) == sum(len(figure.panels) for figure in figures)
    assert all(chart["role"] == "img" and len(chart["aria-label"]) > 40 for chart in charts)
    assert text.count("<summary>Data of this figure</summary>") == len(figures)


def test_the_first_words_say_what_was_run_and_what_came_out(text):
    assert "2 models answered 12 problems (6 pairs) of serving-test under 7 evidence conditions, once each" in text
    assert text.index("What the numbers resolve".lower()) < text.index('id="figures"')


def test_what_was_left_out_and_noted_is_listed(text):
    assert "old.eval: status is error" in text
    assert "a note &lt;/script&gt;" in text


def test_tables_carry_what_to_sort_by(page):
    keys = [cell["data-key"] for cell in page.all("td") if cell.get("class") == "n" and "data-key" in cell]
    assert "" in keys  # a dash
    assert all(key == "" or float(key) is not None for key in keys)


def test_a_report_with_nothing_under_the_perturbed_simulator_says_so(make_record):
    report = make_report([make_record(condition="none")])
    text = render(report, make_figures(report.tables, report.records))
    assert "Nothing was run under the perturbed simulator" in text


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (50.1, 90, "Judges better than"),
        (20, 49.9, "Judges worse than"),
        (49.9, 60, "Not resolved whether it judges better"),
        (50, 60, "Not resolved whether it judges better"),
    ],
)
def test_judgment_is_told_from_the_follow_rule_by_the_interval_alone(low, high, said):
    assert words._against_following(Number(55, low, high)).startswith(said)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(1, 9, "Better on upheld"), (-9, -1, "Better on overturned"), (-1, 9, "Not resolved which kind")],
)
def test_disposition_is_told_from_zero_by_the_interval_alone(low, high, said):
    assert words._leaning(Number(2, low, high)).startswith(said)


def test_findings_are_the_perturbed_groups_best_first(rich_report):
    found = words.findings(rich_report, Names.of(rich_report.tables))
    standard = [f for f in found if f.prompt == "standard"]
    assert found[: len(standard)] == standard
    assert standard[0].judgment.estimate >= standard[1].judgment.estimate
    assert {f.who for f in found} == {"rule/test", "<script>alert('model')</script>"}


def test_only_measured_comparisons_are_called_unresolved(rich_report):
    lines = words.unresolved(rich_report.tables)
    assert lines
    assert all("not resolved" in line for line in lines)
    assert not any("GPT" in line for line in lines)
    assert "perturbed" in lines[0]


def test_conversations_without_a_score_are_noted(make_record):
    report = make_report(
        [make_record(), make_record(outcome="overturned", infrastructure_error="the provider is down")]
    )
    text = render(report, make_figures(report.tables, report.records))
    assert "1 of 2 assigned conversations are not scored" in text
