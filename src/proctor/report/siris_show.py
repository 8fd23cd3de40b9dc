"""A problem, or all problems of a suite, printed for evaluators: predictions, the change, why the answer holds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from proctor.report.numbers import defined, number
from proctor.report.render import Table, one_line, show
from proctor.siris.problems.admission import CONFIRMATIONS
from proctor.siris.problems.difficulty import Difficulty, difficulty
from proctor.siris.problems.domain import Problem
from proctor.siris.problems.explanation import scale_for, signed
from proctor.siris.problems.portrait import Portrait
from proctor.siris.problems.suites import Suite

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

FORMAT_VERSION = 1
BAR = 44  # cells of the longest bar
STYLES = {"perturbed": ("yellow", "█", "#"), "reference": ("cyan", "▒", "=")}
WARNING = "This is the evaluator's view and gives answers away: keep it from models."


def show_problem(console: Console, seen: Portrait) -> None:
    """Everything about one problem."""
    problem, found = seen.problem, seen.difficulty
    _head(console, f"{problem.id} of {seen.suite}: {problem.outcome}, the answer is {problem.answer}")
    _say(
        console,
        [
            WARNING,
            f"Pair {problem.pair}, perturbation {problem.perturbation} of {problem.design_problem}; the recommendation "
            f"and the answer are the same on {seen.entry.confirmed} of {CONFIRMATIONS} further traces.",
            "",
            " ".join(problem.question.split()),
            "",
        ],
    )
    show(console, [_predictions(seen)], [])
    for bar in _bars(console, seen):
        console.print(bar, no_wrap=True, crop=True)
    _head(console, "Why")
    _say(console, seen.explanation)
    _head(console, "Difficulty")
    _say(
        console,
        [
            f"level {found.level}: shift / lead {number(found.shift_over_lead, places=2)} against rival {found.rival}, "
            f"tolerance {'without end' if math.isinf(found.tolerance) else f'{found.tolerance:.2f}'}",
            f"lead of the best over the second: perturbed {found.perturbed_margin_pct:.1f} %, reference "
            f"{found.reference_margin_pct:.1f} %",
        ],
    )
    _head(console, "What the perturbed simulator gets wrong")
    _say(console, seen.limitation.splitlines())
    console.print()
    for line in seen.diff.splitlines():  # code is not broken at words
        console.print(line, style=_diff_style(line), markup=False, highlight=False, soft_wrap=True)
    _head(console, "System and workload")
    _say(console, _facts("system", seen.entry.system))
    _say(console, _facts("workload", {**seen.entry.shared, **seen.entry.parameters}))
    _say(console, [_counted(name, counts, seen.requests) for name, counts in seen.kinds.items()])
    console.print()
    show(console, [_workload(seen)], [])


def show_suite(console: Console, suite: Suite) -> None:
    """One row per problem, with its answer."""
    confirmed = {entry.id: entry.confirmed for entry in suite.manifest.problems}
    rows = tuple((*_row(problem), str(confirmed[problem.id])) for problem in suite.problems)
    columns = (
        "problem", "pair", "outcome", "perturbation", "recommended", "answer",
        "lead % perturbed", "lead % reference", "shift/lead", "level", "confirmed",
    )  # fmt: skip
    notes = [
        WARNING,
        "lead: of the best design over the second best, under each simulator. shift/lead: how far the change moves the "
        "recommended design against its rival, over the lead that it has; above 1 the rival overtakes.",
        f"confirmed: on how many of {CONFIRMATIONS} further traces both simulators recommend the same again.",
        "one problem in full: proctor siris show PROBLEM",
    ]
    show(console, [Table(f"Problems of {suite.name} and their answers", columns, rows, labels=6)], notes)


def problem_json(seen: Portrait) -> str:
    """Return one JSON object; metrics are in the domain's own unit, `scale` says how the text writes them."""
    problem = seen.problem
    return _json(
        {
            "version": FORMAT_VERSION,
            "suite": seen.suite,
            **_facts_json(problem, seen.difficulty),
            "question": problem.question,
            "confirmed": seen.entry.confirmed,
            "confirmations": CONFIRMATIONS,
            "scale": asdict(seen.scale),
            "explanation": seen.explanation,
            "limitation": seen.limitation,
            "diff": seen.diff,
            "system": seen.entry.system,
            "workload": {
                "requests": seen.requests,
                "parameters": {**seen.entry.shared, **seen.entry.parameters},
                "ranges": {name: asdict(of) for name, of in seen.ranges.items()},
                "kinds": seen.kinds,
            },
        }
    )


def suite_json(suite: Suite) -> str:
    """Return one JSON object with every problem's facts, its answer among them."""
    problems = [_facts_json(p, difficulty(p.perturbed, p.reference)) for p in suite.problems]
    return _json({"version": FORMAT_VERSION, "suite": suite.name, "digest": suite.digest, "problems": problems})


def _facts_json(problem: Problem, found: Difficulty) -> dict[str, Any]:
    names = ("id", "pair", "outcome", "perturbation", "design_problem", "labels", "presented", "answer")
    return {
        **{name: getattr(problem, name) for name in names},
        "perturbed": problem.perturbed,
        "reference": problem.reference,
        "difficulty": {**asdict(found), "level": found.level},
    }


def _json(report: Mapping[str, Any]) -> str:
    """A tolerance without end, which JSON cannot say, is null."""
    return json.dumps(defined(report), indent=1, allow_nan=False)


def _row(problem: Problem) -> tuple[str, ...]:
    found = difficulty(problem.perturbed, problem.reference)
    return (
        problem.id,
        problem.pair,
        problem.outcome,
        problem.perturbation,
        *(f"{label} {problem.labels[label]}" for label in (problem.presented, problem.answer)),
        f"{found.perturbed_margin_pct:.1f}",
        f"{found.reference_margin_pct:.1f}",
        number(found.shift_over_lead, places=2),
        found.level,
    )


def _predictions(seen: Portrait) -> Table:
    problem, unit = seen.problem, seen.scale.unit
    rows = tuple(
        (
            f"{label} {design}",
            _role(problem, label),
            seen.scale.number(problem.perturbed[label]),
            seen.scale.number(problem.reference[label]),
            signed(seen.difficulty.effect_pct[label]),
        )
        for label, design in problem.labels.items()
    )
    columns = ("design", "", f"perturbed ({unit})", f"reference ({unit})", "effect %")
    return Table("Predicted target metric, the lower the better", columns, rows)


def _role(problem: Problem, label: str) -> str:
    roles = (("recommended", problem.presented), ("answer", problem.answer))
    return ", ".join(role for role, at in roles if at == label)


def _bars(console: Console, seen: Portrait) -> Iterator[Text]:
    """Two bars a design, drawn in plain characters where the terminal knows no others."""
    from rich.text import Text

    problem = seen.problem
    longest = max(*problem.perturbed.values(), *problem.reference.values())
    width = max(len(design) for design in problem.labels.values())
    room = min(BAR, console.width - width - len("    reference  " + seen.scale.amount(longest) + " < best") - 4)
    for label, design in problem.labels.items():
        for version, values in (("perturbed", problem.perturbed), ("reference", problem.reference)):
            color, full, plain = STYLES[version]
            cells = max(1, round(room * values[label] / longest))
            best = values[label] == min(values.values())
            name = f"{label} {design}" if version == "perturbed" else ""
            yield Text.assemble(
                f"  {name:<{width + 2}}  {version} ",
                ((plain if console.options.ascii_only else full) * cells, color),
                f" {seen.scale.amount(values[label])}",
                (" < best" if best else "", "bold"),
            )


def _workload(seen: Portrait) -> Table:
    """Times carry their unit; a total is shown where one makes sense."""
    rows = []
    for name, of in seen.ranges.items():
        time = scale_for(of.highest, "ns") if name.endswith("_ns") else None
        numbers = (time.amount(number) if time else f"{number:,g}" for number in (of.lowest, of.median, of.highest))
        total = f"{of.total:,.0f}" if time is None and of.rows == seen.requests else ""
        rows.append((name, str(of.rows), *numbers, total))
    title = f"Workload: {seen.requests} rows; a list counts as the sum of its numbers"
    return Table(title, ("field", "rows", "lowest", "median", "highest", "total"), tuple(rows), labels=1)


def _facts(title: str, facts: Mapping[str, Any]) -> list[str]:
    return [f"{title}: {', '.join(f'{name} {_plain(value)}' for name, value in facts.items())}"]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _counted(name: str, counts: Mapping[str, int], rows: int) -> str:
    without = rows - sum(counts.values())
    said = [
        *(f"{text} in {count} rows" for text, count in counts.items()),
        *([f"absent in {without}"] if without else []),
    ]
    return f"{name}: {', '.join(said)}"


def _head(console: Console, text: str) -> None:
    console.print()
    console.print(one_line(text), style="bold", markup=False, highlight=False)


def _say(console: Console, lines: Sequence[str]) -> None:
    for line in lines:
        console.print(one_line(line), markup=False, highlight=False, soft_wrap=not console.is_terminal)


def _diff_style(line: str) -> str | None:
    if line.startswith(("---", "+++", "@@")):
        return "dim"
    return {"+": "green", "-": "red"}.get(line[:1])
