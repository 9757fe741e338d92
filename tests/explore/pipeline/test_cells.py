"""What is synthesised is verified with the cells of its family, before its synthesis counts."""

import dataclasses

import pytest
from toy import Toy
from toy_broken import Made

from explore.pipeline.knowledge import CoreFile
from explore.pipeline.run import Sweep, plan, run
from explore.pipeline.stages.cells import few_bits
from explore.points.expand import expand
from explore.store import Store
from explore.tools.compiler import find_compiler
from montgomery.dsp_systolic.multiplier import Parameters

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")


@pytest.fixture
def registered():
    return {"multiplier": {"made": Made, "toy": Toy}}


@pytest.fixture
def fakes(fakes, monkeypatch):
    """Tools that are not real, but for the yosys of the package and the compiler."""
    monkeypatch.delenv("CXX")
    return fakes


def measured(store, arch="made", width=24, target="ecp5-25k", **params):
    points = expand([arch], [width], {name: [value] for name, value in params.items()}, [target])
    events = []
    rows = run(Sweep(points=dict.fromkeys(points, 1)), store=store, jobs=2,
                         on_event=events.append)
    return rows[0], {event.stage: event.status for event in events if event.kind == "finish"}


def test_a_core_with_right_cells_is_synthesised(store, fakes):
    row, ended = measured(store)
    assert row["status"] == "ok"
    assert ended["verify_cells"] == "ok"


def test_a_core_with_a_wrong_cell_is_not_synthesised(store, fakes):
    row, ended = measured(store, cell="wrong")
    assert (ended["verify"], ended["verify_cells"]) == ("ok", "unverified")
    assert fakes.jobs == []
    assert row["status"] == "unverified"
    assert "cells of ecp5, at 24 bits" in row["log"]
    assert row["lut"] is None
    # The failure is an outcome: nothing runs again.
    assert measured(store, cell="wrong")[0] == row


def test_a_wrong_cell_of_one_family_is_none_of_another(store, fakes):
    row, _ = measured(store, cell="wrong", target="ice40-up5k")
    assert row["status"] == "ok"


def test_a_portable_core_has_no_cells_to_be_verified(store, fakes):
    row, ended = measured(store, "toy")
    assert row["status"] == "ok"
    assert {"small", "verify_cells"}.isdisjoint(ended)


@pytest.mark.parametrize("width", [8, 40, 41, 1024])
def test_few_bits(width):
    core = Parameters(width=width, word_width=17, digit_width=17)
    assert few_bits(core) == dataclasses.replace(core, width=min(width, 40))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sixties(Made):
    def _check_parameters(self):
        if self.width % 60:
            raise ValueError("Width must be a multiple of 60")


def test_few_bits_are_legal():
    assert few_bits(Sixties(width=240)).width == 60


def test_cells_of_what_was_synthesised_before_are_not_verified_again(store, fakes, tmp_path):
    points = dict.fromkeys(expand(["made"], [24], {}, ["ecp5-25k"]), 1)
    cores = CoreFile(tmp_path)
    before, = run(Sweep(points=points, cores=cores), store=store, jobs=2)
    with Store(tmp_path / "empty") as empty:
        planned = plan(Sweep(points=points, before=[before], cores=CoreFile(tmp_path)),
                       store=empty)
    assert not any(planned.to_run.values())
