"""How all figures look: colours that colour-blind readers tell apart, one typeface, text in the colour of the page.

`currentColor` lets one drawing serve a light page, a dark page and paper. Text has one weight: with several faces
embedded, a PDF's bytes would differ from run to run.
"""

from __future__ import annotations

from typing import Any

INK = "currentColor"
# Mid-tones of Okabe and Ito's palette: at least 3:1 against white and against the dark page.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#2f7fc1", "#d55e00", "#00966e", "#b3589a", "#7f7f7f"

WIDTH = 620
FAINT = 0.15

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
_TEXT = {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        **_TEXT,
        **{"domainColor": INK, "tickColor": INK, "gridColor": INK, "domainOpacity": 0.5, "tickOpacity": 0.5},
        **{"gridOpacity": 0.12, "labelLimit": 230, "labelFontWeight": "normal"},
    },
    "legend": {
        **_TEXT,
        "orient": "top",
        "title": None,
        "columns": 4,
        "labelLimit": 260,
        "symbolSize": 90,
        "symbolOpacity": 1,
    },
    "title": {"color": INK, "fontSize": 13, "fontWeight": "normal", "anchor": "start"},
    "text": {"color": INK, "fontSize": 11},
    "rule": {"color": INK},
    "tick": {"color": INK},
}
"""Vega-Lite's config of every figure."""
