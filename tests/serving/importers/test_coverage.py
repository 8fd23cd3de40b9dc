"""What a cost table needs to be measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.errors import InputError
from proctor.serving.importers.additive import derive
from proctor.serving.importers.coverage import check_coverage
from proctor.serving.importers.llmservingsim import lookup_costs
from proctor.serving.importers.models import model_from_config

FULL = [
    *((0, 0, n, kv) for n in (1, 64) for kv in (16, 4096)),
    *((512, kv, 0, 0) for kv in (0, 1024)),
    *((512, 1024, n, kv) for n in (1, 64) for kv in (16, 4096)),
]


def test_a_profile_around_every_point_of_the_formulae_will_do():
    """Not exactly at them: between measured points the grid interpolates."""
    check_coverage(FULL, Path("a.csv"), 32, 512, 1024)


@pytest.mark.parametrize(
    ("lost", "message"),
    [
        (lambda p: not p[0] and p[2] == 64, "missing decode rows with n_decode up to and from 32 on$"),
        (lambda p: not p[0] and p[3] == 16, "missing decode rows at two or more values of kv_decode$"),
        (lambda p: not p[2] and p[1] == 0, "missing prefill rows at two or more values of kv_prefill$"),
        (lambda p: not p[2] and p[1] == 1024, "kv_prefill; prefill rows up to chunk 512 and kv 1024$"),
        (lambda p: p[0] and p[2] == 64, "missing mixed rows from chunk 512 and kv 1024 on, around n_decode 32$"),
        (lambda p: p[0] and p[2] and p[3] == 16, "missing mixed rows at two or more values of kv_decode$"),
    ],
)
def test_each_kind_of_row_is_missed_by_name(lost, message):
    """And nothing else is."""
    with pytest.raises(InputError, match=rf"a\.csv: too few measurements for a cost table; .*{message}"):
        check_coverage([point for point in FULL if not lost(point)], Path("a.csv"), 32, 512, 1024)


def test_without_mixed_steps_none_are_asked_for():
    """Vidur measures none."""
    check_coverage([point for point in FULL if not (point[0] and point[2])], Path("a.csv"), 32)


def test_a_bundle_cut_off_after_two_rows_gives_no_table(bundle, model_config):
    """It used to give one, extrapolated from nothing; the whole one gives a table."""
    model = model_from_config("tiny", model_config)
    assert derive(lookup_costs(bundle, model)).texts
    path = bundle / "tp1" / "attention.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:3]))
    with pytest.raises(InputError, match=r"attention\.csv: too few .* missing decode rows .*; prefill rows .*; mixed"):
        derive(lookup_costs(bundle, model))
