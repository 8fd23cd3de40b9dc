"""Figures as SVG and PDF, drawn offline by vl-convert."""

from __future__ import annotations

import json
from typing import Any

from proctor.report.charts.figures import Figure

VEGA_LITE = "6.4"  # of vl-convert's versions, the one that altair writes
_NO_ADDRESSES: list[str] = []


def svg(figure: Figure) -> str:
    """Draw a figure; the same figure gives the same bytes."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(_spec(figure), vl_version=VEGA_LITE, allowed_base_urls=_NO_ADDRESSES)
    return drawn


def pdf(drawn: str) -> bytes:
    """Turn a drawing into a PDF with its typeface embedded; the same drawing gives the same bytes."""
    import vl_convert

    made: bytes = vl_convert.svg_to_pdf(drawn)
    return made


def _spec(figure: Figure) -> dict[str, Any]:
    """On a page of paper ink is black."""
    chart: dict[str, Any] = figure.chart().to_dict()
    inked: dict[str, Any] = json.loads(json.dumps(chart).replace('"currentColor"', '"#1a1a1a"'))
    inked["config"]["background"] = "white"
    return inked
