"""Cost tables, shipped and of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.errors import InputError
from proctor.serving import profiles

NAMES = ("rtx4090-llama-3.1-8b", "rtxpro6000-llama-3.1-8b", "rtxpro6000-qwen3-30b-a3b")


def test_the_three_measured_profiles_ship():
    """One GPU and model each; the folder of model dimensions is none of them."""
    assert profiles.names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_profile_loads_and_prices_steps_plausibly(name):
    """64 decodes at 1000 cached tokens take 10 to 100 ms on these GPUs; more tokens never cost less."""
    table = profiles.load(name)
    decode = table.step([(1, 1000)] * 64)
    assert 10_000_000 < decode < 100_000_000
    assert decode < table.step([(1, 1000)] * 64 + [(512, 0)]) < table.step([(1, 2000)] * 64 + [(1024, 0)])


def test_an_unknown_profile_names_the_nearest():
    """Did you mean."""
    with pytest.raises(InputError, match=r"did you mean rtx4090-llama-3\.1-8b\?"):
        profiles.load("rtx4090-llama3.1-8b")


def test_a_name_like_no_other_lists_them_all():
    """Without a near match the choice is shown."""
    with pytest.raises(InputError, match=f"choose one of {', '.join(NAMES)}"):
        profiles.texts("tpu")
    with pytest.raises(InputError):
        profiles.provenance("models")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A shipped profile, copied to where a person might have one."""
    for name, text in profiles.texts(NAMES[0]).items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_folder_of_tables_is_a_profile_too(folder):
    """The same files, the same costs."""
    batch = [(1, 700), (300, 16)]
    assert profiles.load(str(folder)).step(batch) == profiles.load(NAMES[0]).step(batch)


@pytest.mark.parametrize(
    ("name", "find", "replacement", "message"),
    [
        ("attention.csv", "1+,2509", "1+,nan", "attention.csv line 3: 0: expected whole ns .* found 'nan'"),
        ("attention.csv", "1+,2509", "1+,-1", "line 3: 0: expected whole ns .* found '-1'"),
        ("attention.csv", "1+,2509", "1+,2.5", "line 3: 0: expected whole ns"),
        ("attention.csv", "1+,2509", f"1+,{'9' * 6000}", "line 3: 0: expected whole ns"),
        ("attention.csv", "1+,2509,", "1+,", "attention.csv line 3: 12 fields, the header has 13"),
        ("attention.csv", "1+,", "2,", r"first two rows to be 1 and 1\+, found \['1', '2'\]"),
        ("attention.csv", "\n64,", "\n16,", "attention.csv: query_tokens: expected 2 or more whole numbers that rise"),
        ("attention.csv", ",32,64,", ",64,32,", "attention.csv: the KV axis in line 1: expected"),
        ("attention.csv", ",32,64,", ",x,64,", "attention.csv: the KV axis in line 1: expected"),
        ("attention.csv", "query_tokens,0,", "query_tokens,1,", "the KV axis in line 1: .* that rise from 0"),
        ("head.csv", "\n1,", "\n0,", "head.csv: requests: .* that rise from 1"),
        ("linear.csv", "\n64,", "\n65,", "linear.csv: query_tokens: expected 1, 16, .* as in attention.csv"),
        ("linear.csv", ",ns\n", ",ns,ms\n", "linear.csv line 2: 2 fields, the header has 3"),
        ("head.csv", "\n4,", "\n2,", "head.csv: requests: expected 2 or more whole numbers that rise"),
        ("constants.csv", "host_ns", "host", "constants.csv: name: expected layers, launch_ns, host_ns once each"),
        ("constants.csv", "launch_ns", '"launch_ns\n"', "constants.csv line 4: expected no line break inside a field"),
        ("head.csv", "requests,", "requests\u2028,", "head.csv line 1: expected no line break inside a field"),
        ("head.csv", "requests,", f"{'r' * 200_000},", "head.csv line 1: not CSV"),
        ("constants.csv", "layers,32", "layers,0", "constants.csv: layers: expected 1 or more"),
    ],
)
def test_a_bad_table_is_one_line_that_names_file_and_place(folder, name, find, replacement, message):
    """NaN, negative, fractional and huge costs, ragged rows, axes that do not rise, missing constants."""
    path = folder / name
    text = path.read_text()
    assert find in text
    path.write_text(text.replace(find, replacement))
    with pytest.raises(InputError, match=message) as raised:
        profiles.load(str(folder))
    assert "\n" not in str(raised.value)


def test_a_missing_table_is_named(folder):
    """All four are needed."""
    (folder / "head.csv").unlink()
    with pytest.raises(InputError, match=r"head\.csv: cannot read it"):
        profiles.load(str(folder))


def test_an_empty_table_is_an_error(folder):
    """A header alone prices nothing."""
    (folder / "head.csv").write_text("requests,ns\n")
    with pytest.raises(InputError, match=r"head\.csv: holds no data row"):
        profiles.load(str(folder))
