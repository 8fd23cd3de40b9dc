"""From a suite and a condition to what each conversation is given; shared by the Inspect task and the export."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from proctor.siris.problems.domain import Evidence, Problem
from proctor.siris.problems.suites import Suite
from proctor.siris.review.packet import Condition, Packet, build_packet, condition_named
from proctor.siris.review.prompts import Script, check_prompt, write_script


@dataclass(frozen=True)
class Brief:
    """What one conversation is given. Evidence is simulated when the packet is first asked for.

    `changed` holds the lines in which the simulator versions differ, None where the packet shows no code. It is only
    compared with what was read; no message contains it.
    """

    suite: Suite
    problem: Problem
    condition: Condition
    prompt: str

    @cached_property
    def evidence(self) -> Evidence:
        """Everything that the condition's simulator version yields; the packet shows a part of it."""
        return self.suite.evidence(self.problem, self.condition.version)

    @cached_property
    def packet(self) -> Packet:
        return build_packet(self.evidence, self.condition)

    @cached_property
    def script(self) -> Script:
        return write_script(self.problem.question, self.packet, self.condition, self.prompt)

    @property
    def changed(self) -> Mapping[str, frozenset[int]] | None:
        if not self.condition.shows("code"):
            return None
        return self.suite.changed_lines(self.problem, self.condition.version)


def briefs(suite: Suite, condition: str, prompt: str) -> dict[str, Brief]:
    """One brief per problem, by problem id; raises InputError for a condition or prompt that does not exist or fit."""
    shown = condition_named(condition)
    check_prompt(prompt, condition, shown)
    return {problem.id: Brief(suite, problem, shown, prompt) for problem in suite.problems}
