"""The chart of one problem for evaluators: predicted metric per design, perturbed against reference."""

from __future__ import annotations

from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from proctor.errors import InputError
from proctor.report.charts.style import BLUE, FONT, ORANGE
from proctor.report.files import write_whole
from proctor.report.numbers import number
from proctor.siris.problems.portrait import Portrait

FORMATS = ("svg", "png", "pdf", "html")
COLORS = {"perturbed": ORANGE, "reference": BLUE}


def check_plot(path: Path) -> None:
    """Raises InputError for a file that no chart can be written to, before anything is computed."""
    if path.suffix.removeprefix(".") not in FORMATS:
        raise InputError(f"{path}: a chart's name ends in one of .{', .'.join(FORMATS)}")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; make it first")


def save_chart(seen: Portrait, path: Path) -> None:
    """Write the chart in the format that the file's name says; HTML holds everything it needs."""
    check_plot(path)
    drawn = _drawn(problem_chart(seen), path.suffix.removeprefix("."))
    try:
        write_whole(path, lambda file: file.write(drawn))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error


def _drawn(chart: Any, form: str) -> bytes:
    more: dict[str, dict[str, Any]] = {"html": {"inline": True}, "png": {"ppi": 150}}
    file = BytesIO() if form in ("png", "pdf") else StringIO()
    chart.save(file, format=form, **more.get(form, {}))
    content = file.getvalue()
    return content.encode() if isinstance(content, str) else content


def problem_chart(seen: Portrait) -> Any:
    """An altair chart: two bars a design with their values; the lowest of each version is named."""
    import altair as alt

    problem, scale = seen.problem, seen.scale
    rows = [
        {
            "design": f"{label}  {design}",
            "simulator": version,
            "value": values[label] / scale.factor,
            "shown": scale.number(values[label]) + (" lowest" if values[label] == min(values.values()) else ""),
        }
        for label, design in problem.labels.items()
        for version, values in (("perturbed", problem.perturbed), ("reference", problem.reference))
    ]
    order = list(COLORS)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("design:N", title=None, axis=alt.Axis(labelLimit=260, ticks=False, domain=False, labelPadding=8)),
        yOffset=alt.YOffset("simulator:N", sort=order),
        x=alt.X("value:Q", title=f"predicted target metric ({scale.unit}), the lower the better"),
    )
    bars = base.mark_bar(tooltip=True).encode(
        color=alt.Color(
            "simulator:N",
            scale=alt.Scale(domain=order, range=list(COLORS.values())),
            legend=alt.Legend(orient="bottom", title=None),
        ),
    )
    values = base.mark_text(align="left", dx=5, font=FONT).encode(text="shown:N")
    return (
        (bars + values)
        .properties(width=480, height=alt.Step(20), title=_title(seen))
        .configure(font=FONT, background="white", padding=16)
        .configure_view(stroke=None)
        .configure_axis(gridColor="#e5e5e5", labelFontSize=12, titleFontSize=12, titleFontWeight="normal")
        .configure_legend(labelFontSize=12)
    )


def _title(seen: Portrait) -> Any:
    import altair as alt

    problem, found = seen.problem, seen.difficulty
    what = f"{problem.id} of {seen.suite}, {problem.perturbation}: recommended {problem.presented}"
    ratio = number(found.shift_over_lead, places=2)
    return alt.TitleParams(
        f"{what}, answer {problem.answer}",
        subtitle=f"{problem.outcome}; shift / lead {ratio} against {found.rival}; {found.level}",
        anchor="start",
        fontSize=14,
        subtitleFontSize=12,
        offset=12,
    )
