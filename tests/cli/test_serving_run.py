"""`proctor serving run`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from proctor.cli import main
from proctor.cli.serving import serving_app
from proctor.serving import designs

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
ROUTING = [str(EXAMPLES / "routing" / name) for name in ("configuration.json", "workload.json")]
HANDOFF = [str(EXAMPLES / "handoff" / name) for name in ("configuration.json", "workload.json")]


def run(*arguments):
    """The command's result; errors pass through."""
    return CliRunner().invoke(serving_app, ["run", *map(str, arguments)], catch_exceptions=False)


def figures_of(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0
    return json.loads(result.stdout)


@pytest.fixture
def fails(monkeypatch, capsys):
    """`proctor serving run …` as a person types it: its one line on stderr; status 2 and nothing on stdout."""

    def message(*arguments):
        monkeypatch.setattr(sys, "argv", ["proctor", "serving", "run", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        assert (stopped.value.code, out, err.count("\n")) == (2, "", 1)
        return err

    return message


@pytest.fixture
def inputs(tmp_path):
    """A folder with a toy profile whose steps take 1 ms and 10 us per query token, a configuration and a workload."""
    (tmp_path / "toy").mkdir()
    texts = {
        "attention": "query_tokens,0,16\n1,0,0\n1+,0,0\n16,0,0\n",
        "linear": "query_tokens,ns\n1,10000\n16,160000\n",
        "head": "requests,ns\n1,0\n2,0\n",
        "constants": "name,value\nlayers,1\nlaunch_ns,0\nhost_ns,1000000\n",
    }
    for name, text in texts.items():
        (tmp_path / "toy" / f"{name}.csv").write_text(text)
    config, workload = tmp_path / "configuration.json", tmp_path / "workload.json"
    config.write_text(json.dumps({"profile": "toy", "kv_blocks": 100}))
    rows = [
        {"id": "warm", "arrival_ns": 0, "prompt": [["doc", 16]], "output_tokens": 1, "measured": False},
        {"id": "a", "arrival_ns": 10**9, "prompt": [["doc", 16], ["u", 4]], "output_tokens": 3},
        {"id": "b", "arrival_ns": 2 * 10**9, "prompt": [["v", 50]], "output_tokens": 1},
    ]
    workload.write_text(json.dumps({"version": 1, "requests": rows}))
    return config, workload


def test_figures_are_those_worked_out_by_hand(inputs):
    """a: 4 tokens left after a hit of 16 take 1.04 ms, then two decodes of 1.01 ms; b: 1.5 ms. Warm-up not counted.

    Throughput: four tokens between a's arrival and b's end, 1.0015 s later.
    """
    assert figures_of(*inputs) == {
        "version": 1,
        "design": None,
        "metric": "e2e",
        "requests": 2,
        "latency_s": {
            "ttft": {"p50": 0.00104, "p95": 0.0015, "p99": 0.0015},
            "tpot": {"p50": 0.00101, "p95": 0.00101, "p99": 0.00101},
            "e2e": {"p50": 0.0015, "p95": 0.00306, "p99": 0.00306},
        },
        "output_tokens_per_s": pytest.approx(4 / 1.0015),
        "prefix_hit_tokens": 16,
        "preemptions": 0,
        "steps": 5,
    }


def test_a_table_is_printed_for_people(inputs):
    """TTFT, TPOT, E2E and throughput, in one table and one line."""
    printed = run(*inputs, "--design", "no_cap").stdout
    for text in ("no_cap", "p50", "p95", "p99", "TTFT", "0.0010", "TPOT", "E2E", "0.0031"):
        assert text in printed
    assert "no_cap: 2 requests, 4.0 output tokens/s, 16 prefix-hit tokens, 0 preemptions, 5 steps\n" in printed


@pytest.mark.parametrize("name", designs.names())
def test_all_designs_run(name):
    """Routing and handoff on their examples, chunk caps on either."""
    example = HANDOFF if name in designs.FAMILIES["handoff"] else ROUTING
    assert figures_of(*example, "--design", name)["design"] == name


def test_figures_agree_with_the_records(tmp_path):
    """Percentiles recomputed from records.jsonl with numpy; prediction.json is what --json prints."""
    printed = figures_of(*ROUTING, "--design", "preble", "--out", tmp_path / "new" / "folder")
    folder = tmp_path / "new" / "folder"
    assert json.loads((folder / "prediction.json").read_text()) == printed
    rows = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
    requests = [row for row in rows if row.get("measured")]
    steps = [row for row in rows if "step_on" in row]
    assert (len(requests), len(steps)) == (printed["requests"], printed["steps"])
    assert len(rows) == len(steps) + len(requests) + 2  # two warm-up requests
    columns = {key: np.array([row[key] for row in requests]) for key in requests[0] if key.endswith(("_ns", "_tokens"))}
    first, end, arrival = columns["first_token_ns"], columns["end_ns"], columns["arrival_ns"]
    measured = {"ttft": first - arrival, "tpot": (end - first) // (columns["output_tokens"] - 1), "e2e": end - arrival}
    for name, values in measured.items():
        for percent in (50, 95, 99):
            expected = np.percentile(values, percent, method="inverted_cdf") / 1e9
            assert printed["latency_s"][name][f"p{percent}"] == expected
    throughput = columns["output_tokens"].sum() / ((end.max() - arrival.min()) / 1e9)
    assert printed["output_tokens_per_s"] == pytest.approx(throughput)
    assert printed["prefix_hit_tokens"] == columns["prefix_hit_tokens"].sum()


def test_records_of_a_handoff_say_where_and_when(tmp_path):
    """The prefill's replica, the transfer and the replica that decoded."""
    run(*HANDOFF, "--design", "next_instance", "--out", tmp_path)
    first = json.loads((tmp_path / "records.jsonl").read_text().splitlines()[0])
    assert (first["prefill_replica"], first["replica"]) == (0, 1)
    # 1,472 tokens of 98,304 bytes at 1.25 GB/s.
    assert first["landed_ns"] - first["sent_ns"] == 115_762_790


def test_the_same_input_gives_the_same_bytes_whatever_the_hash_seed(tmp_path):
    """Three processes, three seeds of Python's hash of strings, the design with the most bookkeeping."""
    found = set()
    for seed in ("0", "1", "4711"):
        out = tmp_path / seed
        command = [sys.executable, "-m", "proctor", "serving", "run", *ROUTING, "--design", "preble", "--out", out]
        done = subprocess.run([*command, "--json"], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True)
        assert done.returncode == 0
        found.add((done.stdout, *((out / name).read_bytes() for name in ("records.jsonl", "prediction.json"))))
    assert len(found) == 1


def test_a_run_without_time_has_no_throughput(inputs):
    """One request, a table of zeros; and a request for one token has no TPOT."""
    config, workload = inputs
    (config.parent / "toy" / "constants.csv").write_text("name,value\nlayers,1\nlaunch_ns,0\nhost_ns,0\n")
    (config.parent / "toy" / "linear.csv").write_text("query_tokens,ns\n1,0\n16,0\n")
    rows = [{"id": "a", "arrival_ns": 0, "prompt": [["u", 4]], "output_tokens": 1}]
    workload.write_text(json.dumps({"version": 1, "requests": rows}))
    found = figures_of(config, workload)
    assert (found["output_tokens_per_s"], found["latency_s"]["tpot"]) == (None, None)
    assert "1 requests, - output tokens/s" in run(config, workload).stdout


def test_other_projects_workloads_run(inputs, tmp_path):
    """A CSV trace and LLMServingSim's JSON Lines."""
    trace, lines = tmp_path / "t.csv", tmp_path / "w.jsonl"
    trace.write_text("arrived_at,num_prefill_tokens,num_decode_tokens\n0,20,3\n1.5,30,1\n")
    lines.write_text('{"arrival_time_ns": 0, "input_toks": 20, "output_toks": 3}\n')
    # 20 tokens: 1.2 ms and two decodes.
    assert figures_of(inputs[0], trace)["latency_s"]["e2e"]["p95"] == 0.00322
    assert figures_of(inputs[0], lines)["latency_s"]["e2e"]["p95"] == 0.00322


def test_a_million_token_prompt_is_served_where_it_fits(inputs):
    """489 steps of up to 2,048 tokens: 489 ms and 10 us for each of 1,000,000 tokens."""
    config, workload = inputs
    config.write_text(json.dumps({"profile": "toy", "kv_blocks": 62_500}))
    rows = [{"id": "a", "arrival_ns": 0, "prompt": [["book", 1_000_000]], "output_tokens": 1}]
    workload.write_text(json.dumps({"version": 1, "requests": rows}))
    started = time.perf_counter()
    assert figures_of(config, workload)["latency_s"]["e2e"]["p50"] == pytest.approx(10.489)
    assert time.perf_counter() - started < 10


def test_a_million_token_prompt_is_one_line_where_it_does_not_fit(inputs, fails):
    """With what it needs and what there is."""
    rows = [{"id": "a", "arrival_ns": 0, "prompt": [["book", 1_000_000]], "output_tokens": 1}]
    inputs[1].write_text(json.dumps({"version": 1, "requests": rows}))
    assert "workload.json: request a needs 62500 KV blocks, a replica has 100; raise kv_blocks in" in fails(*inputs)


BAD_WORKLOADS = {
    "missing.json": ('{"version": 1, "requests": [{"id": "a"}]}', "requests.0.arrival_ns: Field required"),
    "empty.json": ("", "Invalid JSON"),
    "nan.json": ('{"version": NaN, "requests": []}', "version: Input should be 1, found nan"),
    "deep.json": ("[" * 100_000, "Invalid JSON: recursion limit"),
    "huge.json": ('{"version": ' + "1" * 5000 + "}", "Invalid JSON: number out of range"),
    "empty.csv": ("", "line 1: missing column arrived_at"),
    "ragged.csv": ("arrived_at,num_prefill_tokens,num_decode_tokens\n0,1\n", "line 2: 2 fields, the header has 3"),
    "nan.csv": ("arrived_at,num_prefill_tokens,num_decode_tokens\nnan,1,1\n", "line 2: arrived_at: expected seconds"),
    "inf.csv": ("arrived_at,num_prefill_tokens,num_decode_tokens\n0,inf,1\n", "line 2: num_prefill_tokens: expected"),
    "negative.csv": ("arrived_at,num_prefill_tokens,num_decode_tokens\n0,5,-1\n", "line 2: num_decode_tokens: exp"),
    "order.csv": (
        "arrived_at,num_prefill_tokens,num_decode_tokens\n2,5,1\n1,5,1\n",
        "line 3: arrived_at: found 1000000",
    ),
    "cell.csv": ("arrived_at,num_prefill_tokens,num_decode_tokens\n0," + "1" * 200_000 + ",1\n", "line 2: not CSV"),
    "units.csv": (
        "arrived_at,num_prefill_tokens,num_decode_tokens\n" + "0,16000000,1\n" * 99,
        "request 6: more than 100000000 tokens up to here; split the workload",
    ),
    "deep.jsonl": ("[" * 100_000, "line 1: not a JSON object"),
    "negative.jsonl": (
        '{"arrival_time_ns": -1, "input_toks": 1, "output_toks": 1}',
        "line 1: arrival_time_ns: expected",
    ),
    "big.jsonl": ('{"arrival_time_ns": 0, "input_toks": 9999, "output_toks": 1}', "request 0 needs 625 KV blocks"),
}


@pytest.mark.parametrize("name", BAD_WORKLOADS)
def test_a_bad_workload_is_one_line_and_exit_status_2(inputs, fails, name):
    """In every format: the file, the field or line, and what was expected."""
    text, says = BAD_WORKLOADS[name]
    path = inputs[0].parent / name
    path.write_text(text)
    message = fails(inputs[0], path)
    assert message.startswith(f"error: {path}")
    assert says in message


def test_bad_arguments_are_one_line_and_exit_status_2(inputs, fails, tmp_path):
    """A folder, an absent file, bytes, a design and a profile that do not exist, a place that cannot be written."""
    config, workload = inputs
    (tmp_path / "bytes.json").write_bytes(bytes(range(256)))
    assert "Is a directory" in fails(tmp_path, workload)
    assert "absent.json: no such file" in fails(config, tmp_path / "absent.json")
    assert "bytes.json: not UTF-8 text" in fails(tmp_path / "bytes.json", workload)
    assert "unknown design 'dualmpa': did you mean dualmap?" in fails(config, workload, "--design", "dualmpa")
    assert "workload.json: cannot write results there" in fails(config, workload, "--out", workload)
    config.write_text('{"profile": "rtx4090-lama-3.1-8b", "kv_blocks": 5}')
    assert "configuration.json: profile: unknown cost profile" in fails(config, workload)
    assert "did you mean rtx4090-llama-3.1-8b?" in fails(config, workload)


def test_a_folder_may_have_any_name(inputs, tmp_path):
    """Square brackets are no markup."""
    out = tmp_path / "[/red] results"
    assert f"records and prediction: {out}\n" in run(*inputs, "--out", out).stdout
    assert (out / "prediction.json").is_file()


def test_nothing_is_written_when_the_input_is_bad(inputs, fails, tmp_path):
    """Results of an earlier run stay."""
    out = tmp_path / "out"
    run(*inputs, "--out", out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    inputs[1].write_text("{}")
    fails(*inputs, "--out", out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_help_shows_examples_and_every_design():
    """So that nobody has to look elsewhere for a name."""
    shown = " ".join(run("--help").stdout.split())
    assert "proctor serving run configuration.json workload.json --design load_only" in shown
    assert all(name in shown for name in designs.names())


def test_what_cannot_fit_is_refused_before_it_gets_keys(inputs, fails):
    """Six requests of 16 million tokens, and 500 segments of 4 million; keys would take half a minute."""
    many = [{"id": str(i), "arrival_ns": 0, "prompt": [["s", 16_000_000]], "output_tokens": 1} for i in range(6)]
    wide = [{"id": "a", "arrival_ns": 0, "prompt": [[str(i), 4_000_000] for i in range(500)], "output_tokens": 1}]
    started = time.process_time()
    for rows, says in ((many, "request 0 needs 1000000 KV blocks"), (wide, "requests.0.prompt: more than 16777216")):
        inputs[1].write_text(json.dumps({"version": 1, "requests": rows}))
        assert says in fails(*inputs)
    assert time.process_time() - started < 5
