"""Makes a measured table rise along its axes while keeping its averages."""

from __future__ import annotations

from collections.abc import Sequence


def rising(values: Sequence[float]) -> list[float]:
    """The non-decreasing sequence closest to `values` in least squares (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in values:
        pools.append((value, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (high, many), (low, few) = pools[-2:]
            pools[-2:] = [((high * many + low * few) / (many + few), many + few)]
    return [mean for mean, size in pools for _ in range(size)]


def rising_table(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    """Rises along every row, then along every column. The second pass keeps the first, because `rising` keeps order."""
    columns = zip(*(rising(row) for row in rows), strict=True)
    return [list(row) for row in zip(*(rising(column) for column in columns), strict=True)]
