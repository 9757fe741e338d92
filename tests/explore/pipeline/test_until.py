"""Sweeps that end before the last stage."""


import pytest

from explore.data.frame import load, medians, save
from explore.data.rows import read, sealed
from explore.pipeline.run import Sweep, plan, run
from explore.points.expand import expand

#: From each stage to columns that are known when it has ended, and to columns that are not.
KNOWN = {"elaborate": ("width", "cycles_compute"), "design": ("design", "cycles_compute"),
         "verify": ("cycles_compute", "lut"), "synth": ("lut", "fmax_mhz")}


def points(*targets, arch="toy"):
    return expand([arch], [8], {}, targets or ["ecp5-25k"])


def until(store, stage, todo=None, seeds=3, **options):
    sweep = Sweep(points=dict.fromkeys(todo or points(), seeds), until=stage, **options)
    rows = run(sweep, store=store, jobs=2)
    return rows


@pytest.fixture
def command(request):
    """The fixture ``run``, whose name is that of a function here."""
    return request.getfixturevalue("run")


@pytest.mark.parametrize("stage", KNOWN)
def test_it_ends_after_any_stage(store, fakes, stage):
    events = []
    sweep = Sweep(points=dict.fromkeys(points(), 3), until=stage)
    row, = run(sweep, store=store, jobs=2, on_event=events.append)
    known, unknown = KNOWN[stage]
    # Nothing that is asked for depends on the seed.
    assert (row["status"], row["seed"], row["log"]) == ("partial", 1, None)
    assert row[known] is not None
    assert row[unknown] is None
    assert fakes.jobs == (["yosys -"] if stage == "synth" else [])
    assert (events[-1].done, events[-1].total) == (events[-1].total, len(
        {event.key for event in events if event.kind == "finish"}))


def test_the_last_stage_is_a_whole_sweep(store, fakes):
    rows = until(store, "place")
    assert [(row["status"], row["seed"]) for row in rows] == [("ok", 1), ("ok", 2), ("ok", 3)]
    assert rows == run(dict.fromkeys(points(), 3), store=store)


@pytest.mark.parametrize(("stage", "target", "arch", "mode", "status"), [
    ("synth", "xc7", "toy", "ok", "area_only"), ("verify", "xc7", "toy", "ok", "partial"),
    ("synth", "ecp5-25k", "toy", "fail ERROR: no such cell", "tool_error"),
    ("verify", "ecp5-25k", "toy", "fail ERROR: no such cell", "partial"),
    ("synth", "ecp5-25k", "wrong", "ok", "unverified")])
def test_the_status_says_what_was_asked_for(store, fakes, stage, target, arch, mode, status):
    fakes.behave(yosys=mode)
    assert [row["status"] for row in until(store, stage, points(target, arch=arch))] == [status]


def test_a_stored_row_that_says_more_stays(store, fakes):
    whole = run(dict.fromkeys(points(), 2), store=store)
    fakes.forget()
    partial, = until(store, "synth")
    assert fakes.jobs == []
    assert (partial["status"], partial["lut"]) == ("partial", whole[0]["lut"])
    assert sorted(store.rows().values(), key=lambda row: row["seed"]) == whole
    # But a row of other results makes way.
    with store.database.write() as database:
        database.execute("DELETE FROM outcomes")
    store.remember_rows({points()[0].identity(1): {**whole[0], "recipe": {"synth": "old"}}})
    until(store, "synth")
    assert {row["seed"]: row["status"] for row in store.rows().values()} == {1: "partial", 2: "ok"}


def test_the_plan_counts_what_is_asked_for(store, fakes):
    sweep = Sweep(points=dict.fromkeys(points(), 3), until="synth")
    planned = plan(sweep, store=store)
    assert (planned.rows, planned.to_run["synth"], planned.to_run["place"]) == (1, 1, 0)
    until(store, "synth")
    planned = plan(sweep, store=store)
    assert sum(planned.to_run.values()) == 0
    assert planned.forecast.stored == 1


def test_seeds_may_be_any(store, fakes):
    rows = run({points()[0]: (7, 321)}, store=store)
    assert [(row["seed"], row["status"]) for row in rows] == [(7, "ok"), (321, "ok")]
    for wrong in ((0,), (), 0):
        with pytest.raises(ValueError, match="Seeds must be 1 or more, not"):
            run({points()[0]: wrong}, store=store)


def test_the_option(command, fakes, tmp_path):
    result = command("sweep", "-a", "toy", "-n", "8", "-t", "ecp5-25k", "--until", "synth",
                     "--output", "out")
    assert result.exit_code == 0, result.stderr
    assert "Area, nothing placed" in result.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"lut_width.svg", "table.md"}
    assert fakes.jobs == ["yosys -"]
    assert medians(load(tmp_path / "out" / "rows.jsonl")).iloc[0]["lut"] == 14
    result = command("sweep", "-a", "toy", "-n", "8", "--until", "plaec")
    assert result.exit_code == 2
    assert "Unknown stage 'plaec'; did you mean 'place'?" in result.stderr


@pytest.mark.usefixtures("fakes", "sketched")
def test_what_is_partial_replaces_no_whole_row_of_a_folder(command, tmp_path):
    given = ("sweep", "-a", "toy", "-n", "8", "-t", "ecp5-25k", "--output", "out")
    assert command(*given).exit_code == 0
    path = tmp_path / "out" / "rows.jsonl"
    # Measured by another flow, as if the program had changed since.
    old = [sealed(row | {"recipe": dict.fromkeys(row["recipe"], "0" * 40)}) for row in read(path)]
    save(old, path)
    found = command(*given, "--until", "synth", "--store", str(tmp_path / "other"))
    assert found.exit_code == 0, found.stderr
    assert read(path) == old
    assert command(*given, "--store", str(tmp_path / "other")).exit_code == 0
    assert read(path) != old
