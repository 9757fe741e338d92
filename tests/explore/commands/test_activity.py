import io
import sys
import time

import pytest
from watching import soon

from explore.commands import _activity
from explore.commands._activity import Activity


@pytest.fixture
def stream(monkeypatch):
    """Have much be told soon; return a function that puts a stream in the place of stderr."""
    monkeypatch.setattr(_activity, "PATIENCE_S", 0.001)
    monkeypatch.setattr(_activity, "INTERVAL_S", 0.01)

    def taken(stream):
        monkeypatch.setattr(sys, "stderr", stream)
        return stream

    return taken


def test_what_takes_long_is_told_again_and_again(stream):
    stream = stream(io.StringIO())
    with Activity() as activity:
        activity.announce("compiling")
        assert stream.getvalue() == "compiling …\n"
        assert soon(lambda: stream.getvalue().count("compiling: 0.") >= 2)
        with activity.meter("simulating") as update:
            assert soon(lambda: "simulating: 0." in stream.getvalue())
            update(1200, 4000)
            assert soon(lambda: "simulating: 1,200 of 4,000, 0." in stream.getvalue())
        with activity.during("writing"):
            assert soon(lambda: "writing: 0." in stream.getvalue())
    assert stream.getvalue().splitlines()[-1].endswith(" s so far")


def test_what_is_quick_is_not_told(stream, monkeypatch):
    monkeypatch.setattr(_activity, "PATIENCE_S", 600.0)
    stream = stream(io.StringIO())
    with Activity() as activity:
        with activity.meter("simulating") as update:
            update(1, 1)
        with activity.during("writing"):
            pass
    assert stream.getvalue() == ""


def test_nothing_is_told_of_what_has_ended(stream):
    stream = stream(io.StringIO())
    with Activity() as activity:
        with activity.during("writing"):
            pass
        before = stream.getvalue()
        time.sleep(0.02)
        assert stream.getvalue() == before


def test_a_terminal_gets_a_bar_in_place_of_lines(stream):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = stream(Terminal())
    with Activity() as activity, activity.meter("simulating") as update:
        update(1, 4)
        time.sleep(0.02)
    assert "so far" not in stream.getvalue()
    assert "simulating" in stream.getvalue()
