import io
import re
import sys

import pytest
from rich.console import Console

from explore.commands import _progress
from explore.commands._progress import LiveProgress, announce, log, meter, progress
from explore.data.labels import duration
from explore.pipeline.session import Event


def start(key, stage="synth", **more):
    return Event(kind="start", key=key, label=f"core {key}", stage=stage, status="running", total=4,
                 **more)


def finish(key, done, stage="synth", status="ok", seconds=10.0, cached=False):
    return Event(kind="finish", key=key, label=f"core {key}", stage=stage, status=status, done=done,
                 total=4, seconds=seconds, cached=cached)


@pytest.fixture
def live():
    console = Console(file=io.StringIO(), force_terminal=True, width=100, height=30)
    shown = LiveProgress(console)

    def drawn():
        with console.capture() as capture:
            console.print(shown.picture)
        return re.sub("\x1b\\[[0-9;]*m", "", capture.get())

    shown.drawn = drawn
    return shown


@pytest.mark.parametrize(("seconds", "text"), [
    (0.04, "0.0 s"), (4.21, "4.2 s"), (9.96, "10 s"), (59.4, "59 s"), (59.6, "1 min 00 s"),
    (65, "1 min 05 s"), (3599.7, "1 h 00 min"), (7800, "2 h 10 min")])
def test_duration(seconds, text):
    assert duration(seconds) == text


def test_plain_lines(capsys):
    with progress() as show:
        assert show is log
        for event in (Event(kind="plan", total=4), start("e", stage="elaborate"),
                      finish("e", 1, stage="elaborate", seconds=1.0),
                      finish("f", 1, stage="design", seconds=70.0),
                      finish("g", 1, stage="design", status="no_fit", seconds=1.0),
                      Event(kind="forecast", label="2 rows to measure"),
                      Event(kind="warm", key="yosys", label="yosys: first run", status="running"),
                      Event(kind="warm", key="yosys", label="yosys: first run", status="ok",
                            seconds=61),
                      finish("a", 1, cached=True), start("b"), finish("b", 2, status="no_fit"),
                      Event(kind="wait", key="c", label="core c", stage="synth"),
                      finish("d", 3, status="skipped")):
            show(event)
    lines = capsys.readouterr().err.splitlines()
    assert all(re.match(r"\d\d:\d\d:\d\d ", line) for line in lines)
    assert [line[9:] for line in lines] == [
        "finish design    core f: ok after 1 min 10 s [1/4]",
        "finish design    core g: no_fit after 1.0 s [1/4]",
        "plan   2 rows to measure", "warm   yosys: first run",
        "warm   yosys: first run: ready after 1 min 01 s", "start  synth     core b",
        "finish synth     core b: no_fit after 10 s [2/4]",
        "wait   synth     core c: another sweep computes it"]


def test_live_shows_what_runs_and_how_far_it_is(live):
    live(finish("a", 1, cached=True))
    live(start("b", done=1))
    drawn = live.drawn()
    assert "1/4 (1 stored)" in drawn
    assert "synth     core b" in drawn
    assert "left" not in drawn
    live(finish("b", 2))
    drawn = live.drawn()
    assert "2/4 (1 stored) about" in drawn
    assert "core b" not in drawn


def test_time_left_follows_the_stages_that_ran(live, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(_progress.time, "monotonic", lambda: now[0])
    live(start("a"))
    now[0] += 30
    live(finish("a", 1))
    assert "about 1 min 30 s left" in live.drawn()
    now[0] += 30
    live(finish("b", 4))
    assert "left" not in live.drawn()


def test_live_shows_warming_and_waiting(live):
    live(Event(kind="plan", total=4))
    live(Event(kind="warm", key="yosys", label="yosys: first run", status="running"))
    drawn = live.drawn()
    assert "0/4" in drawn
    assert "yosys: first run" in drawn
    live(Event(kind="warm", key="yosys", label="yosys: first run", status="ok"))
    assert "yosys" not in live.drawn()
    live(Event(kind="wait", key="c", label="core c", stage="place", total=4))
    assert "waits for another sweep's place     core c" in live.drawn()
    live(start("c", stage="place"))
    assert live.drawn().count("core c") == 1
    assert "waits" not in live.drawn()


def test_brackets_in_a_label_are_not_markup(live):
    live(Event(kind="start", key="a", label="core [red]", stage="synth", status="running", total=1))
    assert "core [red]" in live.drawn()


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_a_terminal_gets_a_bar(monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    announce("compiling")
    assert stream.getvalue() == "compiling …\n"
    with meter("simulating") as update:
        update(1, 4)
    assert ("simulating" in stream.getvalue()) == stream.isatty()
