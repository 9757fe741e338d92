import io
import sys

import pytest

from explore.commands._activity import Activity


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_a_terminal_gets_a_bar(monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    with Activity() as activity:
        activity.announce("compiling")
        assert stream.getvalue() == "compiling …\n"
        with activity.meter("simulating") as update:
            update(1, 4)
        with activity.during("writing"):
            pass
    said = stream.getvalue()
    assert {"simulating" in said, "writing" in said} == {stream.isatty()}
