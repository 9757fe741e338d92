"""Mutants of a core for which yosys needs care; others are counted through the command."""

import pytest
from toy import Toy

from explore.pipeline.mutation import verify_mutants
from explore.pipeline.on_demand import SingleStages
from explore.simulation.choice import ENGINES
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.verilator import find_verilator
from montgomery.cox_rower.exponentiator import Parameters

pytestmark = [pytest.mark.thorough,
              pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")]


def counted(folder, params, count, **options):
    """Return the report of mutants of a core, and the names of the stages that ran for it."""
    ran = []

    class Watched(SingleStages):
        def _tell_user(self, event):
            ran.extend([event.stage] if event.kind == "start" else [])

    (folder / "work").mkdir(exist_ok=True)
    with (Store(folder / "store") as store,
          Watched(store, find_compiler(), verilator=find_verilator()) as computed):
        return verify_mutants(computed, params, count, vectors=1, folder=folder / "work",
                              **options), ran


def test_registers_may_go_by_several_names(tmp_path):
    report, _ = counted(tmp_path, Parameters(width=4, word_width=6, rowers=1, window=1), 3)
    assert sum(report.counts.values()) == 3


@pytest.mark.skipif(find_verilator() is None, reason="there is no Verilator")
def test_both_simulators_find_the_same_mutants(tmp_path):
    for engine in ENGINES:
        (tmp_path / engine).mkdir()
    first, second = (counted(tmp_path / engine, Toy(width=6), 40, engine=engine)[0]
                     for engine in ENGINES)
    assert first == second
    assert first.counts["killed"] > 20


def test_what_is_known_of_mutants_is_found_once(tmp_path, monkeypatch):
    first, ran = counted(tmp_path, Toy(width=4), 8)
    assert first.counts["equivalent"]
    assert ran.count("equivalence") == 8 - first.counts["killed"]
    assert counted(tmp_path, Toy(width=4), 8) == (first, [])
    # Proofs are about the netlist, and verification may change.
    monkeypatch.setattr("explore.pipeline.mutation._Verified.judge", "explore.simulation.run")
    again, ran = counted(tmp_path, Toy(width=4), 8)
    assert again == first
    assert set(ran) == {"mutants_verified"}
