"""The simulator against a second one, written from the specification without a thought for speed.

The second one compares contents token by token instead of by key, keeps memory as a list that it searches, and finds
the next event by looking at all of them. Both are given the same random systems, workloads and policies; every step,
every time and every count must agree.
"""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import event, given, settings
from hypothesis import strategies as st

from proctor.serving.simulator.simulate import simulate
from proctor.serving.simulator.workload import from_rows


class Costs:
    """A step takes a while, longer with more tokens, requests and context; some steps end together."""

    def step(self, batch):
        return 50 + 3 * sum(q for q, _ in batch) + 7 * len(batch) + sum(q * kv for q, kv in batch) // 10


class Placement:
    """Moves decodes around by what is going on, so that a wrong count of anything shows."""

    def choose(self, replicas, source):
        busy = sum((r.active() + 2 * r.inbound) * (r.index + 1) for r in replicas)
        return (source + busy) % len(replicas)


class Router:
    """Sends requests around by queues and caches."""

    def choose(self, replicas, request, _now):
        views = [
            (r.cached_tokens(request.keys, request.prompt_tokens), r.active(), r.queued_tokens()) for r in replicas
        ]
        return sum((i + 1) * (cached + active + queued) for i, (cached, active, queued) in enumerate(views)) % len(
            replicas
        )


class Job:
    """A request, with every token of its prompt and output by name."""

    def __init__(self, row):
        self.row = row
        text = [(name, i) for name, count in row["prompt"] for i in range(count)]
        self.prompt = len(text)
        self.text = text + [("output of " + row["id"], i) for i in range(row["output_tokens"])]
        self.known, self.done, self.memory = self.prompt, 0, []
        self.hit = self.first = self.end = self.landed = None
        self.preemptions = 0


class Machine:
    """A replica. A block is a dict: its users, all tokens up to its end (None: not to be found), when it fell idle."""

    def __init__(self, index, naive):
        self.index, self.naive = index, naive
        self.blocks, self.waiting, self.running, self.step, self.inbound = [], [], [], [], 0

    def active(self):
        return len(self.waiting) + len(self.running)

    def queued_tokens(self):
        return sum(max(0, job.prompt - job.done) for job in self.waiting + self.running)

    def cached_tokens(self, _keys, tokens):
        """For the router, which is given the arriving request's keys."""
        job = self.naive.arriving
        assert tokens == job.prompt
        return 16 * len(self.present(job))

    def present(self, job):
        """The blocks that hold the beginning of a job's tokens, of several the one that was filled first."""
        found = []
        for end in range(16, job.known, 16):  # up to known - 1: a token is left to compute
            same = [b for b in self.blocks if b["text"] == job.text[:end]]
            if not same:
                break
            found.append(min(same, key=lambda b: b["filled"]))
        return found

    def room(self):
        return self.naive.config.kv_blocks - sum(1 for b in self.blocks if b["users"])

    def take(self, job):
        if len(self.blocks) < self.naive.config.kv_blocks:
            block = {}
            self.blocks.append(block)
        else:
            block = min((b for b in self.blocks if not b["users"]), key=lambda b: b["idle"])
        block.update(users=[job], text=None)
        job.memory.append(block)

    def give_back(self, job):
        for block in reversed(job.memory):
            block["users"] = [user for user in block["users"] if user is not job]
            block["idle"] = self.naive.tick()
        job.memory = []

    def plan(self):
        config, budget, preempted = self.naive.config, self.naive.config.max_num_batched_tokens, False
        for job in list(self.running):
            if budget == 0 or job not in self.running:
                break
            tokens = min(budget, self.naive.cap, job.known - job.done)
            missing = -((job.done + tokens) // -16) - len(job.memory)
            while self.room() < missing and job in self.running:
                last = self.running.pop()
                self.give_back(last)
                last.done, last.preemptions, preempted = 0, last.preemptions + 1, True
                self.waiting.insert(0, last)
            if job not in self.running:
                break
            budget -= self.put(job, tokens, missing)
        while self.waiting and budget and not preempted and len(self.running) < config.max_num_seqs:
            job = self.waiting[0]
            start = job.memory = [] if job.done else self.present(job)
            if self.room() - sum(1 for b in start if not b["users"]) < -(job.known // -16) - len(start):
                job.memory = []
                break
            for block in start:
                block["users"].append(job)
            job.done = job.done or 16 * len(start)
            job.hit = job.done if job.hit is None else job.hit
            self.running.append(self.waiting.pop(0))
            tokens = min(budget, self.naive.cap, job.known - job.done)
            budget -= self.put(job, tokens, -((job.done + tokens) // -16) - len(start))

    def put(self, job, tokens, missing):
        for _ in range(missing):
            self.take(job)
        self.step.append((job, tokens, job.done))
        job.done += tokens
        for i, block in enumerate(job.memory):
            if block["text"] is None and 16 * (i + 1) <= job.done:
                block.update(text=job.text[: 16 * (i + 1)], filled=self.naive.tick())
        return tokens


class Naive:
    """The whole system."""

    def __init__(self, config, costs, rows, design):
        self.config, self.costs, self.clock, self.steps, self.arriving = config, costs, 0, [], None
        self.cap = design.PREFILL_CHUNK_CAP or 10**9
        self.router, self.placement = design.Router(), design.Placement()
        self.machines = [Machine(i, self) for i in range(config.replicas)]
        self.jobs = [Job(row) for row in rows]
        self.requests = from_rows(rows)  # for the router only
        self.nic = [0] * config.replicas
        self.events = [(job.row["arrival_ns"], 2, self.tick(), i) for i, job in enumerate(self.jobs)]

    def tick(self):
        self.clock += 1
        return self.clock

    def run(self):
        while self.events:
            now = min(self.events)[0]
            touched = []
            while self.events and min(self.events)[0] == now:
                self.events.remove(this := min(self.events))
                machine = (self.end, self.land, self.arrive)[this[1]](this[3], now)
                touched += [machine] if machine not in touched else []
            for machine in touched:
                self.start(machine, now)
        return self.jobs

    def start(self, machine, now):
        if not machine.step:
            machine.plan()
            if machine.step:
                time = self.costs.step([(q, kv) for _, q, kv in machine.step])
                self.steps.append((machine.index, now, time, [(job.row["id"], q, kv) for job, q, kv in machine.step]))
                self.events.append((now + time, 0, self.tick(), machine.index))

    def end(self, index, now):
        machine = self.machines[index]
        step, machine.step = machine.step, []
        fresh = []
        for job, _, _ in step:
            if job.done == job.known:
                job.known += 1
                if job.first is None:
                    job.first = now
                    fresh.append(job)
                if job.known == len(job.text):
                    job.end = now
                    machine.give_back(job)
                    machine.running.remove(job)
        for job in fresh:
            if job.row.get("handoff") and job.end is None:
                self.move(machine, job, now)
        return machine

    def move(self, machine, job, now):
        target = self.placement.choose(self.machines, machine.index)
        if target != machine.index:
            machine.give_back(job)
            machine.running.remove(job)
            self.machines[target].inbound += 1
            takes = job.prompt * self.config.kv_bytes_per_token * 10**9 // self.config.nic_bytes_per_s
            self.nic[machine.index] = max(now, self.nic[machine.index]) + takes
            self.events.append((self.nic[machine.index], 1, self.tick(), (self.jobs.index(job), target)))

    def land(self, what, now):
        job, machine = self.jobs[what[0]], self.machines[what[1]]
        machine.inbound -= 1
        machine.waiting.append(job)
        job.landed = now
        return machine

    def arrive(self, i, now):
        self.arriving, pinned = self.jobs[i], self.jobs[i].row.get("replica")
        index = self.router.choose(self.machines, self.requests[i], now) if pinned is None else pinned
        self.machines[index].waiting.append(self.jobs[i])
        return self.machines[index]


@given(data=st.data())
@settings(deadline=None, max_examples=200)
def test_both_simulators_agree_on_every_step_and_every_request(systems, data):
    """Scheduling, memory, prefix reuse, preemption, routing views and KV transfers, down to the nanosecond."""
    config, rows = data.draw(systems)
    cap = data.draw(st.sampled_from([None, 5, 16, 24]))
    design = SimpleNamespace(Router=Router, Placement=Placement, PREFILL_CHUNK_CAP=cap)
    naive = Naive(config, Costs(), rows, design)
    jobs = naive.run()
    run = simulate(config, Costs(), from_rows(rows), design, record_steps=True)
    steps = [(s["step_on"], s["start_ns"], s["duration_ns"], [tuple(item) for item in s["items"]]) for s in run.steps]
    assert steps == naive.steps
    assert [
        (c.hit, c.first_ns, c.end_ns, c.preemptions, c.landed_ns if c.landed_ns >= 0 else None) for c in run.calls
    ] == [(j.hit, j.first, j.end, j.preemptions, j.landed) for j in jobs]
    event(f"preemptions: {min(3, sum(j.preemptions for j in jobs))}")
    event(f"transfers: {min(3, sum(j.landed is not None for j in jobs))}")
    event(f"hits: {min(3, sum(bool(j.hit) for j in jobs))}")
