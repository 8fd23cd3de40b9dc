"""Reading profile bundles, good and bad."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.errors import InputError
from proctor.serving.importers.bundle import open_bundle
from proctor.serving.importers.llmservingsim import lookup_costs
from proctor.serving.importers.models import model_from_config

BAD_FILES = [
    # file, text to find (None: append), replacement, expected message
    ("tp1/attention.csv", "time_us", "us", "attention.csv line 1: missing column time_us"),
    ("tp1/attention.csv", None, "1,2,3\n", "attention.csv line 22: 3 fields, the header has 5"),
    ("tp1/attention.csv", None, "16,0,1,16,nan\n", "line 22: time_us: expected a finite number, found 'nan'"),
    ("tp1/attention.csv", None, "16,0,1,16,inf\n", "line 22: time_us: expected a finite number"),
    ("tp1/attention.csv", None, "16,0,1,16,-3\n", "line 22: time_us: expected 0 or more, found '-3'"),
    ("tp1/attention.csv", None, "-16,0,1,16,3\n", "line 22: prefill_chunk: expected a whole number from 0"),
    ("tp1/attention.csv", None, f"{'9' * 5000},0,1,16,3\n", "line 22: prefill_chunk: expected a whole number"),
    ("tp1/attention.csv", None, "1.5,0,1,16,3\n", "line 22: prefill_chunk: expected a number, found '1.5'"),
    ("tp1/attention.csv", None, "2048,0,256,0,3\n", r"line 22: point \(2048, 0, 256, 0\) stands twice"),
    ("tp1/dense.csv", None, "embedding,1,3\n", "dense.csv line 20: point 1 stands twice"),
    ("tp1/dense.csv", None, f"{'e' * 200_000},7,3\n", "dense.csv line 20: not CSV"),
    ("tp1/dense.csv", None, ",7,3\n", "dense.csv line 20: layer: expected a name"),
    ("tp1/dense.csv", "down_proj", "up_proj", "layer down_proj of tiny was not profiled"),
    ("tp1/per_sequence.csv", "sampler", "sampling", "layer sampler of tiny was not profiled"),
    ("meta.yaml", "model: tiny/tiny", "name: tiny", "meta.yaml: model: field required"),
    ("meta.yaml", "model: tiny/tiny", "model: [", "meta.yaml.*not valid YAML"),
    ("meta.yaml", "variant: bf16", "engine_effective: {max_num_seqs: -1}", "engine_effective.max_num_seqs"),
]


@pytest.mark.parametrize(("name", "find", "replacement", "message"), BAD_FILES)
def test_a_bad_file_is_one_line_that_names_file_and_place(bundle, model_config, name, find, replacement, message):
    """Ragged rows, NaN, infinities, negative and huge numbers, missing columns and layers, duplicate points."""
    path = bundle / name
    text = path.read_text()
    path.write_text(text + replacement if find is None else text.replace(find, replacement))
    with pytest.raises(InputError, match=message) as raised:
        lookup_costs(bundle, model_from_config("tiny", model_config))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["meta.yaml", "tp1/dense.csv", "tp1/per_sequence.csv", "tp1/attention.csv"])
def test_a_missing_file_is_named(bundle, model_config, name):
    """Every table is needed."""
    (bundle / name).unlink()
    with pytest.raises(InputError, match=f"{Path(name).name}: no such file"):
        lookup_costs(bundle, model_from_config("tiny", model_config))


@pytest.mark.parametrize("name", ["tp1/dense.csv", "tp1/attention.csv"])
def test_an_empty_table_is_an_error(bundle, model_config, name):
    """A header alone is no measurement."""
    path = bundle / name
    path.write_text(path.read_text().splitlines()[0] + "\n")
    with pytest.raises(InputError, match="holds no data row"):
        lookup_costs(bundle, model_from_config("tiny", model_config))


def test_a_file_that_is_not_text_is_an_error(bundle):
    """A binary file is no CSV."""
    (bundle / "tp1" / "dense.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8 text"):
        open_bundle(bundle).dense(1)


def test_a_degree_that_was_not_profiled_names_those_that_were(bundle):
    """The message helps to choose."""
    with pytest.raises(InputError, match="degree 4 was not profiled; the bundle holds tp1"):
        open_bundle(bundle).dense(4)


def test_a_path_that_is_no_folder_says_what_was_expected(tmp_path):
    """The usual first mistake."""
    with pytest.raises(InputError, match="expected a profile bundle"):
        open_bundle(tmp_path / "nowhere")


def test_skew_bounds_must_rise(bundle):
    """Buckets are intervals."""
    axes = ", ".join(
        f"{name}_bins: [0, {1 if name == 'kp' else 5}, 4], {name}_labels: [a, b]"
        for name in ("n", "skew_rate", "kv_big", "kp")
    )
    with (bundle / "meta.yaml").open("a") as meta:
        meta.write(f"skew_fit: {{enabled: true, bucket_axes: {{{axes}}}}}\n")
    with pytest.raises(InputError, match=r"skew_fit.bucket_axes.n_bins: value error, bounds must rise strictly"):
        open_bundle(bundle)
