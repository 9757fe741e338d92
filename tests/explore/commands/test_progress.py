import io
import re
import sys

import pytest
from rich.console import Console

from explore.commands._progress import announce, live, log, meter, progress
from explore.data.labels import duration
from explore.pipeline.session import Event


def start(key, stage="synth", **more):
    return Event(kind="start", key=key, label=f"core {key}", stage=stage, status="running", total=4,
                 **more)


def finish(key, done, stage="synth", status="ok", seconds=10.0, cached=False):
    return Event(kind="finish", key=key, label=f"core {key}", stage=stage, status=status, done=done,
                 total=4, seconds=seconds, cached=cached)


WARM = Event(kind="warm", key="yosys", label="yosys: first run", status="running")
WAIT = Event(kind="wait", key="c", label="core c", stage="place", total=4)


def drawn(*events):
    """Return what a terminal shows after events: what was printed, and the last picture."""
    console = Console(file=io.StringIO(), force_terminal=True, width=100, height=30)
    with live(console) as show:
        for event in events:
            show(event)
    pictures = re.split("\r|\x1b\\[[0-9;]*[A-K]|\x1b\\[[?]25[hl]", console.file.getvalue())
    return re.sub("\x1b\\[[0-9;]*m", "", [each for each in pictures if each.strip()][-1])


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
                      WARM, Event(kind="warm", key="yosys", label="yosys: first run", status="ok",
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


@pytest.mark.parametrize(("events", "shown", "hidden"), [
    ([finish("a", 1, cached=True), start("b", done=1)], ["1/4", "synth     core b"], ["core a"]),
    ([start("b"), finish("b", 2)], ["2/4"], ["core b"]),
    ([Event(kind="plan", total=4), WARM], ["0/4", "yosys: first run"], []),
    ([WARM, Event(kind="warm", key="yosys", label="yosys: first run", status="ok")], [], ["yosys"]),
    ([WAIT], ["waits for another sweep's place     core c"], []),
    ([WAIT, start("c", stage="place")], ["place     core c"], ["waits"]),
    # Brackets in a label are no markup.
    ([start("[red]")], ["core [red]"], [])])
def test_a_terminal_shows_what_runs_and_how_far_it_is(events, shown, hidden):
    picture = drawn(*events)
    assert all(text in picture for text in shown)
    assert not any(text in picture for text in hidden)


def test_a_failure_is_printed_above_the_bar():
    console = Console(file=io.StringIO(), force_terminal=True, width=100, height=30)
    with live(console) as show:
        show(finish("a", 1, status="no_fit"))
    assert "finish synth     core a: no_fit after 10 s [1/4]" in console.file.getvalue()


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
