"""Sweeps that are stopped or killed, and several at once: nothing is lost, or done twice."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys

import pytest
from sweeps import leftovers, points, sweep
from watching import gone, soon

from explore.store import Store

#: Runs one sweep in a process of its own: store, jobs, widths.
DRIVER = """
import sys
import montgomery, toy
from explore.points.expand import expand
from explore.store import Store
from explore.pipeline.run import run
toys = {"multiplier": {"toy": toy.Toy}}
montgomery.registry.cores = lambda kind: toys.get(kind, {})
with Store(sys.argv[1]) as store:
    points = dict.fromkeys(expand(["toy"], sys.argv[3].split(","), {}, ["ice40-hx8k"]), 2)
    rows = run(points, store=store, jobs=int(sys.argv[2]))
assert all(row["status"] == "ok" for row in rows), rows
"""


def start(store, jobs=2, widths="8"):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen([sys.executable, "-c", DRIVER, store.path, str(jobs), widths],
                            env=environment, stderr=subprocess.PIPE, text=True)


def forget(store, key):
    """Remove an outcome and all rows as if they had never been entered, but leave the files."""
    with contextlib.closing(sqlite3.connect(store.path / "store.sqlite")) as database, database:
        assert database.execute("DELETE FROM outcomes WHERE key = ?", (key,)).rowcount == 1
        database.execute("DELETE FROM rows")


def outcomes(store):
    """Return the outcomes that a sweep uses again."""
    if not (file := store.path / "store.sqlite").exists():
        return {}
    with contextlib.closing(sqlite3.connect(file)) as database:
        found = dict(database.execute("SELECT key, outcome FROM outcomes"))
    return {key: text for key, text in found.items() if json.loads(text)["failure"] is None}


def test_kill_and_resume(store, fakes):
    fakes.behave(nextpnr_ice40_2="sleep 60")
    driver = start(store, jobs=1)
    assert soon(lambda: "nextpnr-ice40 2" in fakes.jobs, 20)
    driver.kill()
    driver.communicate()
    # The kernel ends the tool too.
    if sys.platform == "linux":
        assert soon(lambda: gone(pid for _, _, pid, _ in fakes.calls), 20)
    assert len(leftovers(store)) == 1
    fakes.behave()
    assert [row["status"] for row in sweep(store)] == ["ok", "ok"]
    assert fakes.jobs == ["nextpnr-ice40 1", "nextpnr-ice40 2", "nextpnr-ice40 2", "yosys -"]
    assert not leftovers(store)


def test_interrupt(store, fakes):
    fakes.behave(nextpnr_ice40="sleep 60")
    driver = start(store)
    assert soon(lambda: {"nextpnr-ice40 1", "nextpnr-ice40 2"} <= set(fakes.jobs), 20)
    driver.send_signal(signal.SIGINT)
    _, errors = driver.communicate(timeout=10)
    assert errors.rstrip().endswith("explore.pipeline.run.Stopped")
    assert gone(pid for _, _, pid, _ in fakes.calls)
    assert not leftovers(store)
    fakes.behave()
    sweep(store)
    assert fakes.jobs.count("yosys -") == 1


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_at_any_moment_nothing_is_lost(store, fakes, number):
    fakes.behave(yosys="sleep 0.1", nextpnr_ice40="sleep 0.3")
    chance, stored = random.Random(number), {}
    for _ in range(8):
        driver = start(store, widths="8,9,10,11")
        with contextlib.suppress(subprocess.TimeoutExpired):
            driver.wait(chance.uniform(0.5, 4))
        driver.send_signal(number)
        driver.communicate(timeout=30)
        assert soon(lambda: gone(pid for _, _, pid, _ in fakes.calls), 20)
        assert number == signal.SIGKILL or not leftovers(store)
        before, stored = stored, outcomes(store)
        assert before.items() <= stored.items()
    fakes.behave()
    found = sweep(store, points(widths=range(8, 12)))
    assert [row["status"] for row in found] == ["ok"] * 8
    assert stored.items() <= outcomes(store).items()


def test_two_sweeps_at_once(store, fakes):
    fakes.behave(yosys="sleep 0.2", nextpnr_ice40="sleep 0.2")
    drivers = [start(store, widths="8,9") for _ in range(2)]
    assert [driver.communicate(timeout=60)[1] for driver in drivers] == ["", ""]
    assert [driver.returncode for driver in drivers] == [0, 0]
    assert fakes.jobs == [*["nextpnr-ice40 1"] * 2, *["nextpnr-ice40 2"] * 2, *["yosys -"] * 2]
    assert len(store.rows()) == 4


def test_wait_for_another_sweep(store, fakes):
    rows = sweep(store, seeds=1)
    forget(store, rows[0]["key"])
    kinds = []
    with Store(store.path) as other:
        lock = other.lock(rows[0]["key"])

        def on_event(event):
            kinds.extend([event.kind] if event.stage == "place" else [])
            if event.kind == "wait":
                lock.release()

        assert sweep(store, seeds=1, on_event=on_event)[0]["status"] == "ok"
    assert kinds == ["wait", "start", "finish"]
