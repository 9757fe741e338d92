import io
import sys

import pytest

from explore.commands._progress import announce, meter


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
