"""Configurations and workloads that people write: sound ones are read, all others refused in one line."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import pytest

from proctor.errors import InputError
from proctor.serving import designs, files, profiles
from proctor.serving.simulator.config import Config

CONFIG = {"profile": "rtx4090-llama-3.1-8b", "kv_blocks": 2588}
ROW = {"id": "r0", "arrival_ns": 0, "prompt": [["doc", 32], ["u", 4]], "output_tokens": 3}
WORKLOAD = {"version": 1, "requests": [ROW]}
HUGE = b"9" * 5000


def one_row(**changes):
    """A workload of one row; None takes a field away."""
    return {"version": 1, "requests": [{k: v for k, v in {**ROW, **changes}.items() if v is not None}]}


def rows(*changes):
    return {"version": 1, "requests": [ROW | change for change in changes]}


@pytest.fixture
def write(tmp_path: Path):
    """Writes JSON, or bytes as they are, to a file and returns its path."""

    def to_file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    return to_file


def message_of(read, *arguments):
    """What the reader says in an InputError of one line; it starts with the path of the file."""
    with pytest.raises(InputError) as caught:
        read(*arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_configuration_has_defaults_for_all_but_profile_and_memory(write):
    """vLLM's defaults for the batch, 10 GbE for the network."""
    system = files.read_config(write("c.json", CONFIG))
    assert system.config == Config(1, 2588, 2048, 256, 1_250_000_000, 0, "e2e")
    assert system.costs.step([(1, 0)]) == profiles.load("rtx4090-llama-3.1-8b").step([(1, 0)])


def test_every_field_of_a_configuration_reaches_the_simulator(write):
    """None is dropped, none mixed up."""
    given = {"version": 1, "replicas": 3, "max_num_batched_tokens": 4, "max_num_seqs": 5}
    given |= {"nic_bytes_per_s": 6, "kv_bytes_per_token": 7, "metric": "ttft"}
    assert files.read_config(write("c.json", CONFIG | given)).config == Config(3, 2588, 4, 5, 6, 7, "ttft")


def test_a_workload_is_read_with_all_its_fields(write):
    """Order kept; options with their defaults."""
    a, b = files.read_workload(
        write("w.json", rows({}, {"id": "b", "arrival_ns": 9, "replica": 2, "measured": False, "handoff": True}))
    )
    assert (a.id, a.arrival_ns, a.prompt_tokens, a.output_tokens, a.prefix) == ("r0", 0, 36, 3, "doc")
    assert (a.replica, a.measured, a.handoff) == (None, True, False)
    assert (b.id, b.arrival_ns, b.replica, b.measured, b.handoff) == ("b", 9, 2, False, True)
    assert a.keys == b.keys[: len(a.keys)]


def test_a_byte_order_mark_is_no_error(write):
    """Some editors write one."""
    assert files.read_config(write("c.json", b"\xef\xbb\xbf" + json.dumps(CONFIG).encode())).config.kv_blocks == 2588
    assert len(files.read_workload(write("w.json", b"\xef\xbb\xbf" + json.dumps(WORKLOAD).encode()))) == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({}, "profile: Field required"),
        ({"profile": "rtx4090-llama-3.1-8b"}, "kv_blocks: Field required"),
        (CONFIG | {"version": 2}, "version: Input should be 1, found 2"),
        (CONFIG | {"kv_blocks": 0}, "kv_blocks: Input should be greater than 0, found 0"),
        (CONFIG | {"kv_blocks": -5}, "kv_blocks: Input should be greater than 0, found -5"),
        (CONFIG | {"kv_blocks": 10**8}, "kv_blocks: Input should be less than or equal to 10000000"),
        (CONFIG | {"kv_blocks": 2588.0}, "kv_blocks: Input should be a valid integer, found 2588.0"),
        (CONFIG | {"kv_blocks": "2588"}, "kv_blocks: Input should be a valid integer, found '2588'"),
        (CONFIG | {"kv_blocks": True}, "kv_blocks: Input should be a valid integer, found True"),
        (CONFIG | {"replicas": 0}, "replicas: Input should be greater than 0"),
        (CONFIG | {"replicas": 100_000}, "replicas: Input should be less than or equal to 1024"),
        (CONFIG | {"max_num_seqs": 0}, "max_num_seqs: Input should be greater than 0"),
        (CONFIG | {"max_num_batched_tokens": 0}, "max_num_batched_tokens: Input should be greater than 0"),
        (CONFIG | {"nic_bytes_per_s": 0}, "nic_bytes_per_s: Input should be greater than 0"),
        (CONFIG | {"nic_bytes_per_s": 10**400}, "nic_bytes_per_s: Input should be less than or equal to"),
        (CONFIG | {"kv_bytes_per_token": -1}, "kv_bytes_per_token: Input should be greater than or equal to 0"),
        (CONFIG | {"metric": "e2"}, "metric: Input should be 'e2e' or 'ttft', found 'e2'"),
        (CONFIG | {"kv_block": 5}, "kv_block: unknown field, did you mean kv_blocks?"),
        (CONFIG | {"profile": ""}, "profile: String should have at least 1 character"),
        (CONFIG | {"profile": "rtx4090-llama"}, "profile: unknown cost profile .* did you mean rtx4090-llama-3.1-8b?"),
        (CONFIG | {"profile": "no/such/folder"}, "profile: unknown cost profile .*or give a folder of cost tables"),
        (CONFIG | {"profile": "x" * 5000}, "profile: unknown cost profile"),
        (CONFIG | {"profile": "a\0b"}, "profile: unknown cost profile"),
        (b'{"profile": "rtx4090-llama-3.1-8b", "kv_blocks": NaN}', "kv_blocks: Input should be a valid integer"),
        (b'{"profile": "rtx4090-llama-3.1-8b", "kv_blocks": Infinity}', "kv_blocks: Input should be a valid integer"),
        (b'{"profile": "rtx4090-llama-3.1-8b", "kv_blocks": 1e400}', "kv_blocks: Input should be a valid integer"),
        (b'{"profile": "p", "kv_blocks": ' + HUGE + b"}", "Invalid JSON: number out of range at line 1"),
        (b'{"profile": "rtx4090-llama-3.1-8b", "kv_blocks": 5, "kv_blocks": 6}', "kv_blocks: given twice"),
        ([CONFIG], "Input should be an object"),
    ],
)
def test_a_bad_configuration_names_file_and_field(write, content, says):
    """Missing, negative, fractional, quoted, true, huge, not a number, unknown, twice."""
    path = write("c.json", content)
    message = message_of(files.read_config, path)
    assert message.startswith(f"{path}: ")
    assert re.search(says, message)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (one_row(id=None), r"requests\.0\.id: Field required"),
        (one_row(arrival_ns=None), r"requests\.0\.arrival_ns: Field required"),
        (one_row(prompt=None), r"requests\.0\.prompt: Field required"),
        (one_row(output_tokens=None), r"requests\.0\.output_tokens: Field required"),
        ({"requests": [ROW]}, "version: Field required"),
        ({"version": 1}, "requests: Field required"),
        ({"version": 2, "requests": [ROW]}, "version: Input should be 1, found 2"),
        ({"version": 1, "requests": []}, "requests: List should have at least 1 item"),
        (one_row(arrival_ns=-1), r"requests\.0\.arrival_ns: Input should be greater than or equal to 0, found -1"),
        (one_row(arrival_ns=10**30), r"requests\.0\.arrival_ns: Input should be less than or equal to"),
        (one_row(output_tokens=0), r"requests\.0\.output_tokens: Input should be greater than 0"),
        (one_row(output_tokens=True), r"requests\.0\.output_tokens: Input should be a valid integer, found True"),
        (one_row(output_tokens=1.0), r"requests\.0\.output_tokens: Input should be a valid integer, found 1\.0"),
        (one_row(prompt=[]), r"requests\.0\.prompt: List should have at least 1 item"),
        (one_row(prompt=[["doc"]]), r"requests\.0\.prompt\.0\.1: Field required"),
        (one_row(prompt=[["doc", 3, 4]]), r"requests\.0\.prompt\.0: Tuple should have at most 2 items"),
        (one_row(prompt=[["doc", 0]]), r"requests\.0\.prompt\.0\.1: Input should be greater than 0"),
        (one_row(prompt=[["doc", "3"]]), r"requests\.0\.prompt\.0\.1: Input should be a valid integer, found '3'"),
        (one_row(prompt=[["doc", True]]), r"requests\.0\.prompt\.0\.1: Input should be a valid integer, found True"),
        (one_row(prompt=[["", 3]]), r"requests\.0\.prompt\.0\.0: String should have at least 1 character"),
        (one_row(prompt=[[5, 3]]), r"requests\.0\.prompt\.0\.0: Input should be a valid string"),
        (one_row(prompt="hello"), r"requests\.0\.prompt: Input should be a valid (list|array), found 'hello'"),
        (one_row(replica=-1), r"requests\.0\.replica: Input should be greater than or equal to 0"),
        (one_row(measured=1), r"requests\.0\.measured: Input should be a valid boolean, found 1"),
        (one_row(measured=False), "requests: none is measured"),
        (one_row(output_token=3), r"requests\.0\.output_token: unknown field, did you mean output_tokens\?"),
        ({"version": 1, "request": []}, "requests: Field required|request: unknown field"),
        (rows({}, {}), r"requests\.1\.id: 'r0' is used twice"),
        (rows({"arrival_ns": 5}, {"id": "b"}), r"requests\.1\.arrival_ns: earlier than the request before it; sort"),
        (rows({}, {"id": "b", "prompt": [["d", 10_000_000]] * 2}), r"requests\.1\.prompt: more than 16777216 tokens"),
        (rows(*({"id": str(i), "prompt": [["d", 9_999_997]]} for i in range(11))), r"requests\.10: more than 10{8} "),
        (b'{"version": 1, "requests": [{"id": "a", "id": "b"}]}', "Field required|given twice"),
        (b'{"version": 1, "requests": [{"id": "\\ud800"}]}', "Invalid JSON: .* line 1 column"),
        (b"", "Invalid JSON: EOF while parsing a value at line 1 column 0"),
        (b'{"version": 1,\n "requests": [}', "Invalid JSON: expected value at line 2"),
        (json.dumps(WORKLOAD).encode() + b"x", "Invalid JSON: trailing characters"),
        (b"[" * 100_000, "Invalid JSON: recursion limit exceeded"),
        (b'{"version": 1, "requests": ' + b"[" * 150 + b"]" * 150 + b"}", r"requests\.0: Input should be an object"),
        (b'{"version": ' + HUGE + b"}", "Invalid JSON: number out of range"),
        (bytes(range(256)), "not UTF-8 text"),
        (b"\x1f\x8b\x08\x00binary", "not UTF-8 text"),
    ],
)
def test_a_bad_workload_names_file_and_field(write, content, says):
    """As for configurations; and arrivals out of order, ids given twice, broken, nested and binary files."""
    path = write("w.json", content)
    started = time.perf_counter()
    message = message_of(files.read_workload, path)
    assert message.startswith(f"{path}: ")
    assert re.search(says, message)
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv"])
def test_a_path_that_is_no_file_is_an_input_error(tmp_path, suffix):
    """A folder, nothing, a name that no file system takes, a path through a file."""
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    assert "Is a directory" in message_of(files.read_workload, folder)
    assert "no such file" in message_of(files.read_workload, tmp_path / f"absent{suffix}")
    assert "too long" in message_of(files.read_workload, tmp_path / ("x" * 300 + suffix))
    (tmp_path / "file").write_text("")
    assert "Not a directory" in message_of(files.read_workload, tmp_path / "file" / f"w{suffix}")


@pytest.fixture
def nobody():
    """Root may read everything: a test run as root goes on as somebody without rights."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


def test_a_file_that_may_not_be_read_is_an_input_error(write, request):
    """Not even by its owner."""
    path = write("w.json", WORKLOAD)
    path.chmod(0)
    request.getfixturevalue("nobody")
    assert message_of(files.read_workload, path) == f"{path}: Permission denied"


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A folder of cost tables beside the configuration."""
    folder = tmp_path / "my-gpu"
    folder.mkdir()
    for name, text in profiles.texts("rtx4090-llama-3.1-8b").items():
        (folder / name).write_text(text)
    return folder


def test_a_profile_may_be_a_folder_beside_the_configuration(write, tables, monkeypatch):
    """Its path is relative to the file, not to where one happens to be; an absolute one works too."""
    monkeypatch.chdir("/")
    (tables / "constants.csv").write_text("name,value\nlayers,1\nlaunch_ns,0\nhost_ns,77\n")
    for name in ("my-gpu", str(tables)):
        assert files.read_config(write("c.json", CONFIG | {"profile": name})).costs.host == 77


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("head.csv", "requests,ns\n1,5\n2\n", "head.csv line 3: 1 fields, the header has 2"),
        ("head.csv", "requests,ns\n1,5\n2,nan\n", "head.csv line 3: ns: expected whole ns"),
        ("head.csv", "requests,ns\n1,-5\n2,5\n", "head.csv line 2: ns: expected whole ns"),
        ("head.csv", 'requests,ns\n1,"5\n2,6\n', "head.csv line 3: expected no line break inside"),
        ("head.csv", "requests,ns\n1," + "5" * 200_000 + "\n", "head.csv line 2: not CSV"),
        ("head.csv", "", "head.csv: holds no data row"),
    ],
)
def test_a_broken_table_of_ones_own_names_the_configuration_and_the_table(write, tables, name, text, says):
    """Which file sent us there, which table, which line."""
    (tables / name).write_text(text)
    path = write("c.json", CONFIG | {"profile": "my-gpu"})
    message = message_of(files.read_config, path)
    assert message.startswith(f"{path}: profile: {tables}")
    assert says in message


def test_a_missing_table_is_named(write, tables):
    """And what a profile consists of."""
    (tables / "linear.csv").unlink()
    message = message_of(files.read_config, write("c.json", CONFIG | {"profile": "my-gpu"}))
    assert "linear.csv: cannot read it (No such file or directory); a cost table has attention.csv" in message


def test_a_table_that_falls_below_zero_beyond_its_last_point_is_refused(write, tables):
    """100,000 ns for one request and 60,000 for two make -20,000 for four; with at most three requests it is fine."""
    (tables / "head.csv").write_text("requests,ns\n1,100000\n2,60000\n")
    config = CONFIG | {"profile": "my-gpu", "max_num_seqs": 3}
    assert files.read_config(write("c.json", config)).costs.head(3) == 20_000
    message = message_of(files.read_config, write("c.json", config | {"max_num_seqs": 4}))
    assert "profile: head.csv falls" in message
    assert "-20000 ns" in message


def test_attention_that_falls_below_zero_far_out_is_refused(write, tables):
    """The last row falls along the KV axis; memory decides how far out a request can get."""
    lines = (tables / "attention.csv").read_text().splitlines()
    head, *cells = lines[-1].split(",")
    lines[-1] = ",".join([head, *["4000000"] * (len(cells) - 1), "3000000"])  # 8192 -> 16384 tokens: -1,000,000
    (tables / "attention.csv").write_text("\n".join(lines))
    config = CONFIG | {"profile": "my-gpu"}
    files.read_config(write("c.json", config | {"kv_blocks": 2560}))  # 40,960 tokens: 3 more pieces, exactly 0
    message = message_of(files.read_config, write("c.json", config | {"kv_blocks": 2561}))
    assert "attention.csv falls" in message


def both(write, config, workload):
    """A system, its requests and the workload's path."""
    path = write("w.json", workload)
    return files.read_config(write("c.json", config)), files.read_workload(path), path


def test_a_prompt_larger_than_memory_is_named_with_the_field_to_raise(write):
    """A million tokens where 41,408 fit."""
    found = message_of(files.check, *both(write, CONFIG, one_row(prompt=[["doc", 1_000_000]])))
    assert "w.json: request r0 needs 62501 KV blocks, a replica has 2588; raise kv_blocks in" in found


def test_a_request_may_fill_memory_to_the_last_block(write):
    """2,588 blocks of 16 tokens hold 41,408; the last generated token needs none."""
    files.check(*both(write, CONFIG, one_row(prompt=[["doc", 41_400]], output_tokens=9)))
    assert "needs 2589" in message_of(
        files.check, *both(write, CONFIG, one_row(prompt=[["d", 41_400]], output_tokens=10))
    )


def test_a_replica_that_does_not_exist_is_named(write):
    """Numbers begin at 0."""
    files.check(*both(write, CONFIG | {"replicas": 3}, one_row(replica=2)))
    found = message_of(files.check, *both(write, CONFIG | {"replicas": 3}, one_row(replica=3)))
    assert "request r0: replica 3 does not exist; " in found
    assert "has 3, numbered from 0" in found


def test_a_design_that_moves_kv_state_needs_its_size(write):
    """Transfers of nothing would make every handoff free."""
    moving = both(write, CONFIG | {"replicas": 2}, one_row(handoff=True))
    found = message_of(files.check, *moving, designs.load("next_instance"))
    assert "c.json: kv_bytes_per_token: needed" in found
    files.check(*moving, designs.load("load_only"))
    files.check(
        *both(write, CONFIG | {"kv_bytes_per_token": 131072}, one_row(handoff=True)), designs.load("next_instance")
    )
    files.check(*both(write, CONFIG, WORKLOAD), designs.load("next_instance"))


@pytest.mark.parametrize("model", [files.ConfigFile, files.RequestRow])
def test_the_documentation_lists_every_field_with_its_default(model):
    """The tables of docs/serving.md, row by row."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
    for name, field in model.model_fields.items():
        default = "required" if field.is_required() else str(field.default).replace("None", "none")
        shown = re.search(rf"^\| `{name}` \| (.+?) \|", page, re.MULTILINE)
        assert shown, name
        assert shown[1].strip("`") == (default.lower() if isinstance(field.default, bool) else default)
