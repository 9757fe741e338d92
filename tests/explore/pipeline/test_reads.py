"""What a core of one's own reads while it is made is part of what it is."""

import json
from pathlib import Path

import pytest

from explore.data.versions import known_cores

#: A design whose register has as many bits as a file says.
CORE = """
import dataclasses
import functools
import importlib.resources
from pathlib import Path

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from montgomery.core import About
from montgomery.kinds import design

FILE = Path({file!r})
{before}


class Component(wiring.Component):
    def __init__(self):
        super().__init__({{"a": In(1), "b": Out(1)}})

    def elaborate(self, platform):
        m = Module()
        bits = {bits}
        state = Signal(bits)
        m.d.sync += state.eq(state + self.a)
        m.d.comb += self.b.eq(state[-1])
        return m


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(design.Design):
    _about = About(source="", summary="a counter")

    def create(self):
        return Component()
"""


@pytest.mark.parametrize(("before", "bits"), [
    ("", "int(FILE.read_text())"),
    ("BITS = int(FILE.read_bytes())", "BITS"),
    ("", "int(open(FILE).readline())"),
    ("import table", 'int(importlib.resources.files("table").joinpath("bits.txt").read_text())'),
], ids=["elaborated", "imported", "opened", "resource"])
def test_a_file_that_is_edited_makes_another_core(alone, tmp_path, before, bits):
    folder = tmp_path / "table"
    folder.mkdir()
    (folder / "__init__.py").touch()
    file = folder / "bits.txt"
    (tmp_path / "my_core.py").write_text(CORE.format(file=str(file), before=before, bits=bits))
    designs = []
    for number in (8, 8, 11, 8):
        file.write_text(f"{number}\n")
        done = alone("sweep", "-a", "my_core.py", "-t", "ice40-hx8k", "--until", "elaborate",
                     "--output", "out", "--json")
        assert done.returncode == 0, done.stderr
        line, = (tmp_path / "out" / "cores.jsonl").read_text().splitlines()
        facts = json.loads(line)["outcome"]["facts"]
        designs.append(facts["rtlil"])
        # What libraries read while they are imported for the core lies elsewhere on each machine.
        assert [*facts["reads"]] == [str(file)]
    assert designs[0] == designs[1] == designs[3] != designs[2]


def test_no_core_of_the_results_reads_a_file():
    """Their outcomes count on all machines."""
    entries = [entry for _, entry in known_cores(Path(__file__).parents[3] / "results")]
    assert entries
    assert not [entry["core"] for entry in entries if "reads" in entry["outcome"]["facts"]]
