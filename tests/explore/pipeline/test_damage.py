"""Stored files that are not what was stored: made again, and never used."""

import contextlib
import gzip
import shutil
import sqlite3

import pytest

from explore.pipeline.run import run
from explore.points.expand import expand
from explore.tools.compiler import find_compiler

#: Which depend on where and when something was measured.
ELSEWHERE = ("host", "date", "seconds_synth", "seconds_place")


def points(*widths):
    return dict.fromkeys(expand(["toy"], widths, {}, ["ice40-hx8k"]), 1)


def plain(rows):
    return [{name: value for name, value in row.items() if name not in ELSEWHERE} for row in rows]


def garbled(path, other):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x40
    path.write_bytes(data)


def swapped(path, other):
    shutil.copyfile(other, path)


def deleted(path, other):
    path.unlink()


def replaced_by_a_folder(path, other):
    path.unlink()
    path.mkdir()


def other_contents(path, other):
    path.write_bytes(gzip.compress(b'{"fmax": {"clk": {"achieved": 999.0}}, "critical_paths": []}'))


WAYS = (garbled, swapped, deleted, replaced_by_a_folder, other_contents)
#: Kinds of files, and the stages after the one that leaves them, whose outcomes are forgotten so
#: that the files are used.
KINDS = {"core.il": ("synth", "place"), "harness.il": ("synth", "place"),
         "netlist.json": ("place",), "core.json": (), "yosys.log": (), "report.json": (),
         "nextpnr.log": ()}


def forget(store, *stages):
    """Remove the rows, and the outcomes of stages, but leave their files."""
    with contextlib.closing(sqlite3.connect(store.path / "store.sqlite")) as database, database:
        assert database.execute("DELETE FROM rows").rowcount
        for stage in stages:
            assert database.execute("DELETE FROM outcomes WHERE stage = ?", (stage,)).rowcount


def artefacts(store, name):
    return sorted(store.path.glob(f"artefacts/*/*/{name}.gz"))


@pytest.mark.sample(3)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_files_that_are_not_what_was_stored(store, fakes, way):
    # Two widths, whose files differ.
    good = plain(run(points(8, 9), store=store, jobs=2))
    for name, stages in KINDS.items():
        first, second, *_ = artefacts(store, name)
        way(first, second)
        forget(store, *stages)
        assert plain(run(points(8, 9), store=store, jobs=2)) == good, name
        # And it is mended.
        fakes.forget()
        assert plain(run(points(8, 9), store=store, jobs=2)) == good
        assert fakes.jobs == [], name


@pytest.mark.skipif(find_compiler() is None, reason="nothing compiles the library")
def test_libraries_that_are_not_what_was_stored(store, fakes, monkeypatch):
    monkeypatch.delenv("CXX")
    good = plain(run(points(4, 5), store=store, jobs=2))
    # Each compiles one again; the others do no more than these to files of other stages.
    for way in (garbled, swapped, deleted):
        first, second = artefacts(store, "simulation.so")
        way(first, second)
        forget(store, "verify")
        assert plain(run(points(4, 5), store=store, jobs=2)) == good, way


@pytest.mark.parametrize(("mode", "status", "message"), [
    ("clock 0", "tool_error", "a clock of 0.0 MHz"), ("clock NaN", "tool_error", "of nan MHz"),
    ("clock 1" + 400 * "0", "tool_error", "rubbish"), ("clock null", "tool_error", "rubbish"),
    ("deep", "tool_error", "rubbish"), ("fifo", "tool_error", "no output"),
    ("noclock", "no_fmax", "no clock"),
])
def test_odd_reports_are_failures_of_one_point(store, fakes, mode, status, message):
    fakes.behave(nextpnr_ice40_2=mode)
    todo = dict.fromkeys(expand(["toy"], [8], {}, ["ice40-hx8k"]), 2)
    good, bad = run(todo, store=store, jobs=2)
    assert (good["status"], bad["status"]) == ("ok", status)
    assert message in bad["log"]
    assert bad["fmax_mhz"] is None
    # It is tried again, and not taken from the store, unless it would be the same.
    fakes.behave()
    assert run(todo, store=store, jobs=2)[1]["status"] == (
        "ok" if status == "tool_error" else status)
