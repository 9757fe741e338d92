import contextlib
import json
import os
import shutil
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

import explore.data.frame
from explore.cli import cli
from montgomery.core import about

ROW = {"arch", "kind", "width", "params", "target", "options", "seed", "status", "constant_time",
       "lut", "ff", "dsp", "bram", "fmax_mhz", "fmax_usable_mhz", "constraint_mhz", "cycles_load",
       "cycles_compute", "cycles_unload", "cycles_interval", "cycles_initiation", "latency_us",
       "throughput_mbps", "throughput_pipelined_mbps", "ff_skew", "lut_us", "key", "versions",
       "arguments", "host", "date"}


@pytest.fixture
def sweep(tmp_path, monkeypatch, fakes, sketched):
    """Return a function that runs a sweep with fake tools in an empty folder."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return lambda *arguments: CliRunner().invoke(
        cli, ["sweep", *arguments, "--store", str(tmp_path / "store")])


@pytest.fixture
def captured(monkeypatch):
    """Replace the sweep itself; return the list of what it was asked for."""
    asked = []

    def run(sweep, **options):
        asked.append((sweep.points, {"timeout_minutes": sweep.timeout_minutes, **options}))
        raise KeyboardInterrupt

    monkeypatch.setattr("explore.commands.sweep.run", run)
    return asked


def counts(points, *names):
    return Counter(tuple(dict(point.params).get(name, getattr(point, name, None))
                         for name in names) for point in points)


def written(names):
    """Return the names of plots among those of the files of a sweep, whose others are known."""
    assert {"rows.jsonl", "table.md", "table.csv"} < {*names}
    drawn = {name for name in names if name.endswith((".svg", ".png"))}
    assert len(names) == len(drawn) + 3
    plots = {os.path.splitext(name)[0] for name in drawn}
    assert drawn == {f"{name}.{suffix}" for name in plots for suffix in ("svg", "png")}
    return plots


def test_plots_of_the_same_rows_stay(sweep, tmp_path):
    arguments = ("-a", "toy", "-n", "8", "-t", "ice40-hx8k", "--output", "mine")
    assert sweep(*arguments).exit_code == 0
    pictures = sorted((tmp_path / "work" / "mine").glob("*.svg"))
    before = [path.stat().st_mtime_ns for path in pictures]
    assert sweep(*arguments).exit_code == 0
    assert before == [path.stat().st_mtime_ns for path in pictures]
    pictures[0].unlink()
    assert sweep(*arguments).exit_code == 0
    assert all(old < path.stat().st_mtime_ns for old, path in zip(before, pictures, strict=True))


def test_sweep_ends_with_table_and_plots(sweep, tmp_path):
    result = sweep("-a", "toy", "-n", "8,16", "-t", "ice40-hx8k,ecp5-25k", "--seeds", "2")
    assert result.exit_code == 0, result.stderr
    assert "Median of 2 seeds" in result.stdout
    paths = [line for line in result.stdout.splitlines() if line.startswith(str(tmp_path))]
    assert written([os.path.basename(path) for path in paths]) >= {
        "fmax_width", "latency_lut", "lut_width", "throughput_lut"}
    assert all(os.path.dirname(path) == str(tmp_path / "store" / "reports") and os.path.exists(path)
               for path in paths)
    assert not os.listdir(tmp_path / "work")
    folder = tmp_path / "new" / "folder"
    assert sweep("-a", "toy", "-n", "8", "-t", "ice40-hx8k", "--output", str(folder)).exit_code == 0
    assert list(explore.data.frame.load(folder / "rows.jsonl")["seed"]) == [1, 2]


def test_area_alone_is_no_failure(sweep, fakes, tmp_path):
    result = sweep("-a", "toy", "-n", "8", "-t", "xc7")
    assert result.exit_code == 0, result.stderr
    assert "Area, nothing placed" in result.stdout
    assert "(LUT6)" in result.stdout
    assert "Latency" not in result.stdout
    plots = written([path.name for path in (tmp_path / "store" / "reports").iterdir()])
    assert "lut_width" in plots
    assert not {"fmax_width", "latency_lut", "throughput_lut"} & plots
    # Of what does not fit, the area is known too; of what the program fails at, it is not enough.
    fakes.behave(nextpnr_ice40="fail ERROR: Unable to place cell")
    assert sweep("-a", "toy", "-n", "8", "-t", "ice40-hx8k").exit_code == 0
    fakes.behave(nextpnr_ice40="fail ERROR: something else")
    assert sweep("-a", "toy", "-n", "16", "-t", "ice40-hx8k").exit_code == 1
    assert sweep("-a", "toy", "-n", "16", "-t", "xc7,ice40-hx8k").exit_code == 0
    fakes.behave()
    result = sweep("-a", "toy", "-n", "8", "-t", "xc7,ecp5-25k", "--seeds", "2")
    assert result.exit_code == 0
    assert "Median of 2 seeds" in result.stdout
    assert "LUT is LUT4 on ecp5-25k; LUT6 on xc7." in " ".join(result.stdout.split())


def test_json_is_all_there_is_on_stdout(sweep, fakes):
    # Failures are data while anything is measured.
    fakes.behave(nextpnr_ice40_2="fail ERROR: Unable to place cell 'x', no BELs remaining")
    result = sweep("-a", "toy", "-n", "8", "-t", "ice40-hx8k", "--seeds", "3", "--json")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["schema"] == 1
    assert [(row["seed"], row["status"]) for row in document["rows"]] == [
        (1, "ok"), (2, "no_fit"), (3, "ok")]
    assert all(set(row) >= ROW for row in document["rows"])
    assert "table.md" in result.stderr
    assert "ok for 2 of 3" in result.stderr


def test_measured_brings_what_has_rows_up_to_date_and_nothing_else(sweep, fakes, tmp_path):
    core = ("-a", "toy", "-t", "ice40-hx8k", "--output", "out")
    assert sweep(*core, "-n", "8", "--seeds", "1").exit_code == 0
    for path in (tmp_path / "store").glob("*"):  # what stands does so by the rows
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    done = fakes.jobs
    result = sweep(*core, "-n", "8,16", "--seeds", "2", "--measured", "--json")
    assert result.exit_code == 0, result.stderr
    rows = json.loads(result.stdout)["rows"]
    assert [(row["width"], row["seed"], row["status"]) for row in rows] == [(8, 1, "ok")]
    assert fakes.jobs == done
    result = sweep(*core[:-1], "elsewhere", "-n", "8", "--measured")
    assert result.exit_code == 2
    assert "has none of these points" in result.stderr


def test_rows_of_two_machines_in_one_file_are_measured_no_more(sweep, fakes, tmp_path):
    core = ("-a", "toy", "-t", "ice40-hx8k", "--seeds", "1")
    for width, output in ("8", "a"), ("16", "b"):
        assert sweep(*core, "-n", width, "--output", output).exit_code == 0
    rows = [Path(name, "rows.jsonl").read_text() for name in "ab"]
    Path("all").mkdir()
    Path("all/rows.jsonl").write_text("".join([*rows, rows[0]]))
    shutil.rmtree(tmp_path / "store")
    done = fakes.jobs
    assert sweep(*core, "-n", "8,16", "--output", "all").exit_code == 0
    assert fakes.jobs == done
    assert Path("all/rows.jsonl").read_text() == "".join(rows)


def test_options_become_points(sweep, captured):
    sweep("-a", "toy", "-n", "16-64", "-n", "8-24:8", "-p", "word_width=4,8", "-p", "style=fancy",
          "-o", "placer_weight=10,30", "-t", "ecp5-25k", "-t", "ice40-hx8k", "--seeds", "5",
          "-j", "3", "--timeout", "2.5")
    ((points, options),) = captured
    assert set(counts(points, "width")) == {(8,), (16,), (24,), (32,), (64,)}
    assert set(counts(points, "word_width", "style")) == {(4, "fancy"), (8, "fancy")}
    assert set(counts(points, "target")) == {("ecp5-25k",), ("ice40-hx8k",)}
    assert {dict(point.options)["placer_weight"] for point in points} == {10, 30}
    assert len(points) == 5 * 2 * 2 * 2
    assert (set(points.values()), options["jobs"], options["timeout_minutes"]) == ({5}, 3, 2.5)


def test_bare_sweep_is_the_quick_preset(sweep, captured, registry):
    sweep()
    ((points, _),) = captured
    assert {point.arch for point in points} == set(registry)
    assert len({point.target for point in points}) == 2
    assert set(points.values()) == {2}
    assert all(point.width == min(32, about(point.parameters()).quick_width) for point in points)


def test_options_win_over_a_file(sweep, captured, tmp_path):
    (tmp_path / "work" / "my.toml").write_text(
        "archs = ['toy']\nwidths = [8, 16]\ntargets = ['ice40-hx8k']\nseeds = 4\n"
        "[params]\nword_width = [4]\nstyle = 'fancy'\n")
    sweep("my.toml", "-n", "32", "-p", "word_width=16")
    ((points, _),) = captured
    assert counts(points, "width", "word_width", "style", "target") == {
        (32, 16, "fancy", "ice40-hx8k"): 1}
    assert set(points.values()) == {4}


def test_nothing_measured_is_a_failure_with_a_table(sweep, fakes, tmp_path):
    fakes.behave(yosys="fail ERROR: no such thing")
    result = sweep("-a", "toy", "-n", "8", "-t", "ice40-hx8k")
    assert result.exit_code == 1
    assert "tool_error" in result.stdout
    assert "montgomery: toy/8 on ice40-hx8k: tool_error: " in result.stderr
    assert "no such thing" in result.stderr
    assert sorted(os.listdir(tmp_path / "store" / "reports")) == ["rows.jsonl", "table.csv",
                                                                    "table.md"]


@pytest.mark.parametrize("tool", ["yosys", "nextpnr_ice40"])
def test_a_timeout_names_its_limit_and_the_option(sweep, fakes, tool):
    fakes.behave(**{tool: "sleep 60"})
    result = sweep("-a", "toy", "-n", "8", "-t", "ice40-hx8k", "--timeout", "0.05", "--seeds", "1")
    # Without a placement the area remains.
    assert result.exit_code == (1 if tool == "yosys" else 0)
    line, = (line for line in result.stderr.splitlines() if line.startswith("montgomery: "))
    assert line.startswith("montgomery: toy/8 on ice40-hx8k: timeout: ")
    assert line.endswith("was stopped after 0.05 minutes; --timeout MIN sets another limit")


def test_core_that_is_wrong_fails_the_sweep(sweep):
    result = sweep("-a", "toy,wrong", "-n", "8", "-t", "ice40-hx8k", "--seeds", "1", "--json")
    assert result.exit_code == 1
    assert [row["status"] for row in json.loads(result.stdout)["rows"]] == ["ok", "unverified"]
    assert "montgomery: wrong/8 on ice40-hx8k: unverified: " in result.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_sweep_says_how_to_go_on(sweep, monkeypatch, tmp_path, number):
    def run(sweeps, **options):
        os.kill(os.getpid(), number)
        time.sleep(10)
        pytest.fail("the signal did nothing")

    monkeypatch.setattr("explore.commands.sweep.run", run)
    before = signal.getsignal(number)
    result = sweep("-a", "toy", "-n", "8")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == (f"montgomery: stopped; the store in {tmp_path / 'store'} is whole, "
                             "and the same command goes on from there\n")
    assert signal.getsignal(number) is before


@pytest.mark.parametrize(("arguments", "note", "left"), [
    (("-n", "8", "-p", "word_width=0,4"), "toy: Word width must be 1 or more, not 0", [(8, 4)]),
    (("-n", "2,8", "-p", "word_width=4"), "toy: Width must be 4 or more, not 2", [(8, 4)]),
    (("-n", "8,9", "-p", "word_width=4,-1"), "toy: Word width must be 1 or more, not -1",
     [(8, 4), (9, 4)]),
    (("-n", "8", "-p", "style=plane,plain", "-p", "word_width=4"),
     "toy: Style must be one of plain, fancy, not 'plane'", [(8, 4)])])
def test_what_a_core_does_not_allow_is_left_out_with_a_note(sweep, captured, arguments, note, left):
    result = sweep("-a", "toy", "-t", "ice40-hx8k", *arguments)
    ((points, _),) = captured
    assert list(counts(points, "width", "word_width")) == left
    assert result.stderr.count(f"note: not possible, so left out: {note}") == 1


@pytest.fixture
def stopping(monkeypatch):
    """Stop a sweep as soon as a point of some width is measured."""
    @contextlib.contextmanager
    def telling():
        def tell(event):
            if event.kind == "measured" and event.rows[0]["width"] == width[0]:
                raise KeyboardInterrupt
        yield tell

    width = [9]
    monkeypatch.setattr("explore.commands.sweep.progress", telling)
    return width


def test_a_stopped_sweep_writes_the_rows_that_it_has(sweep, stopping):
    arguments = ("-a", "toy", "-t", "ice40-hx8k", "--seeds", "2", "--output", "out", "-j", "1")
    result = sweep("-n", "8,9,10,11", *arguments)
    assert (result.exit_code, result.stdout) == (130, "")
    kept = explore.data.frame.load("out/rows.jsonl")
    assert f"rows.jsonl: {len(kept)} rows measured so far\n" in result.stderr
    assert set(kept["status"]) == {"ok"}
    assert 9 in set(kept["width"])
    assert len(kept) < 8
    # What was there of other points stays.
    stopping[0] = 12
    again = sweep("-n", "8,9,10,11,12", *arguments)
    assert again.exit_code == 130
    after = explore.data.frame.load("out/rows.jsonl")
    assert set(kept["seal"]) <= set(after["seal"])
    assert len(after) > len(kept)
    stopping[0] = 0
    assert sweep("-n", "8,9,10,11,12", *arguments).exit_code == 0
    assert len(explore.data.frame.load("out/rows.jsonl")) == 10


def test_a_stopped_sweep_of_fewer_stages_leaves_whole_rows(sweep, stopping):
    arguments = ("-a", "toy", "-t", "ice40-hx8k", "--seeds", "1", "--output", "out", "-j", "1")
    stopping[0] = 0
    assert sweep("-n", "8,9", *arguments).exit_code == 0
    before = explore.data.frame.load("out/rows.jsonl")
    stopping[0] = 10
    assert sweep("-n", "8,9,10", *arguments, "--until", "synth").exit_code == 130
    after = explore.data.frame.load("out/rows.jsonl")
    assert set(before["seal"]) < set(after["seal"])
    assert list(after[after["width"] < 10]["status"]) == ["ok", "ok"]
