"""Where the work of a search is done: on this machine's cores, or on a Ray cluster. Results come in the order of the
arguments, so that nothing depends on where or how fast they were made.
"""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Protocol

from proctor.errors import InputError, nearest


class Map(Protocol):
    """Calls a function, which must be importable by name, with each tuple of arguments."""

    def __call__(self, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]: ...


@contextmanager
def processes(workers: int | None = None) -> Iterator[Map]:
    """A pool of processes, by default one for each core; with one worker everything happens here."""
    workers = workers or os.cpu_count() or 1
    if workers == 1:
        yield lambda function, arguments: (function(*each) for each in arguments)
        return
    context = multiprocessing.get_context("spawn")  # the caller may have threads (progress bars)
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent) as pool:
        try:
            yield lambda function, arguments: pool.map(function, *zip(*arguments, strict=True))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _end_with_parent() -> None:
    """In a worker: end when the searching process ends, even by kill -9; otherwise the worker would wait for ever."""
    parent = multiprocessing.parent_process()
    assert parent

    def wait() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def ray_cluster(workers: int | None = None) -> Iterator[Map]:
    """The Ray cluster that RAY_ADDRESS names; without one, Ray starts on this machine.

    `workers` is the number of tasks at a time; by default as many as the cluster has CPUs. proctor must be installed in
    the same version on every machine.
    """
    try:
        ray: Any = import_module("ray")  # an extra: not there when types are checked
    except ImportError as error:
        raise InputError("--executor ray needs Ray: pip install 'proctor[ray]'") from error
    own = not ray.is_initialized()
    if own:
        here = None if os.environ.get("RAY_ADDRESS") else workers
        ray.init(num_cpus=here, log_to_driver=False, logging_level=logging.ERROR)
    limit = workers or int(ray.cluster_resources().get("CPU", 1))

    def spread(function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        remote = ray.remote(num_cpus=1)(function)
        waiting: list[Any] = []
        for each in arguments:
            if len(waiting) >= limit:
                yield ray.get(waiting.pop(0))
            waiting.append(remote.remote(*each))
        while waiting:
            yield ray.get(waiting.pop(0))

    try:
        yield spread
    finally:
        if own:
            ray.shutdown()


EXECUTORS = {"processes": processes, "ray": ray_cluster}


def executor(name: str, workers: int | None = None) -> Any:
    """The context manager of that name; raises InputError for an unknown one."""
    if name not in EXECUTORS:
        raise InputError(f"unknown executor {name!r}: {nearest(name, EXECUTORS)}")
    return EXECUTORS[name](workers)
