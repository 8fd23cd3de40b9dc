"""The page in a real browser: Debian's Chromium, driven by Playwright, without network."""

import os
import shutil
from pathlib import Path

import pytest

from proctor.report.page import write_report

pytestmark = pytest.mark.slow

# Without these, Chromium looks for its maker's hosts at every start.
QUIET = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
HOSTILE = "<script>alert('model')</script>"


@pytest.fixture(scope="module")
def browser():
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is in the extra dev")
    chromium = os.environ.get("PROCTOR_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        pytest.skip("needs Chromium (Debian: apt-get install chromium), or PROCTOR_CHROMIUM naming one")
    with sync.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        yield running
        running.close()


@pytest.fixture(scope="module")
def path(rich_report, tmp_path_factory) -> Path:
    return write_report(rich_report, tmp_path_factory.mktemp("report"), published=True).page


@pytest.fixture
def open_page(browser, path):
    """Open the page; it must say nothing on its console and ask for nothing but itself."""
    said, asked, contexts = [], [], []

    def open_it(**settings):
        context = browser.new_context(**{"viewport": {"width": 1366, "height": 768}, **settings})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: said.append(f"dialog {dialog.message}"))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", timeout=60_000)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert said == []
    assert set(asked) == {path.as_uri()}


def test_every_figure_draws(open_page):
    page = open_page()
    charts = page.locator(".chart")
    assert charts.count() >= 10
    for i in range(charts.count()):
        chart = charts.nth(i)
        assert chart.get_attribute("data-drawn") == "yes", chart.get_attribute("data-figure")
        marks = chart.locator("svg .mark-rect path, svg .mark-symbol path").count()
        assert marks >= 2, chart.get_attribute("data-figure")
        box = chart.locator("svg").bounding_box()
        assert box["width"] > 250
        assert box["height"] > 50


def test_a_model_can_be_picked_and_the_others_fade(open_page):
    page = open_page()
    bars = page.locator("#judgment-by-condition svg .mark-rect path")
    count = bars.count()
    assert {bars.nth(i).get_attribute("opacity") for i in range(count)} == {"1"}
    page.select_option("#pick-model", HOSTILE)
    page.wait_for_function("document.querySelectorAll('#judgment-by-condition svg path[opacity=\"0.15\"]').length > 5")
    shown = [i for i in range(count) if bars.nth(i).get_attribute("opacity") == "1"]
    assert 0 < len(shown) < count
    assert page.locator("tr.other").count() > 10
    assert page.locator(f'tr[data-who="{HOSTILE}"].other').count() == 0
    page.select_option("#pick-condition", "perturbed")
    page.wait_for_function(
        "n => document.querySelectorAll('#judgment-by-condition .mark-rect path[opacity=\"1\"]').length < n",
        arg=len(shown),
    )


def test_a_mark_can_be_hovered_and_clicked(open_page):
    page = open_page()
    bar = page.locator("#judgment-by-condition svg .mark-rect path").first
    bar.scroll_into_view_if_needed()
    bar.hover()
    tip = page.locator("#vg-tooltip-element.visible")
    tip.wait_for()
    assert "95 % interval" in tip.inner_text()
    assert tip.locator("script").count() == 0
    bar.click()
    assert page.locator("#pick-model").input_value() != ""
    bar.click()
    assert page.locator("#pick-model").input_value() == ""


def test_a_table_sorts_by_number(open_page):
    page = open_page()
    table = page.locator("#table-judgment table")
    heading = table.get_by_role("button", name="J", exact=True)
    column = heading.evaluate("button => button.parentElement.cellIndex")

    def keys():
        return table.evaluate(f"table => [...table.tBodies[0].rows].map(row => row.cells[{column}].dataset.key)")

    heading.click()
    rising = [float(key) for key in keys() if key]
    assert rising == sorted(rising)
    heading.click()
    falling = [float(key) for key in keys() if key]
    assert falling == rising[::-1]


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_the_page_never_scrolls_sideways(open_page, width, height):
    page = open_page(viewport={"width": width, "height": height})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_main_result_is_on_the_first_screen_of_a_laptop(open_page):
    page = open_page()
    for row in page.locator(".findings tbody tr").all():
        box = row.bounding_box()
        assert box["y"] + box["height"] < 768


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_text_stands_out_in_light_and_dark_in_figures_too(open_page, scheme, dark):
    page = open_page(color_scheme=scheme)
    brightness = "element => getComputedStyle(element)[{0}].match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0) / 3"
    behind = page.locator("body").evaluate(brightness.format("'backgroundColor'"))
    label = page.locator("#judgment-by-condition svg .role-axis-label text").first
    ink = label.evaluate(brightness.format("'fill'"))
    assert (behind < 60, ink > 180) == (dark, dark)
    assert abs(behind - ink) > 150


def test_it_prints_in_light_colours_with_figures_no_wider_than_the_sheet(open_page):
    page = open_page(color_scheme="dark")
    printed = page.pdf(format="A4", print_background=True)
    assert printed.count(b"/Type /Page\n") > 3
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 690, "height": 1000})
    assert page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".picker").is_hidden()
    for svg in page.locator(".chart svg").all():
        assert svg.bounding_box()["width"] <= 691
