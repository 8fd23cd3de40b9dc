"""The event loop."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .cache import blocks_for
from .config import Config
from .network import Network
from .replica import Call, Costs, Replica
from .workload import Request

STEP_END, LANDING, ARRIVAL = 0, 1, 2


@dataclass
class Run:
    """What happened: the calls in the order of the workload, and the executed steps if they were recorded."""

    calls: list[Call]
    step_count: int = 0
    steps: list[dict[str, Any]] = field(default_factory=list)


class Simulation:
    """Design: a module with Router (where a request goes), Placement (where it decodes) or PREFILL_CHUNK_CAP."""

    def __init__(
        self, config: Config, costs: Costs, requests: Sequence[Request], design: Any, record_steps: bool = False
    ) -> None:
        cap = getattr(design, "PREFILL_CHUNK_CAP", None)
        self.config = config
        self.replicas = [Replica(i, costs, config, cap) for i in range(config.replicas)]
        self.network = Network(config.nic_bytes_per_s)
        self.router = design.Router() if hasattr(design, "Router") else None
        self.placement = design.Placement() if hasattr(design, "Placement") else None
        self.record_steps = record_steps
        self.run_data = Run([Call(request) for request in requests])
        self.events: list[tuple[int, int, int, Any]] = []
        self.sequence = 0

    def push(self, time: int, kind: int, payload: Any) -> None:
        heapq.heappush(self.events, (time, kind, self.sequence, payload))
        self.sequence += 1

    def run(self) -> Run:
        handlers: list[Callable[[Any, int], int]] = [self.end_step, self.land, self.arrive]
        for call in self.run_data.calls:
            self.push(call.request.arrival_ns, ARRIVAL, call)
        events = self.events
        while events:
            now = events[0][0]
            touched: dict[int, None] = {}
            while events and events[0][0] == now:
                _, kind, _, payload = heapq.heappop(events)
                touched[handlers[kind](payload, now)] = None
            for index in touched:
                self.start_step(self.replicas[index], now)
        self.check()
        return self.run_data

    def arrive(self, call: Call, now: int) -> int:
        request = call.request
        if request.replica is not None:
            call.replica = request.replica
        elif self.router:
            call.replica = self.router.choose(self.replicas, request, now)
        else:
            call.replica = 0
        self.replicas[call.replica].waiting.append(call)
        return call.replica

    def start_step(self, replica: Replica, now: int) -> None:
        if replica.step:
            return
        step = replica.plan()
        if not step:
            return
        duration = replica.costs.step([(tokens, cached) for _, tokens, cached in step])
        self.run_data.step_count += 1
        if self.record_steps:
            items = [[call.request.id, tokens, cached] for call, tokens, cached in step]
            row = {"step_on": replica.index, "start_ns": now, "duration_ns": duration, "items": items}
            self.run_data.steps.append(row)
        self.push(now + duration, STEP_END, replica)

    def end_step(self, replica: Replica, now: int) -> int:
        for call in replica.finish_step(now):
            if self.placement and call.request.handoff and call.end_ns < 0:
                self.hand_off(replica, call, now)
        return replica.index

    def hand_off(self, replica: Replica, call: Call, now: int) -> None:
        """The prefill is done: move the KV state to where the call decodes."""
        assert self.placement
        target = self.placement.choose(self.replicas, replica.index)
        if target == replica.index:
            return
        replica.leave(call)
        self.replicas[target].inbound += 1
        call.source, call.replica, call.sent_ns = replica.index, target, now
        size = call.computed * self.config.kv_bytes_per_token
        self.push(self.network.send(replica.index, target, size, now), LANDING, call)

    def land(self, call: Call, now: int) -> int:
        call.landed_ns = now
        self.replicas[call.replica].inbound -= 1
        self.replicas[call.replica].waiting.append(call)
        return call.replica

    def check(self) -> None:
        """Every request finished, every block free again."""
        unfinished = [call.request.id for call in self.run_data.calls if call.end_ns < 0]
        if unfinished:
            raise RuntimeError(f"no progress for requests {', '.join(unfinished)}")
        for replica in self.replicas:
            if replica.pool.room() != replica.pool.capacity or replica.active() or replica.inbound:
                raise RuntimeError(f"replica {replica.index} did not give back all memory and calls")


def check_fits(config: Config, requests: Sequence[Request]) -> None:
    """Raise ValueError for a request that no replica could ever hold."""
    for request in requests:
        need = blocks_for(request.prompt_tokens + request.output_tokens - 1)
        if need > config.kv_blocks:
            raise ValueError(f"request {request.id} needs {need} KV blocks, a replica has {config.kv_blocks}")


def simulate(
    config: Config, costs: Costs, requests: Sequence[Request], design: Any = None, record_steps: bool = False
) -> Run:
    """Serve all requests under one design."""
    check_fits(config, requests)
    return Simulation(config, costs, requests, design, record_steps).run()
