"""Measurements from programs of one's own, those in the documents among them."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import explore
from explore.data.columns import known_columns
from explore.data.rows import is_sealed


def test_a_point_is_measured_and_stored(fakes, store):
    point = explore.point("toy", 8, "ecp5-25k", word_width=4, options={"placer_weight": 10})
    assert (point.values["word_width"], dict(point.options)["placer_weight"]) == (4, 10)
    events = []
    row = explore.measure(point, seed=5, store=store, on_event=events.append)
    assert (row["status"], row["seed"], row["lut"], row["fmax_mhz"]) == ("ok", 5, 14, 105)
    assert row.keys() == known_columns().keys()
    assert is_sealed(row)
    assert [*store.rows().values()] == [row]
    assert {event.stage for event in events} >= {"synth", "place"}
    fakes.forget()
    assert explore.measure(point, seed=5, store=store) == row
    assert fakes.jobs == []


def test_the_import_is_quick():
    code = ("import sys, explore\nexplore.measure, explore.point\n"
            "assert not {'amaranth', 'pandas', 'numpy', 'click'} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", code], check=True)


DOCS = Path(__file__).parents[2] / "docs"
#: A block of code that begins with an import of the package, of lines that are indented or empty.
_BLOCK = re.compile(r"^    import explore\n(?:(?:    .*)?\n)*", re.MULTILINE)
PROGRAMS = [(path.name, textwrap.dedent(block)) for path in sorted(DOCS.glob("*.md"))
            for block in _BLOCK.findall(path.read_text())]


@pytest.mark.real_cores
@pytest.mark.thorough
@pytest.mark.parametrize("program", [text for _, text in PROGRAMS],
                         ids=[f"{name} {place}" for place, (name, _) in enumerate(PROGRAMS)])
def test_programs_run(program, fakes, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "document", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out
