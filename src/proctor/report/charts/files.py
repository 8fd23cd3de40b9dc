"""Figures as SVG and PDF, drawn offline by vl-convert."""

from __future__ import annotations

import json
import re
from typing import Any

from proctor.report.charts.figures import Figure

VEGA_LITE = "6.4"  # of vl-convert's versions, the one that altair writes
_NO_ADDRESSES: list[str] = []
_CLIPS = re.compile(r'(?<=id=")clip\d+(?=")|(?<=url\(#)clip\d+(?=\))')
_RESOURCES = re.compile(rb"(?:^ +/\w+ \d+ 0 R\n){2,}", re.MULTILINE)


def svg(figure: Figure) -> str:
    """Draw a figure; the same figure gives the same bytes."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(_spec(figure), vl_version=VEGA_LITE, allowed_base_urls=_NO_ADDRESSES)
    return _numbered(drawn)


def _numbered(drawn: str) -> str:
    """Number clip paths from one: Vega counts them on from drawing to drawing."""
    order = {name: f"clip{i}" for i, name in enumerate(dict.fromkeys(_CLIPS.findall(drawn)), start=1)}
    return _CLIPS.sub(lambda found: order[found[0]], drawn)


def pdf(drawn: str) -> bytes:
    """Turn a drawing into a PDF with its typeface embedded; the same drawing gives the same bytes.

    vl-convert writes the entries of a dictionary of resources in any order. Sorting them moves no object, so the table
    of offsets stays true. (Names in scripts that Liberation Sans lacks bring in further typefaces, whose objects come
    in any order too: such a PDF is right, but its bytes may differ.)
    """
    import vl_convert

    made: bytes = vl_convert.svg_to_pdf(drawn)
    return _RESOURCES.sub(lambda entries: b"".join(sorted(entries[0].splitlines(keepends=True))), made)


def _spec(figure: Figure) -> dict[str, Any]:
    """On a page of paper ink is black."""
    chart: dict[str, Any] = figure.chart().to_dict()
    inked: dict[str, Any] = json.loads(json.dumps(chart).replace('"currentColor"', '"#1a1a1a"'))
    inked["config"]["background"] = "white"
    return inked
