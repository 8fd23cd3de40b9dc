"""All tables and comparisons of a study of the paper's size: 6,786 conversations of thirteen models."""

from __future__ import annotations

from time import process_time

import pytest

from proctor.report.siris_report import make_report

CPU_S = 20


@pytest.mark.benchmark(timer=process_time, min_rounds=1, max_time=1)
def test_tables_and_comparisons_of_the_papers_study_take_under_twenty_seconds(benchmark, make_study):
    records = make_study()
    assert len(records) == 6786
    report = benchmark(make_report, records, published=True)
    assert len(report.table("compare_models").rows) == 3 * 13 * 12 / 2
    if benchmark.enabled:
        assert benchmark.stats["mean"] < CPU_S
