"""One replica: its queue, its running batch and the steps it plans."""

from collections import deque
from collections.abc import Sequence
from typing import Protocol

from .cache import BLOCK, BlockPool, blocks_for
from .config import Config
from .workload import Request


class Costs(Protocol):
    def step(self, batch: Sequence[tuple[int, int]]) -> int: ...


class Call:
    """A request in execution."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.keys = request.keys
        self.reached = request.prompt_tokens  # tokens known so far: prompt and generated ones
        self.goal = request.prompt_tokens + request.output_tokens
        self.computed = 0  # leading tokens whose KV is present or being computed
        self.blocks: list[int] = []
        self.published = 0  # leading blocks that can be found by key
        self.hit: int | None = None  # tokens credited when it was first scheduled
        self.preemptions = 0
        self.replica = self.source = -1
        self.sent_ns = self.landed_ns = self.first_ns = self.end_ns = -1


Step = list[tuple[Call, int, int]]  # call, query tokens, cached tokens


class Replica:
    def __init__(self, index: int, costs: Costs, config: Config, chunk_cap: int | None = None) -> None:
        self.index = index
        self.costs = costs
        self.pool = BlockPool(config.kv_blocks)
        self.max_tokens = config.max_num_batched_tokens
        self.max_seqs = config.max_num_seqs
        self.chunk_cap = chunk_cap or config.max_num_batched_tokens
        self.waiting: deque[Call] = deque()
        self.running: list[Call] = []
        self.inbound = 0  # calls on their way to this replica
        self.step: Step = []  # what it is executing

    # What a policy may look at.

    def active(self) -> int:
        """Waiting and running calls."""
        return len(self.waiting) + len(self.running)

    def queued_tokens(self) -> int:
        """Prompt tokens of its calls that no step has taken up yet."""
        calls = [*self.waiting, *self.running]
        return sum(max(0, call.request.prompt_tokens - call.computed) for call in calls)

    def cached_tokens(self, keys: Sequence[int], tokens: int) -> int:
        """How much of the first tokens of a sequence its cache holds, in tokens."""
        return min(self.pool.match(keys), (tokens - 1) // BLOCK) * BLOCK

    # Scheduling.

    def credit(self, call: Call) -> int:
        """Leading tokens that a call need not compute when it is admitted."""
        return self.cached_tokens(call.keys, call.reached)

    def plan(self) -> Step:
        """Form the next step."""
        self.step = []
        budget, complete = self.continue_running()
        while complete and budget and self.waiting and len(self.running) < self.max_seqs:
            call = self.waiting[0]
            tokens = self.admit(call, budget)
            if tokens == 0:
                break
            self.waiting.popleft()
            self.running.append(call)
            self.schedule(call, tokens)
            budget -= tokens
        return self.step

    def continue_running(self) -> tuple[int, bool]:
        """Schedule the running calls; returns the budget left and whether it went without preemption."""
        budget, cap, running = self.max_tokens, self.chunk_cap, self.running
        complete = True
        position = 0
        while budget and position < len(running):
            call = running[position]
            tokens = min(call.reached - call.computed, cap, budget)
            need = blocks_for(call.computed + tokens) - len(call.blocks)
            if need > 0:
                while self.pool.room() < need:
                    complete = False
                    if self.preempt(running.pop()) is call:
                        return budget, complete
                call.blocks += [self.pool.take() for _ in range(need)]
            self.schedule(call, tokens)
            budget -= tokens
            position += 1
        return budget, complete

    def preempt(self, call: Call) -> Call:
        """Give up the memory of a call; it starts over from the head of the queue."""
        self.pool.release(call.blocks)
        call.blocks, call.published, call.computed = [], 0, 0
        call.preemptions += 1
        self.waiting.appendleft(call)
        return call

    def admit(self, call: Call, budget: int) -> int:
        """Take memory for the first chunk of a call; returns its query tokens, 0 if the whole sequence does not fit."""
        present = [] if call.computed else self.pool.find(call.keys[: self.credit(call) // BLOCK])
        computed = call.computed or len(present) * BLOCK
        tokens = min(call.reached - computed, self.chunk_cap, budget)
        idle = sum(block in self.pool.idle for block in present)
        if self.pool.room() < blocks_for(call.reached) - len(present) + idle:
            return 0
        self.pool.share(present)
        fresh = blocks_for(computed + tokens) - len(present)
        call.blocks = present + [self.pool.take() for _ in range(fresh)]
        call.published = len(present)
        call.computed = computed
        if call.hit is None:
            call.hit = computed
        return tokens

    def schedule(self, call: Call, tokens: int) -> None:
        """Put a call into the step. Blocks that the step fills can be shared from its start."""
        self.step.append((call, tokens, call.computed))
        call.computed += tokens
        for i in range(call.published, call.computed // BLOCK):
            self.pool.publish(call.blocks[i], call.keys[i])
            call.published += 1

    def finish_step(self, now: int) -> list[Call]:
        """Account for the completed step; returns the calls that got their first token."""
        started = []
        for call, _, _ in self.step:
            if call.computed < call.reached:
                continue
            call.reached += 1
            if call.first_ns < 0:
                call.first_ns = now
                started.append(call)
            if call.reached == call.goal:
                call.end_ns = now
                self.leave(call)
        self.step = []
        return started

    def leave(self, call: Call) -> None:
        """The call gives back its blocks; their content stays in the cache."""
        self.running.remove(call)
        self.pool.release(call.blocks)
        call.blocks, call.published = [], 0
