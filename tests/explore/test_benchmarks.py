"""Statistics of benchmarks/seeds.py, and replays of benchmarks/search.py, on made-up figures."""

import importlib.util
import random
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def loaded(name):
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


def made_up(count):
    from explore.pipeline.search.searcher import Candidate
    from explore.pipeline.search.speed import Settings

    rng = random.Random(2)
    found = []
    for index in range(count):
        core, weight, size = "ab"[index % 2], (10, 30)[index // 2 % 2], index // 4
        lut, clocks = 100 + 40 * size + 300 * (core == "b"), 400 // (1 + size) + 20
        counted = {"width": 8, "lut": lut, "ff": lut, "dsp": size % 3, "bram": 0, "cycles_load": 1,
                   "cycles_compute": clocks, "cycles_unload": 1, "cycles_interval": clocks + 2,
                   "cycles_initiation": clocks + 2}
        found.append((Candidate(
            name=str(index), group="here", counted=counted, limit_mhz=250.0,
            settings=Settings(core=core, params={"size": size}, options={"weight": weight})),
            rng.gauss(230, 20)))
    return found


@pytest.mark.parametrize("method", ["search", "proofs", "random", "optuna"])
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
