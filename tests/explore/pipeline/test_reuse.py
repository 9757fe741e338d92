"""Rows of an earlier sweep stand where nothing that they depend on has changed."""

import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from toy import Toy

from explore.cli import cli
from explore.data.frame import earlier, load, save
from explore.data.rows import sealed
from explore.outcome import Outcome
from explore.pipeline.knowledge import CoreFile
from explore.pipeline.run import Sweep, run
from explore.pipeline.stage import Job
from explore.pipeline.stages import stages
from explore.points.expand import expand
from explore.store import Store

TARGETS = ("ice40-hx8k", "xc7")
#: What all of it takes.
JOBS = ["nextpnr-ice40 1", "nextpnr-ice40 2", "yosys -", "yosys -"]


def points(widths=(8,)):
    return dict.fromkeys(expand(["toy"], widths, {}, TARGETS), 2)


@pytest.fixture
def cores(tmp_path):
    """Where a sweep leaves what it knows of cores."""
    return tmp_path / "results"


@pytest.fixture
def rows(store, fakes, cores):
    """What a sweep found out, of which the fakes do not know any more."""
    found = run(Sweep(points=points(), cores=CoreFile(cores)), store=store, jobs=2)
    assert fakes.jobs == JOBS
    fakes.forget()
    return json.loads(json.dumps(found))


@pytest.fixture
def empty(tmp_path):
    with Store(tmp_path / "another") as opened:
        yield opened


def test_all_stand_on_a_machine_with_an_empty_store(rows, empty, fakes, cores, monkeypatch):
    told = []
    # Not even a core is elaborated.
    monkeypatch.setattr("explore.pipeline.worker.Workers._start", None)
    found = run(Sweep(points=points(), before=rows, cores=CoreFile(cores)),
                          store=empty, jobs=2, on_event=lambda event:
                          event.kind == "forecast" and told.append(event.label))
    assert found == rows == [*empty.rows().values()]
    assert fakes.jobs == []
    assert told == ["0 rows to measure, 3 in the store, 0 known to fail"]


def test_sources_that_make_the_same_hardware_leave_rows_as_they_are(rows, cores, tmp_path):
    """A row of other sources is an earlier one, unless these are known to make the same RTLIL."""
    def are_earlier(**changes):
        old = [sealed(row | {"versions": row["versions"] | {"core": "0" * 12}} | changes)
               for row in rows]
        save(old, cores / "rows.jsonl")
        return [*load(cores)["earlier"]]

    assert not any(are_earlier())
    assert all(are_earlier(design="0" * 64))
    (cores / "cores.jsonl").rename(tmp_path / "apart")
    assert all(are_earlier())


def test_what_a_sweep_does_not_look_for_stays_in_the_file(rows, empty, cores):
    path = cores / "cores.jsonl"
    before = path.read_text()
    run(Sweep(points=points(), until="elaborate", cores=CoreFile(cores)), store=empty, jobs=2)
    assert path.read_text() == before


@pytest.mark.parametrize("text", ["", '{"key": 3}\n[]\n', "{" * 10_000])
def test_a_file_of_cores_that_makes_no_sense_does_no_harm(rows, empty, fakes, cores, text):
    (cores / "cores.jsonl").write_text(text)
    found = run(Sweep(points=points(), before=rows, cores=CoreFile(cores)),
                          store=empty, jobs=2)
    assert found == rows
    assert fakes.jobs == []
    assert CoreFile(cores).outcomes
    assert CoreFile(cores).note == ""


@pytest.mark.parametrize("change", [
    # What an outcome says under the key of another one, and what makes no sense.
    lambda first, second: first | {"outcome": second["outcome"]},
    lambda first, second: second | {"key": first["key"]},
    lambda first, second: first | {"outcome": {"facts": {}, "versions": {}}},
    lambda first, second: {name: first[name] for name in first if name != "seal"},
    lambda first, second: first | {"outcome": [], "key": None},
], ids=["outcome", "key", "no facts", "no seal", "nonsense"])
def test_a_line_of_another_time_is_left_out_with_a_word(rows, empty, fakes, cores, change):
    path = cores / "cores.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    at, other = (next(index for index, line in enumerate(lines) if line["stage"] == stage)
                 for stage in ("elaborate", "verify"))
    lines[at], lines[other] = change(lines[at], lines[other]), change(lines[other], lines[at])
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    told = []
    found = run(Sweep(points=points(), before=rows, cores=CoreFile(cores)), store=empty,
                      jobs=2, on_event=lambda event: event.kind == "note"
                      and told.append(event.label))
    assert found == rows
    assert fakes.jobs == []
    assert told[0].startswith(f"2 of {len(lines)} lines of {path} ")
    assert CoreFile(cores).note == ""


def test_what_has_changed_is_measured_again(rows, tmp_path, fakes):
    for index, change in enumerate([
            {"design": "0" * 64}, {"design": None}, {"status": "unverified"},
            {"status": "tool_error"},
            {"versions": {"yosys": "0.1", "nextpnr": "nextpnr-ice40 version 1"}},
            {"versions": {"yosys": "yosys version 1", "nextpnr": "0.1"}},
            {"arguments": {"yosys": ["synth_ice40"]}}, {"options": {"abc": "flow3"}},
            {"status": "timeout", "seconds_place": 59.0}]):
        fakes.forget()
        with Store(tmp_path / f"empty{index}") as empty:
            run(Sweep(points=points(), before=[rows[0] | change, *rows[1:]], timeout_minutes=1),
                store=empty, jobs=2)
        assert fakes.jobs == ["nextpnr-ice40 1", "yosys -"], change


@pytest.mark.parametrize("status", ["no_fit", "overflow"])
def test_failures_that_would_repeat_stand(rows, empty, fakes, status):
    failed = dict.fromkeys(("fmax_mhz", "fmax_usable_mhz", "critical_path", "latency_us",
                            "throughput_mbps", "throughput_pipelined_mbps", "lut_us"))
    rows[0] = sealed(rows[0] | failed | {"status": "timeout", "seconds_place": 61.0, "log": "slow"})
    rows[1] = sealed(rows[1] | failed | {"status": status, "log": "large"})
    assert run(Sweep(points=points(), before=rows, timeout_minutes=1), store=empty, jobs=2) == rows
    assert fakes.jobs == []


def _sweep(tmp_path, *arguments):
    return CliRunner().invoke(cli, ["sweep", *map(str, arguments),
                                    "--store", str(tmp_path / "store")])


@pytest.fixture
def folder(tmp_path, sketched):
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "sweep.toml").write_text(
        'archs = ["toy"]\nwidths = [8, 16]\ntargets = ["ice40-hx8k"]\nseeds = 1\n')
    return folder


def test_the_sweep_of_a_folder_is_brought_up_to_date(folder, tmp_path, fakes):
    result = _sweep(tmp_path, folder)
    assert result.exit_code == 0, result.stderr
    first = earlier(folder / "rows.jsonl")
    assert [row["width"] for row in first] == [8, 16]
    assert fakes.jobs == ["nextpnr-ice40 1", "nextpnr-ice40 1", "yosys -", "yosys -"]

    fakes.forget()
    result = _sweep(tmp_path / "new", folder, "--dry-run")
    assert result.stdout.startswith("0 rows to measure, 2 "), result.stderr
    assert "toy/" not in result.stdout
    save(first[:1], folder / "rows.jsonl")
    document = json.loads(_sweep(tmp_path / "new", folder, "--dry-run", "--json").stdout)
    assert document["due"] == ["toy/16 on ice40-hx8k"]
    assert document["points"] == ["toy/8 on ice40-hx8k", "toy/16 on ice40-hx8k"]
    result = _sweep(tmp_path / "new", folder, "--json")
    assert result.exit_code == 0, result.stderr
    assert [row["width"] for row in json.loads(result.stdout)["rows"]] == [8, 16]
    assert fakes.jobs == ["nextpnr-ice40 1", "yosys -"]
    assert earlier(folder / "rows.jsonl")[:1] == first[:1]


def test_rows_that_cannot_be_read_are_left_alone(folder, tmp_path, fakes):
    (folder / "rows.jsonl").write_text("thesis\n")
    result = _sweep(tmp_path, folder / "sweep.toml", "--output", folder)
    assert result.exit_code == 2
    assert "rows.jsonl, line 1: JSON is malformed" in result.stderr
    assert (folder / "rows.jsonl").read_text() == "thesis\n"
    save([], folder / "rows.jsonl")
    assert _sweep(tmp_path, folder / "sweep.toml", "--output", folder).exit_code == 0


def test_who_has_no_compiler_has_what_others_verified():
    stage, job = stages()["stimuli"], Job(params=Toy(width=8))
    whole, few = (stage.specify(job, {}, SimpleNamespace(compiler=compiler))
                  for compiler in ("c++", None))
    assert stage.hashed(whole) == stage.hashed(few)
    plans = Outcome(facts={"plan": "1"}), Outcome(facts={"plan": "1", "thorough": False})
    assert [stage.covers(few, plan) for plan in plans] == [True, True]
    assert [stage.covers(whole, plan) for plan in plans] == [True, False]
