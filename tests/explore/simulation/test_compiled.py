"""Compiled simulation: the same as Amaranth's, from any compiler or none."""

import dataclasses
from pathlib import Path

import pytest
from amaranth.hdl import Cat
from compiled_cores import core_library
from toy import Multiplier, Toy
from toy_key import Keyed

from explore.errors import ToolMissing
from explore.pipeline import on_demand
from explore.pipeline.run import run as sweep
from explore.points.expand import expand
from explore.simulation import AmaranthEngine, CompiledEngine, Mismatch, random_vectors, simulate
from explore.simulation.build import LIBRARY, driver_hash
from explore.simulation.exhaustive import LARGEST_WIDTH, verify_exhaustive
from explore.store import Store
from explore.tools import compiler as compilers
from explore.tools.compiler import ADVICE, find_compiler
from explore.tools.verilator import find_verilator

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")

#: Three widths of a stream: half a chunk, one and more than two of 32 bits.
TOYS = [Toy(width=9, word_width=8), Toy(width=40, word_width=32), Toy(width=70, word_width=64)]
#: With a port for keys, of one number of 32 bits, and of more.
KEYED = [Keyed(width=13, word_width=8), Keyed(width=70, word_width=35)]
WAYS = ({}, {"chained": True}, {"seed": 5, "i_gap": 0.4, "o_gap": 0.6},
        {"seed": 6, "o_gap": 0.5, "prelude": 30}, {"prelude": 10_000})
WAYS_OF_KEYS = (
    {"seed": 5, "i_gap": 0.4, "o_gap": 0.6, "k_gap": 0.5}, {"seed": 6, "k_gap": 0.5, "prelude": 30},
    {"eager": True, "seed": 1, "k_gap": 0.4, "i_gap": 0.2},
    {"superseded": True, "eager": True, "seed": 2, "k_gap": 0.2, "o_gap": 0.3},
    {"prelude": 90, "blocked": True, "eager": True, "seed": 4, "k_gap": 0.5},
    {"calm": 2, "seed": 3, "i_gap": 0.4, "o_gap": 0.6, "burst": 30},
    {"hesitant": True, "chained": True, "seed": 5, "k_gap": 0.5, "i_gap": 0.2, "o_gap": 0.3})


@pytest.fixture
def library(kept_folder, tmp_path):
    """Return a function that compiles a core, unless another test had it compiled."""
    with Store(kept_folder / "store-of-toys") as store:
        yield lambda params, **options: core_library(
            store, params, tmp_path, find_compiler(), **options)


def _point():
    return expand(["toy"], [8], {}, ["ice40-hx8k"], {})[0]


def _program(path: Path, *lines: str) -> str:
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return str(path)


@needs_compiler
@pytest.mark.parametrize("params", [*TOYS, *KEYED], ids=str)
def test_both_simulators_do_the_same_clock_for_clock(params, library):
    vectors = random_vectors(params, 5, 3)
    vectors[2:2] = [(0, 1, vectors[1][2])]  # with the key of the one before
    engine = CompiledEngine(library(params))
    for options in (*WAYS, *(WAYS_OF_KEYS if params in KEYED else ())):
        assert (simulate(params, vectors, engine=engine, **options)
                == simulate(params, vectors, **options)), options


@needs_compiler
def test_both_simulators_tell_the_same_of_a_core_that_says_too_much(library):
    # One word less than each result has is expected.
    class Curt(Toy):
        @property
        def result_words(self):
            return self.words - 1

    params = Curt(width=16)
    vectors = random_vectors(params, 2, 0)
    found = []
    for engine in (AmaranthEngine(params), CompiledEngine(library(Toy(width=16)))):
        with pytest.raises(Mismatch) as caught:
            simulate(params, vectors[:1], engine=engine)
        found.append((str(caught.value), caught.value.index, caught.value.clock))
    assert found[0] == found[1]
    assert "a word too many" in found[0][0]


@needs_compiler
@pytest.mark.parametrize("compiled", [True, False])
def test_waveforms_name_the_signals(compiled, store, tmp_path):
    testbed = on_demand.Testbed(store, _point(), tmp_path,
                              engine="cxxrtl" if compiled else "amaranth")
    params, engine = testbed.params, testbed.waveform_engine()
    vectors = random_vectors(params, 2, 0)
    result = simulate(params, vectors, engine=engine, waveform=tmp_path / "x.vcd")
    assert result.products == simulate(params, vectors).products
    text = (tmp_path / "x.vcd").read_text()
    assert all(f" {name} " in text for name in ("clk", "total", "step", "modulus"))
    times = [int(line[1:]) for line in text.splitlines() if line.startswith("#")]
    assert times[0] == 0
    assert len(times) >= result.clocks


# Which compiler

def test_the_compiler_that_cxx_names(monkeypatch, tmp_path):
    path = _program(tmp_path / "my compiler", "echo mine 3.1", "echo more")
    monkeypatch.setenv("CXX", f"'{path}' -fsome-option")
    assert find_compiler() == compilers.Compiler(command=(path, "-fsome-option"),
                                                 version="mine 3.1")


@pytest.mark.parametrize(("variable", "name", "lines", "message"), [
    ("CXX", "missing", None, "which is not an executable; correct it"),
    ("CXX", "failing", ["echo no licence >&2", "exit 3"],
     "does not run as a compiler (no licence)"),
    ("CXX", "silent", ["exit 3"], "does not run as a compiler (it ended with status 3)"),
    ("CXX", "mute", ["exit 0"], "does not run as a compiler (it says nothing)"),
    ("VERILATOR", "missing", None, "which is not an executable; correct it"),
    ("VERILATOR", "other", ["echo GNU hello 3"], "(it says 'GNU hello 3')"),
    ("VERILATOR", "old", ["echo Verilator 4.038 2020-07-11"],
     "(Verilator 4.038 is older than Verilator 5)"),
    ("VERILATOR", "mute", ["exit 0"], "(it says nothing)"),
    ("VERILATOR", "homeless", ['[ "$1" = --getenv ] && echo /nowhere || echo Verilator 5.048'],
     "(/nowhere/include, where its runtime should be, has no verilated.cpp)"),
])
def test_a_program_that_a_variable_should_not_name(monkeypatch, tmp_path, variable, name, lines,
                                                   message):
    path = tmp_path / name
    if lines is not None:
        _program(path, *lines)
    monkeypatch.setenv(variable, str(path))
    with pytest.raises(ToolMissing) as caught:
        (find_compiler if variable == "CXX" else find_verilator)()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_usual_compilers_in_their_order(monkeypatch, tmp_path):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compilers.importlib.util, "find_spec", lambda name: None)
    assert find_compiler() is None
    found = []
    for name, lines in (("clang++", ["echo clang"]), ("g++", ["exit 1"]), ("g++", ["echo gcc"])):
        _program(tmp_path / name, *lines)
        compilers._usual.cache_clear()
        compilers._asked.cache_clear()
        found.append(find_compiler().version)
    # One that does not run is passed over.
    assert found == ["clang", "clang", "gcc"]
    compilers._usual.cache_clear()


def test_a_compiler_is_its_contents_options_and_version(monkeypatch, tmp_path):
    def identity(folder, *lines, options=""):
        (tmp_path / folder).mkdir(exist_ok=True)
        monkeypatch.setenv("CXX", f"{_program(tmp_path / folder / 'cxx', *lines)} {options}")
        compilers._asked.cache_clear()
        return find_compiler().identity

    first = identity("a", "echo mine 3.1")
    assert len(first) == 64
    assert identity("b", "echo mine 3.1") == first
    assert identity("a", "echo mine 3.2") != first
    assert identity("a", "echo mine 3.1 # else") != first
    assert identity("a", "echo mine 3.1", options="-O3") != first
    assert (compilers.Compiler(command=("/bin/sh",), version="1").identity
            != compilers.Compiler(command=("/bin/sh",), version="2").identity)


def test_a_compiler_that_is_a_package_is_its_version(monkeypatch):
    def zig(python):
        return compilers.Compiler(command=(python, "-m", "ziglang", "c++"), version="1").identity

    monkeypatch.setattr(compilers.importlib.metadata, "version", lambda name: f"{name} 1")
    first = zig("/one/python")
    assert zig("/other/python") == first
    monkeypatch.setattr(compilers.importlib.metadata, "version", lambda name: f"{name} 2")
    assert zig("/one/python") != first


def test_a_sweep_without_a_compiler_says_what_that_costs(store, fakes):
    events = []
    rows = sweep({_point(): 1}, store=store, on_event=events.append)
    assert [row["status"] for row in rows] == ["ok"]
    assert [event.label for event in events if event.kind == "note"] == [ADVICE]
    # Nothing is to be simulated the second time.
    events.clear()
    sweep({_point(): 1}, store=store, on_event=events.append)
    assert not [event for event in events if event.kind == "note"]


# Compilations that fail, or end early


def test_a_compiler_that_fails_is_a_row(store, fakes, monkeypatch, tmp_path):
    path = _program(tmp_path / "c++", '[ "$1" = --version ] && echo it 1 && exit',
                    "echo 'x.cc:1: error: too clever' >&2", "exit 1")
    monkeypatch.setenv("CXX", path)
    row, = sweep({_point(): 1}, store=store)
    assert row["status"] == "tool_error"
    assert "The C++ compiler ended with status 1: x.cc:1: error: too clever" in row["log"]
    assert fakes.jobs == []


@needs_compiler
def test_a_library_that_cannot_be_loaded_is_one_line(store, fakes, monkeypatch, tmp_path):
    monkeypatch.delenv("CXX")
    # A compiler that ends well and leaves what is no library.
    program = _program(tmp_path / "c++", '[ "$1" = --version ] && echo it 1 && exit',
                       f"echo of another machine > {LIBRARY}")
    monkeypatch.setenv("CXX", str(program))
    row, = sweep({_point(): 1}, store=store)
    assert row["status"] == "tool_error"
    assert row["log"].startswith("The compiled simulation cannot be loaded (")


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


@needs_compiler
def test_exhaustive_takes_all_operands(library):
    params, seen = Toy(width=5), []
    expected = sum(modulus ** 2 for modulus in range(3, 32, 2))
    report = verify_exhaustive(params, library=library(params),
                               progress=lambda *counts: seen.append(counts))
    assert report.ok
    assert report.vectors == expected
    assert seen[-1] == (expected, expected)


def test_exhaustive_refuses_what_would_take_for_ever():
    with pytest.raises(ValueError, match=f"Width must be {LARGEST_WIDTH} or less"):
        verify_exhaustive(Toy(width=LARGEST_WIDTH + 1), library=None)
