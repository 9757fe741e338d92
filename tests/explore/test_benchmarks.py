"""Statistics of benchmarks/seeds.py, and replays of benchmarks/search.py, on made-up figures.

And flips of benchmarks/rsa_faults.py, in a small core.
"""

import importlib.util
import random
import runpy
from pathlib import Path

import numpy
import pytest
from measurements import row

from explore.data.frame import tidy
from explore.simulation.kinds import adapter
from explore.tools.compiler import find_compiler
from montgomery import rsa_crt
from montgomery.core import cycles_of, to_words

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
ROWS = BENCHMARKS.parent / "results" / "rows.jsonl"


def loaded(name):
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCHMARKS.glob("*.py")))
def test_each_benchmark_finds_what_it_imports(monkeypatch, name):
    monkeypatch.syspath_prepend(BENCHMARKS)
    runpy.run_path(BENCHMARKS / f"{name}.py", run_name="benchmark")


def test_options_are_compared_one_at_a_time():
    usual = {"placer_weight": 30, "abc": "flow3"}
    changed = {"placer_weight": (5, 0.8), "abc": ("flow", 1.1), "constraint_mhz": (50, 0.9)}
    measured = [row(arch, seed=seed, fmax=100.0 + seed, options=usual | more)
                for arch, more in (("alpha", {}), ("beta", {"dsp_placement": "rows"}))
                for seed in (1, 2, 3)]
    measured += [each | {"options": each["options"] | {name: value},
                         "fmax_mhz": factor * each["fmax_mhz"]}
                 for each in measured for name, (value, factor) in changed.items()]
    options = loaded("options")
    pairs = options.changed(tidy(measured))
    assert {key: len(own) for key, own in pairs.items()} == {
        (name, value): 6 for name, (value, _) in changed.items()}
    for name, (value, factor) in changed.items():
        assert options.change(pairs[name, value], "fmax_mhz") == pytest.approx(
            [100 * (factor - 1)] * 3)
    says = options.advice(tidy(measured), [list(range(100, 132))] * 2)
    assert "abc=flow" in says
    assert "placer_weight=5 costs 20.0 % of the clock" in says
    assert "asked for 50 MHz, it places cores that are 10.0 % slower" in says


def test_other_spreads_and_medians_are_found(monkeypatch):
    seeds = loaded("seeds")
    monkeypatch.setattr(seeds, "_PERMUTATIONS", 500)
    rng = random.Random(1)
    narrow, wide, same = ([rng.gauss(200, sigma) for _ in range(16)] for sigma in (2, 12, 2))
    assert seeds.compared("a", narrow, wide)["p_spread"] < 0.01
    found = seeds.compared("a", narrow, same)
    assert found["p_spread"] > 0.05
    assert found["p_median"] > 0.05
    assert seeds.compared("a", narrow, [each + 9 for each in same])["p_median"] < 0.01
    assert seeds.neighbours([1, 2, 3, 4, 5, 6]) == pytest.approx(1)
    assert seeds.neighbours([5, 5, 5, 5]) == 0
    small, large = seeds.seeds(16)
    assert (small, min(large) > 10**7) == (list(range(1, 17)), True)
    whole = seeds.in_all([seeds.compared(name, narrow, wide) for name in "ab"])
    assert whole["spread_large"] > 3 * whole["spread_small"]
    assert not whole["alike"]
    assert seeds.in_all([seeds.compared(name, narrow, same) for name in "ab"])["alike"]


def test_distance_from_a_reference():
    adrs = loaded("search").adrs
    reference = numpy.array([[1.0, 0.0], [2.0, 4.0]])
    assert adrs(reference, reference) == 0
    assert adrs(reference, numpy.array([[1.1, 0.0], [2.0, 4.0]])) == pytest.approx(0.05)
    assert adrs(reference, numpy.array([[1.0, 1.0], [0.5, 4.0]])) == pytest.approx(0.5)
    assert adrs(reference, reference[:0]) == float("inf")


def test_claims_of_compare_and_diff_are_judged():
    compare = loaded("compare")
    assert compare.holds({"kind": "nothing", "trials": 40, "claims": 2})
    assert not compare.holds({"kind": "nothing", "trials": 40, "claims": 3})
    assert not compare.holds({"kind": "placed alike", "trials": 40, "claims": 37})
    assert compare.holds({"kind": "placed anew", "trials": 40, "claims": 0})


def made_up(count):
    from explore.pipeline.search.searcher import Candidate

    rng = random.Random(2)
    found = []
    for index in range(count):
        core, size = "ab"[index % 2], index // 4
        lut, clocks = 100 + 40 * size + 300 * (core == "b"), 400 // (1 + size) + 20
        counted = {"width": 8, "lut": lut, "ff": lut, "dsp": size % 3, "bram": 0, "cycles_load": 1,
                   "cycles_compute": clocks, "cycles_unload": 1, "cycles_interval": clocks + 2,
                   "cycles_initiation": clocks + 2}
        found.append((Candidate(
            name=str(index), group="here", counted=counted, limit_mhz=250.0,
            arch=core, core=(core, size)),
            rng.gauss(230, 20)))
    return found


@pytest.mark.parametrize("method", ["search", "proofs", "random"])
def test_replays_find_the_whole_front(method):
    search = loaded("search")
    points, goals = made_up(24), search.objectives("latency,area")
    curve = search.replay(points, goals, method, random.Random(3), 24)
    assert len(curve) == 24
    assert curve[-1] == (pytest.approx(1), 0)
    volumes = [volume for volume, _ in curve]
    assert volumes == sorted(volumes)
    if method == "search":
        other = search.replay(points, goals, "random", random.Random(3), 24)
        assert sum(volumes[:8]) > sum(volume for volume, _ in other[:8])


@pytest.fixture(scope="module")
def small_pair(tmp_path_factory):
    """A campaign of flips in a core whose halves have a memory each."""
    if find_compiler() is None:
        pytest.skip("there is no C++ compiler")
    faults = loaded("rsa_faults")
    params = rsa_crt()["dsp_systolic"](width=20, word_width=8, window=2, arrays=2)
    campaign = faults._Campaign(params, 4, False, tmp_path_factory.mktemp("faults") / "core")
    yield campaign
    campaign.stop()


@pytest.mark.thorough
def test_no_flip_of_a_register_gives_a_wrong_signature(small_pair):
    outcomes = small_pair.flips(range(60))
    assert sum(outcomes["first"].values()) == 60
    assert outcomes["first"]["refused"] > 2
    assert not outcomes["wrong"]


@pytest.mark.parametrize("memory", ["lane_0.memory", "lane_1.memory"])
def test_halves_of_different_messages_are_refused(small_pair, memory):
    """One half alone signs another message, and finds no fault in that."""
    core, params = small_pair._core, small_pair._params
    place = next(place.index for place in core.places
                 if place.memory and place.name.startswith(memory))
    low = params.columns.number("message", 1)
    key = params.encode_key(*small_pair._key)
    for word in range(2):
        core.start()
        core.reset()
        assert core.send_key(key, 10_000)
        bit = params.word_width * (low + (word << params.columns.bits))
        _, words = core.sign(params.encode(17), 10_000, (place, bit, 2))
        assert set(words) == {0xff}
        assert params.decode(core.sign(params.encode(17), 10_000)[1]) == adapter(params).golden(
            17, *small_pair._key)


def test_no_flip_has_another_column_leave(small_pair):
    """While the result leaves, the numbers of the key are in other columns of the same memory."""
    core, params = small_pair._core, small_pair._params
    place = next(place for place in core.places if place.name == "lane_0.column")
    cycles = cycles_of(params, 17, *small_pair._key)
    result = adapter(params).golden(17, *small_pair._key)
    allowed = {*to_words(result, params.word_width, params.result_words), 0xff}
    for bit in range(place.bits):
        for clock in range(cycles.compute - 4, cycles.compute + cycles.unload, 3):
            core.start()
            core.reset()
            assert core.send_key(params.encode_key(*small_pair._key), 10_000)
            _, words = core.sign(params.encode(17), 10_000, (place.index, bit, clock))
            assert allowed.issuperset(words), (bit, clock)
