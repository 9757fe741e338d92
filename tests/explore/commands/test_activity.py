import io
import sys
import time

import pytest

from explore.commands import _progress
from explore.commands._progress import announce, meter, telling


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


@pytest.mark.parametrize(("patience", "said"), [(0.0, "writing …\n"), (60.0, "")])
def test_a_pipe_gets_a_line_once_it_takes_long(monkeypatch, patience, said):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_progress, "PATIENCE_S", patience)
    with telling("writing"):
        end = time.monotonic() + 10
        while stream.getvalue() != said and time.monotonic() < end:
            time.sleep(0.01)
    assert stream.getvalue() == said
