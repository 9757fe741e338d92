"""Edits of the program, each made in a copy of it: what shows in rows, and what runs again."""

import json

import pytest
from copies import ALL, PLACED, ROOT, Copies

pytestmark = pytest.mark.thorough

@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    return Copies(tmp_path_factory.mktemp("copies"))


def changed(before, after):
    """Return the names of the columns that differ, for the point on each target."""
    return {row["target"]: {name for name in row if name not in ("seal", "recipe")
                            and row[name] != other[name]}
            for row, other in zip(before["rows"], after["rows"], strict=True)
            if row != other}


def _function(file, name):
    """Return the text of a function of the program."""
    text = (ROOT / file).read_text()
    begin = text.index(f"def {name}(")
    return text[begin:].partition("\n\n\n")[0].rstrip() + "\n"


CONNECT = _function("explore/netlist/harness.py", "_connect")
WORDS = _function("montgomery/core/messages.py", "from_words")
#: Derived from the usable clock.
TIMES = {"latency_us", "throughput_mbps", "throughput_pipelined_mbps", "lut_us"}
PLACE, SYNTH = (f"explore/pipeline/stages/{name}.py" for name in ("place", "synth"))


def _raised(stage):
    """Return the edit that says that the reader of a stage returns something else."""
    return stage, "    reader = ", "    reader_version = 2\n    reader = "


#: Edits, the tools that run again where only the rows of before are there, those that run again
#: where the store is warm, and columns that must differ on one target. Edits stand together that
#: concern one target each, another one, so that all that runs again is due to one of them.
EDITS = {
    "harness": ([("explore/netlist/harness.py", "capture[-1]", "~capture[-1]")], ALL, ALL, None,
                set()),
    "what is kept": ([(PLACE, '["report.json", "nextpnr.log"]', '["report.json"]')], PLACED,
                     PLACED[:3], None, set()),
    "launcher": ([("explore/tools/launch.py", "os.execv(what, [what, *arguments])",
                   "os.execv(what, [what, *arguments, *()])")], ALL, ALL, None, set()),
    "count": ([("explore/netlist/area.py", "weight * number", "2 * weight * number"),
               _raised(SYNTH)],
              ["yosys -"] * 4, [], "ice40-hx8k", {"lut", "ff", "copies", "lut_us"}),
    "reader": ([("explore/netlist/timing.py", "round(min(clocks.values()), 3)",
                 "round(min(clocks.values()) / 2, 3)"), _raised(PLACE)], PLACED, [],
               "ice40-hx8k", {"fmax_mhz", "fmax_usable_mhz"} | TIMES),
    "cells, pins and sites": (
        [("explore/devices/ice40.py", '"SB_LUT4": {"lut": 1}', '"SB_LUT4": {"lut": 2}'),
         ("explore/devices/gowin.py", "pins=(52, 3, 10)", "pins=(52, 4, 10)"),
         ("explore/devices/ecp5.py", "(4, 13, 22, 33, 42, 51, 60)", "(4, 13, 22, 33, 42, 51)")],
        ["nextpnr-ecp5 1", "nextpnr-himbaechel-gowin 1", *["yosys -"] * 3],
        ["nextpnr-ecp5 1", "nextpnr-himbaechel-gowin 1"], "ice40-hx8k",
        {"lut", "copies", "lut_us"}),
    "limits": ([("explore/devices/ice40.py", "mhz=275.0", "mhz=50.0")],
               ["nextpnr-ice40 1", "yosys -"], ["nextpnr-ice40 1"], "ice40-hx8k",
               {"constraint_mhz", "fmax_usable_mhz"} | TIMES),
    "formula": ([("explore/data/derived.py", 'measured["cycles_compute"] / usable',
                  '10 * measured["cycles_compute"] / usable')], [], [],
                "ecp5-25k", {"latency_us", "lut_us"}),
    "verifier": ([("explore/simulation/judge.py", "if list(right) != list(words)",
                   "if list(right) == list(words)")], [], [],
                 "ecp5-25k", {"status", "log"}),
    "judge's fault": ([("explore/pipeline/stages/verify.py", "found = run_all(",
                        "found = 1 // 0 or run_all(")], [], [], "ecp5-25k", {"status", "log"}),
}
#: What the statuses are after an edit of what verifies.
STATUSES = {"verifier": "unverified", "judge's fault": "tool_error"}


@pytest.mark.parametrize("name", EDITS)
def test_what_an_edit_changes(copies, name):
    edits, cold, warm, target, columns = EDITS[name]
    found = copies.sweep("another", "store", edits=edits, earlier=copies.before["rows"])
    for store, expected, (after, jobs) in zip(("another", "store"), (cold, warm), found,
                                              strict=True):
        assert jobs == expected, store
        if target:
            assert columns <= changed(copies.before, after)[target], store
        if name in STATUSES:
            assert {row["status"] for row in after["rows"]} == {STATUSES[name]}


#: Shows which rows of a file are marked.
MARKED = """
import sys
import montgomery, toy
from explore.data.frame import load
multipliers = {"toy": toy.Toy, "particular": toy.Particular}
montgomery.registry.cores = lambda kind: multipliers if kind == "multiplier" else {}
table = load(sys.argv[1])
print(*sorted(table["target"][table["earlier"]]))
"""
TARGETS = "ecp5-25k gowin-gw1nr-9c ice40-hx8k xc7"


@pytest.mark.parametrize(("edits", "marked"), [
    ([], ""),
    *([[edit], TARGETS] for edit in [
        ("explore/netlist/harness.py", "capture[-1]", "~capture[-1]"),
        ("explore/devices/model.py", "return min([fmax_mhz]", "return 0.5 * min([fmax_mhz]"),
        _raised(PLACE)]),
    *([[("explore/devices/ice40.py", old, new)], "ice40-hx8k"] for old, new in [
        ("mhz=275.0", "mhz=50.0"), ('"SB_LUT4": {"lut": 1}', '"SB_LUT4": {"lut": 2}'),
        ("capacity(7680, 0, 32)", "capacity(7000, 0, 32)"),
        ('synth="synth_ice40"', 'synth="synth_ice40 -noabc"')]),
    ([("explore/devices/ice40.py", "Lattice iCE40 HX8K, CT256", "iCE40 HX8K"),
      ("explore/pipeline/rows.py", "_made(cell)", "_made(cell) ")], "")])
def test_rows_of_another_flow_are_marked(copies, tmp_path, edits, marked):
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in copies.before["rows"]))
    assert copies.run(MARKED, rows, edits=edits).strip() == marked


#: Shows the code in the keys of libraries.
CODE = """
from explore.pipeline.stages import stages
print(*(stages()[name].code for name in ("compile", "compile_cells", "runtime")))
"""


@pytest.mark.parametrize(("edit", "differ"), [
    (("explore/simulation/build.py", 'f"-I{headers}"', 'f"-I{headers}", "-DMORE"'), True),
    (("explore/netlist/placed.py", "def core_of(", "MORE = 1\n\n\ndef core_of("), True),
    (("explore/simulation/plan.py", "from __future__", "# A comment.\nfrom __future__"), False)],
    ids=lambda each: each[0] if isinstance(each, tuple) else "")
def test_what_builds_a_library_is_in_its_key(copies, edit, differ):
    before, after = copies.run(CODE).split(), copies.run(CODE, edits=[edit]).split()
    assert all((one != other) == differ for one, other in zip(before, after, strict=True))


#: Edits after which everything stands: comments, a message, docstrings, code that no stage runs,
#: functions in other files.
MOVES = [
    *((file, "from __future__", "# A comment.\n\nfrom __future__") for file in (
        "explore/netlist/harness.py", PLACE, "explore/simulation/verify.py")),
    ("explore/netlist/timing.py", "A look-up table", "Every look-up table"),
    ("explore/data/recommend.py", "__all__ = [", "UNRELATED = 1\n__all__ = ["),
    ("explore/simulation/engine.py", "a word too many", "one word more than was due"),
    ("explore/simulation/attempt.py", '"The model is wrong: ', '"This model errs: '),
    ("montgomery/core/messages.py", '"""Split ``value``', '"""Divide ``value``'),
    ("montgomery/core/messages.py", WORDS, "from .joined import from_words\n"),
    ("montgomery/core/joined.py", "",
     f"from collections.abc import Iterable\n\n__all__ = ['from_words']\n\n\n{WORDS}"),
    ("explore/netlist/harness.py", CONNECT, ""),
    ("explore/netlist/harness.py", "\nif TYPE_CHECKING:",
     "\nfrom .connected import _connect\n\nif TYPE_CHECKING:"),
    ("explore/netlist/connected.py", "", f"from collections.abc import Mapping\n\n\n{CONNECT}"),
]


def test_what_stands_elsewhere_or_says_the_same_in_other_words_runs_nothing(copies):
    def measured(rows):
        # Which code the flow is of may change, and nothing else.
        return [row | {"seal": "", "versions": row["versions"] | {"flow": ""}} for row in rows]

    for found, jobs in copies.sweep("another", "store", edits=MOVES, earlier=copies.before["rows"]):
        assert measured(found["rows"]) == measured(copies.before["rows"])
        assert (found["ran"], jobs) == ([], [])


def test_nothing_else_runs_than_what_was_described(copies):
    (found, _), = copies.sweep("another", edits=[(
        "explore/tools/find.py", "command=launched([path])", "command=launched([path, '--more'])")])
    assert {row["status"] for row in found["rows"]} == {"tool_error"}
    assert all("did not run with the arguments that were described" in row["log"]
               for row in found["rows"])


def test_a_figure_typed_in_by_hand_does_not_stand(copies):
    rows = copies.before["rows"]
    typed = [{"lut": 100}, {"cycles_compute": 1}, {"latency_us": 0.001}, {"fmax_mhz": 999.0}]
    (after, jobs), = copies.sweep("another", earlier=[
        row | figures for row, figures in zip(rows, typed, strict=True)])
    assert jobs == ALL
    assert {column for columns in changed(copies.before, after).values()
            for column in columns} <= {"seconds_synth", "seconds_place", "date"}


#: Edits a core while it is measured.
EDITING = """
import sys
from pathlib import Path
import montgomery
from explore.pipeline.run import run
from explore.points.expand import expand
from explore.fingerprint import SourcesChanged
from explore.store import Store

row = Path(montgomery.__file__).parent / "satzoda" / "mmm_mx_1d.py"
source = row.read_text()


def edit(event):
    if event.kind == "plan":
        row.write_text(source.replace("in4)", "in4 ^ 1)", 1))


points = dict.fromkeys(expand(["mmm_mx_1d"], [8], {"arrangement": ["row"]}, ["ice40-hx8k"]), 1)
with Store(sys.argv[1]) as store:
    for on_event in (edit, lambda event: None):
        try:
            print(run(points, store=store, jobs=2, on_event=on_event)[0]["status"])
        except SourcesChanged as error:
            print(error)
        row.write_text(source)
"""


def test_sources_edited_during_a_sweep(copies, tmp_path):
    first, second = copies.run(EDITING, tmp_path / "store").splitlines()
    assert "montgomery.satzoda.mmm_mx_1d changed" in first
    # Nothing of the wrong sources was stored under the key of the right ones.
    assert second == "ok"
