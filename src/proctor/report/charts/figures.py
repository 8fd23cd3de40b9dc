"""The figures of a siris report, in reading order: what each draws, what it says, and what would fill an empty one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proctor.report.charts import bars, dots, heat, planes
from proctor.report.charts.decided import decided
from proctor.report.charts.parts import Chart, beside, themed
from proctor.report.charts.rows import Flat, Names, flat, shares
from proctor.report.numbers import NumberTable
from proctor.siris.verdict.records import Record

RUN = "proctor siris run --model MODEL"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. `panels` is empty where the data are missing; `missing` then says which run brings them.

    Attributes:
        name: Stable; names files and the place in the page.
        paper: The paper's number of the figure, empty where the figure is ours.
        caption: What is drawn and how to read it.
        description: The same in words with the numbers, for readers who see no figure.
        rows: What is drawn, one dict per row.
        columns: How many panels stand beside one another.
        narrowest: Below this width in pixels a panel is scrolled, not squeezed.
    """

    name: str
    title: str
    caption: str
    paper: str = ""
    description: str = ""
    panels: tuple[Chart, ...] = ()
    rows: tuple[Flat, ...] = ()
    missing: str = ""
    columns: int = 1
    narrowest: int = 320

    def chart(self) -> Any:
        """All panels as one themed chart, for a file."""
        return themed(beside(self.panels, self.columns))


@dataclass(frozen=True, slots=True)
class Material:
    """What figures are made from. `chance` is J of random choice where it is the same for all."""

    tables: Mapping[str, NumberTable]
    records: tuple[Record, ...]
    names: Names
    published: bool
    chance: float | None

    def rows(self, table: str, **where: str) -> list[Flat]:
        """Rows of a table whose labels are as given."""
        found = flat(self.tables.get(table), self.names)
        return [row for row in found if all(row.get(name) == value for name, value in where.items())]


def make_figures(
    tables: Iterable[NumberTable], records: Iterable[Record] = (), *, published: bool = False
) -> list[Figure]:
    """Make every figure from a report's tables and records. `published`: the tables hold the paper's rows as well."""
    known = {table.name: table for table in tables}
    names = Names.of(known.values())
    chances = {row["J"] for row in flat(known.get("conditions"), names) if row["who"].startswith("random choice")}
    material = Material(known, tuple(records), names, published, chances.pop() if len(chances) == 1 else None)
    return [make(material) for make in _FIGURES]


def _conditions(material: Material) -> Figure:
    rows = material.rows("conditions")
    plain = Figure(
        "judgment-by-condition",
        "Judgment by condition",
        "J of the final choices without a simulator, under the reference simulator and under the perturbed one. The "
        "perturbed bar is split by kind of problem: upheld problems give U / 2, overturned ones O / 2. Whiskers are "
        "95 % intervals; the dashed line is random choice.",
        paper="4a",
        narrowest=340,
        missing=_needs("--condition none --condition perturbed --condition reference"),
    )
    said = _said(rows, {"none_J": "no simulator", "reference_J": "reference", "J": "perturbed"})
    return _drawn(plain, rows, lambda words: bars.conditions(rows, material.chance, words), f"J in percent. {said}")


def _plane(material: Material) -> Figure:
    rows = [row for row in material.rows("conditions") if "J" in row]
    plain = Figure(
        "judgment-and-disposition",
        "Judgment and disposition",
        "J to the right, D upwards, of the final choices under the perturbed simulator. Shaded: what no pair of "
        "accuracies can give. At the top of the open region: the follow rule (J 50, D +50). Lines are 95 % "
        "intervals of J and of D, each on its own, cut at the edge of the plot.",
        paper="4b",
        narrowest=560,
        missing=_needs("--condition perturbed"),
    )
    said = _said(rows, {"J": "J", "D": "D"})
    return _drawn(plain, rows, lambda words: planes.plane(rows, words), said)


def _review(material: Material) -> Figure:
    rows = material.rows("movement", condition="perturbed", prompt="standard")
    plain = Figure(
        "review",
        "Change through review",
        "From the initial choices (hollow) to the final ones (filled) under the perturbed simulator. An arrow's width "
        "is the change of J, its height the change of D. Table 4 says which changes are resolved.",
        paper="8",
        narrowest=560,
        missing=_needs("--condition perturbed"),
    )
    said = _said(rows, {"initial_J": "J initial", "final_J": "J final", "initial_D": "D initial", "final_D": "D final"})
    return _drawn(plain, rows, lambda words: planes.review(rows, words), said)


def _evidence(material: Material) -> Figure:
    rows = material.rows("components")
    plain = Figure(
        "evidence-components",
        "Evidence components",
        "J and D by what of the perturbed simulator's evidence is shown. Code: simulator code, cost parameters and "
        "configuration; both: execution records and predictions; code, correct: the reference simulator's code. "
        "Dashed: the follow rule at J 50, random choice, and D 0.",
        paper="5",
        missing=_needs("--condition none --condition code --condition code+records --condition code+predictions"),
        columns=2,
    )
    said = _said(rows, {"J": "J", "D": "D"}, "evidence")
    return _drawn(plain, rows, lambda words: dots.evidence(rows, material.chance, words), said)


def _decisions(material: Material) -> Figure:
    rows = decided(material.records, material.names, published=material.published)
    plain = Figure(
        "decisions-after-identification",
        "Decisions among responses that identify the limitation",
        "Final choices of the conversations whose limitation was identified, by an annotator that sees no label and no "
        "answer. Numbers at the ends count identifying conversations. No intervals: these are counts.",
        paper="6",
        missing="No annotations were read. First `proctor siris annotate LOGS --annotator MODEL`, then report again.",
    )
    said = "; ".join(f"{row['who']}, {row['outcome']}, {row['choice']}: {row['count']}" for row in rows if row["count"])
    return _drawn(plain, rows, lambda words: bars.decisions(rows, words), said)


def _prompts(material: Material) -> Figure:
    rows = _prompt_rows(material)
    plain = Figure(
        "instructed-inspection",
        "Standard and instructed prompt",
        "Under the perturbed simulator, with and without the instruction to read the simulator's code before "
        "recommending. The instruction suggests a mismatch, so the comparison does not isolate the effect of reading.",
        paper="7",
        missing=_needs("--condition perturbed --prompt instructed"),
        columns=2,
    )
    titles = {"reach": "read first", "identified": "identifying", "J": "J", "D": "D"}
    return _drawn(plain, rows, lambda words: dots.prompts(rows, words), _said(rows, titles, "series"))


def _prompt_rows(material: Material) -> list[Flat]:
    """Counts of Table 8 as percentages; J and D, measured with intervals, or from the counts that were published."""
    judged = {
        (row["who"], row["prompt"]): {key: value for key, value in row.items() if key.split("_")[0] in ("J", "D")}
        for row in material.rows("judgment", condition="perturbed")
    }
    found = []
    for row in material.rows("instructed"):
        counted = {**shares(row, "reach"), **shares(row, "identified")}
        both = judged.get((row["who"], row["inspection"])) if row["source"] == "measured" else _judged(row)
        about = {"who": row["who"], "source": row["source"], "series": row["inspection"]}
        found.append({**about, **counted, **(both or {})})
    return found


def _judged(row: Flat) -> Flat:
    upheld, overturned = shares(row, "U")["U"], shares(row, "O")["O"]
    return {"J": (upheld + overturned) / 2, "D": (upheld - overturned) / 2}


def _reach(material: Material) -> Figure:
    rows = [row for row in material.rows("reach") if any(key.startswith(("any_", "initial_")) for key in row)]
    plain = Figure(
        "reach",
        "Reading of the changed code",
        "Share of conversations in which a read returned, or a search matched, a line where the two simulators "
        "differ. The built-in rules read no code.",
        missing=_needs("--condition perturbed --condition reference"),
        columns=2,
    )
    titles = {"initial_perturbed": "first turn", "any_perturbed": "any turn"}
    return _drawn(plain, rows, lambda words: dots.reach(rows, words), _said(rows, titles))


def _loss(material: Material) -> Figure:
    rows = material.rows("wrong_choices", condition="perturbed", prompt="standard")
    rows = [row for row in rows if any(dots.loss_name(kind) in row for kind in dots.LOSSES)]
    plain = Figure(
        "selection-loss",
        "Selection loss of wrong choices",
        "How much worse the chosen design is than the best one under the reference simulator: the median over "
        "problems of each problem's median, by kind of error, with 95 % intervals.",
        missing=f"No wrong choice under the perturbed simulator was read. {_needs('--condition perturbed')}",
    )
    titles = {dots.loss_name(kind): kind for kind in dots.LOSSES}
    return _drawn(plain, rows, lambda words: dots.loss(rows, words), f"Loss in percent. {_said(rows, titles)}")


def _difficulty(material: Material) -> Figure:
    rows = material.rows("by_level", condition="perturbed", prompt="standard")
    plain = Figure(
        "judgment-by-difficulty",
        "Judgment against difficulty",
        "Difficulty is the tolerance of a problem: the factor by which a reader may missize the change's effect and "
        "still decide rightly. Hard: below 1.5; medium: below 3; easy: the rest, or the change favors the "
        "recommendation. A level with problems of one kind alone has no J and no D.",
        missing=f"No difficulty is known for what was read (older logs lack the predictions). "
        f"{_needs('--condition perturbed')}",
        columns=2,
    )
    said = _said(rows, {"J": "J", "D": "D"}, "difficulty")
    return _drawn(plain, rows, lambda words: dots.difficulty(rows, words), said)


def _perturbations(material: Material) -> Figure:
    rows = material.rows("by_perturbation", condition="perturbed", prompt="standard")
    plain = Figure(
        "judgment-by-perturbation",
        "Judgment by perturbation",
        "J on the problems of each perturbation, final choices under the perturbed simulator; below it the 95 % "
        "interval. Few pairs stand behind a cell: most differences between cells are not resolved.",
        missing=f"What was read holds one perturbation or none. {_needs('--condition perturbed')}",
    )
    said = _said(rows, {"J": "J"}, "perturbation")
    return _drawn(plain, rows, lambda words: heat.perturbations(rows, words), said)


_FIGURES: tuple[Callable[[Material], Figure], ...] = (
    *(_conditions, _plane, _review, _evidence, _decisions, _prompts, _reach, _loss, _difficulty, _perturbations),
)


def _needs(options: str) -> str:
    return f"Filled by `{RUN} {options}`."


def _drawn(plain: Figure, rows: Sequence[Flat], draw: Callable[[str], list[Chart]], said: str) -> Figure:
    """The figure with its panels; as it is, with what would fill it, where no measured row is at hand."""
    if not any(row["source"] == "measured" for row in rows):
        return plain
    words = f"{plain.title}. {said}"
    panels = tuple(draw(words))
    if not panels:
        return plain
    return replace(plain, panels=panels, rows=tuple(rows), description=words, missing="")


def _said(rows: Sequence[Flat], numbers: Mapping[str, str], series: str = "") -> str:
    """The figure in words: each row's numbers, one decimal."""
    lines = []
    for row in rows:
        values = [f"{title} {row[name]:.1f}" for name, title in numbers.items() if name in row]
        if values:
            lines.append(f"{row['who']}{', ' + row[series] if series else ''}: {', '.join(values)}")
    return "; ".join(lines)
