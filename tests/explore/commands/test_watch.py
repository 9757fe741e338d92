"""The command ``montgomery watch``, and what sweeps tell it."""

import io
import itertools
import json
import multiprocessing
import os
import re

import pytest
from console import assert_refused
from rich.console import Console
from watching import soon

from explore.commands import watch
from explore.commands._announced import Announcement
from explore.pipeline.events import Event
from explore.store import Store
from explore.store.status import statuses

SWEEP = "sweep -a toy -n 8 -t ice40-hx8k --seeds 1"


def start(key, stage="synth", **more):
    return Event(kind="start", key=key, label=f"core {key}", stage=stage, status="running", total=4,
                 **more)


def finish(key, done, status="ok", cached=False):
    return Event(kind="finish", key=key, label=f"core {key}", stage="synth", status=status,
                 done=done, total=4, seconds=10.0, cached=cached)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(watch, "_INTERVAL_S", 0.02)
    monkeypatch.setattr("explore.store.status.INTERVAL_S", 0.02)


@pytest.fixture
def announced(tmp_path):
    """A sweep that others hear of, as a function of its events; it waits until they do."""
    path = tmp_path / "store"
    Store(path).open().close()
    with Announcement(path, ["montgomery", "sweep", "a b.toml"]) as announce:
        count = itertools.count()

        def tell(*events):
            last = Event(kind="forecast", label=f"{next(count)} rows to measure")
            for event in (*events, last):
                announce(event)
            assert soon(lambda: [each.forecast for each in statuses(path)] == [last.label])
            return statuses(path)[0]

        yield tell


def test_events_of_a_sweep_are_told(announced):
    status = announced(
        Event(kind="plan", total=4), finish("a", 1, cached=True), start("b"),
        finish("b", 2, status="no_fit"), start("c"),
        Event(kind="warm", key="yosys", label="yosys: first run", status="running"),
        Event(kind="wait", key="d", label="core d", stage="place", done=2, total=4))
    assert (status.done, status.total, status.stored, status.failed) == (2, 4, 1, 1)
    assert status.forecast == "0 rows to measure"
    assert [(job.stage, job.label, job.waits) for job in status.running] == [
        ("synth", "core c", False), ("", "yosys: first run", False), ("place", "core d", True)]
    assert 0 < status.seconds_left < 20
    assert status.pid == os.getpid()
    status = announced(finish("c", 3), Event(kind="warm", key="yosys", status="ok"))
    assert [job.label for job in status.running] == ["core d"]


def test_once_shows_what_runs(run, announced):
    announced(Event(kind="plan", total=4), finish("a", 1), start("b", done=1))
    result = run("watch", "--once")
    lines = result.stdout.splitlines()
    assert (result.exit_code, result.stderr) == (0, "")
    assert lines[0].startswith(f"montgomery sweep 'a b.toml' (process {os.getpid()} on ")
    assert re.fullmatch(r"  1/4 stages, \S+ s so far, about \S+ s left", lines[1])
    assert lines[2] == "  0 rows to measure"
    assert re.fullmatch(r"  synth     core b: \S+ s so far", lines[3])
    document = json.loads(run("watch", "--once", "--json").stdout)
    assert document["schema"] == 1
    assert [job["label"] for job in document["sweeps"][0]["running"]] == ["core b"]


def test_work_on_another_host_is_told_with_its_name(run, announced):
    announced(Event(kind="start", key="b", label="core b", stage="place", status="running",
                    host="node7"))
    assert "place     core b on node7: " in run("watch", "--once").stdout


def test_picture_on_a_terminal(tmp_path, announced):
    announced(finish("a", 1), start("[red]", done=1))
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    looks = iter([statuses(tmp_path / "store"), []])
    watch._show_live(lambda: next(looks), console)
    text = re.sub("\x1b\\[[0-9;?]*[a-zA-Z]", "", console.file.getvalue())
    assert "montgomery sweep 'a b.toml' (process" in text
    assert "1/4 stages" in text
    assert "core [red]" in text
    assert "ended: montgomery sweep 'a b.toml'" in text


def test_none_runs(run, tmp_path):
    result = run("watch")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"No sweep runs on {tmp_path / 'store'}\n"
    assert json.loads(run("watch", "--json").stdout)["sweeps"] == []
    assert not (tmp_path / "store").exists()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "letter").touch()
    assert_refused(run("watch", "--store", "folder"), "folder is not a montgomery store")


def test_a_sweep_is_watched_from_its_start_to_its_end(run, fakes, tmp_path):
    fakes.behave(nextpnr_ice40="sleep 1")
    sweep = multiprocessing.get_context("fork").Process(target=run, args=SWEEP.split())
    sweep.start()
    try:
        path = tmp_path / "store"
        assert soon(lambda: statuses(path))
        watched = run("watch")
        # The folder goes a moment after the file in it. The sweep may still draw, unwatched.
        assert soon(lambda: not (path / "running").exists())
    finally:
        sweep.kill()
        sweep.join()
    lines = [line[9:] for line in watched.stdout.splitlines()]
    assert (watched.exit_code, watched.stderr) == (0, "")
    assert any(line.startswith(f"{sweep.pid} plan   1 rows to measure") for line in lines)
    assert any(re.search(r"^\d+ start  place     toy/8", line) for line in lines)
    assert re.fullmatch(rf"{sweep.pid} ended; \d/\d stages were finished when it was last seen",
                        lines[-1])
