"""Data-parallel replicas that step together, as the members of an expert-parallel group do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from proctor.serving.simulator.config import Config
from proctor.serving.simulator.replica import Replica
from proctor.serving.simulator.simulate import STEP_END, Simulation
from proctor.serving.simulator.workload import Request


class GroupCosts(Protocol):
    """Step costs that can also price a member of a group in lock step."""

    def step(self, batch: Sequence[tuple[int, int]]) -> int: ...

    def padded(self, batch: Sequence[tuple[int, int]], tokens: int) -> int: ...


class LockStep(Simulation):
    """Every step starts on all replicas at once and lasts as long as on the slowest.

    Each member runs its token-wise layers for as many tokens as the largest member has; one without work takes part
    with an empty batch. A request that arrives during a step waits for its end, on an idle member too.
    """

    def __init__(self, config: Config, costs: GroupCosts, requests: Sequence[Request], design: Any) -> None:
        super().__init__(config, costs, requests, design)
        self.group_costs = costs

    def start_step(self, replica: Replica, now: int) -> None:  # noqa: ARG002 - whichever member asks, all start
        if any(member.step for member in self.replicas):
            return
        batches = [[(tokens, cached) for _, tokens, cached in member.plan()] for member in self.replicas]
        if not any(batches):
            return
        largest = max(sum(tokens for tokens, _ in batch) for batch in batches)
        duration = max(self.group_costs.padded(batch, largest) for batch in batches if batch)
        self.run_data.step_count += 1
        for member in self.replicas:
            if member.step:
                self.push(now + duration, STEP_END, member)
