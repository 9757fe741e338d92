"""Stages are found by file, and a new one is in every measurement, row and table."""

import itertools

import pytest

from explore.data import columns
from explore.data.frame import medians, tidy
from explore.pipeline import stages as package
from explore.pipeline.run import plan, run
from explore.points.expand import expand

_NUMBERS = itertools.count()
POWER = '''
from explore.data.columns import of_stage
from explore.outcome import StageFailed
from explore.pipeline.stage import Result, Stage


def read_power(facts, file):
    return {"power_mw": float(file("power.txt")) FACTOR}


class Power(Stage):
    name = "power"
    reader = staticmethod(read_power)
    needs = ("synth",)
    reads = "synth"
    columns = of_stage("power")

    def specify(self, job, given, tools):
        return {**given["synth"], "voltage": 1.2}

    def run(self, spec, workspace):
        if not (workspace.folder / "netlist.json").stat().st_size:
            raise StageFailed("The netlist is empty")
        (workspace.folder / "power.txt").write_text("2.5")
        return Result(keep=("power.txt",))


STAGES = (Power(),)
'''


@pytest.fixture
def power(tmp_path, monkeypatch):
    """Return a function that writes the module of a stage, in place of an earlier one."""
    folder = tmp_path / "more"
    folder.mkdir()
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    monkeypatch.setattr(columns, "COLUMNS", (*columns.COLUMNS, columns.Column(
        "power_mw", columns.Type.NUMBER, "estimate from the cells", "mW", spread=True,
        stage="power")))
    columns.known_columns.cache_clear()

    def write(factor=""):
        # A name that was never imported.
        name = f"power{next(_NUMBERS)}"
        for path in folder.iterdir():
            path.rename(path.with_suffix(".old"))
        (folder / f"{name}.py").write_text(POWER.replace("FACTOR", factor))
        package.stages.cache_clear()

    yield write
    package.stages.cache_clear()
    columns.known_columns.cache_clear()


def points():
    return dict.fromkeys(expand(["toy"], [8], {}, ["ice40-hx8k", "xc7"]), 2)


def test_a_new_stage_is_one_file(store, fakes, power):
    before = run(points(), store=store, jobs=2)
    assert all(row["power_mw"] is None for row in before)
    power()
    assert plan(points(), store=store).to_run["power"] == 2
    fakes.forget()
    rows = run(points(), store=store, jobs=2)
    assert fakes.jobs == []
    assert [row["power_mw"] for row in rows] == [2.5] * 3
    assert {"synth", "place", "power"} == set(rows[0]["recipe"])
    assert [row["recipe"]["place"] for row in rows[:2]] == [
        row["recipe"]["place"] for row in before[:2]]
    assert list(medians(tidy(rows))["power_mw"]) == [2.5, 2.5]
    # Its code is in the key, so that another one runs again, and nothing else does.
    power("* 2")
    assert {name for name, count in plan(points(), store=store).to_run.items() if count} == {
        "power"}
    assert [row["power_mw"] for row in run(points(), store=store, jobs=2)] == [5.0] * 3


@pytest.mark.parametrize(("old", "new", "message"), [
    ('name = "power"', 'name = "synth"', "Stages must have different names, but two are 'synth'"),
    ('("synth",)', '("sleep",)', "Stage power needs a stage 'sleep', which there is not"),
])
def test_stages_that_cannot_be(power, monkeypatch, old, new, message):
    monkeypatch.setattr(f"{__name__}.POWER", POWER.replace(old, new, 1))
    power()
    with pytest.raises(ValueError, match=message):
        package.stages()


def test_a_stage_has_all_its_guards(power, monkeypatch):
    guard = POWER.replace('needs = ("synth",)', 'needs = ("elaborate",)\n    guards = ("synth",)')
    monkeypatch.setattr(f"{__name__}.POWER", guard.replace('    reads = "synth"\n', "").replace(
        '**given["synth"], ', ""))
    power()
    found = package.stages()
    assert {"design", "verify", "verify_cells", "power"} <= set(found["synth"].after)
