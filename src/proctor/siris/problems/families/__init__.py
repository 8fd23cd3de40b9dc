"""Workload families of the serving domain: one module per design problem.

Each module has `frame(rng)` (system and sizes that the two workloads of a pair share), `propose(rng)` (parameters in
which they may differ) and `workload(frame, parameters, rng)` (the rows of workload.json). Ranges follow paper Tables 13
and 14.
"""
