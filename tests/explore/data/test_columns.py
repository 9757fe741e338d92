"""Columns of rows: the one schema of them, and the versions of cores that they tell."""

import csv
import io
import json
import re
import subprocess
import sys

import pytest
from measurements import row

from explore import analysis
from explore.data.columns import COLUMNS, blank_row
from explore.data.frame import load, medians, notes, save, tidy
from explore.data.rows import sealed
from explore.data.summary import quantities, written
from explore.data.versions import core_version, flow_version
from explore.points.point import Point, completed

#: A process with one more column, in which nothing asked for the stages.
MORE = """
from explore.data import columns
from explore.data.columns import Column, Type

columns.COLUMNS += (Column("power_mw", Type.NUMBER, "of the core, estimated", "mW", spread=True,
                           stage="power", title="Power", positive=True),)

from explore.cli import cli
from explore.data.frame import load, medians

point, = medians(load("rows.jsonl")).to_dict("records")
assert [point[f"power_mw{end}"] for end in ("", "_min", "_max")] == [3, 1.5, 4.5]
cli()
"""


def test_a_column_of_a_stage_is_one_entry(tmp_path):
    def answer(*words):
        return subprocess.run([sys.executable, "-c", MORE, *words], cwd=tmp_path, text=True,
                              capture_output=True, check=False)

    save([sealed(row(seed=seed) | {"power_mw": 1.5 * seed}) for seed in (1, 2, 3)],
         tmp_path / "rows.jsonl")
    shown = answer("table", "--columns", "power_mw", "--from", "rows.jsonl")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Power" in shown.stdout
    assert "mW" in shown.stdout
    assert "3 (1.50\N{EN DASH}4.50)" in shown.stdout
    listed = json.loads(answer("list", "columns", "--json").stdout)["columns"]
    assert listed["power_mw"] == {"title": "Power", "type": "number", "unit": "mW",
                                  "meaning": "of the core, estimated", "table": True}
    save([row() | {"power_mw": -1}], tmp_path / "wrong.jsonl")
    assert "at `$.power_mw`" in answer("table", "--from", "wrong.jsonl").stderr


def test_columns_of_rows_are_listed_and_documented(run):
    listed = json.loads(run("list", "columns", "--json").stdout)["columns"]
    assert list(listed)[:len(COLUMNS)] == list(blank_row()) == list(analysis.columns().index)
    assert {name for name, column in listed.items() if column["table"]} == set(quantities())
    assert not listed["params"]["table"]


@pytest.fixture
def mixed(tmp_path):
    """A file with rows of today's version of a core, and of an earlier one."""
    rows = []
    for width, version in ((8, None), (16, "0" * 12)):
        made = row("toy", width, target="ecp5-85k")
        today = core_version(Point.from_row(made).parameters())
        rows.append(sealed(made | {"versions": {"core": version or today}}))
    save(rows, tmp_path / "rows.jsonl")
    return tmp_path / "rows.jsonl"


def test_a_frame_says_which_rows_are_of_earlier_versions(mixed):
    table = load(mixed)
    assert dict(zip(table["width"], table["earlier"], strict=True)) == {8: False, 16: True}
    assert list(medians(table)["earlier"]) == [False, True]
    assert any("1 of 2 rows are of earlier versions" in note for note in notes(table))
    assert not any("earlier versions" in note for note in notes(table[~table["earlier"]]))
    # A point is of an earlier version if a seed is.
    seeds = [json.loads(line) | {"width": 8, "seed": seed}
             for seed, line in enumerate(mixed.read_text().splitlines(), 1)]
    assert list(medians(tidy(seeds))["earlier"]) == [True]


def of_flow(version, **values):
    """Return a row of today's core, made by a flow of some version."""
    made = row("toy", 8, target="ecp5-85k") | {"recipe": {"synth": "0" * 40}, **values}
    versions = {"core": core_version(Point.from_row(made).parameters()), "flow": version}
    return sealed(made | {"versions": {name: each for name, each in versions.items() if each}})


@pytest.mark.parametrize("other", [None, "", "0" * 12])
def test_rows_of_today_win_over_those_of_another_flow(tmp_path, other):
    today = flow_version("ecp5-85k", completed(row("toy", 8, target="ecp5-85k"))[1])
    rows = {"new": of_flow(today, lut=714), "old": of_flow(other, lut=699)}
    for name, each in rows.items():
        save([each], tmp_path / f"{name}.jsonl")
    save(rows.values(), tmp_path / "both.jsonl")
    new, old, both = (tmp_path / f"{name}.jsonl" for name in ("new", "old", "both"))
    for files in ([new, old], [old, new], [both]):
        table = load(*files)
        assert list(zip(table["lut"], table["earlier"], strict=True)) == [(714, False)]
    assert list(load(old)["earlier"]) == [True]


def test_a_folder_stands_for_its_own_rows(tmp_path):
    today = flow_version("ecp5-85k", completed(row("toy", 8, target="ecp5-85k"))[1])
    for folder, lut in (("", 1), ("search", 2), ("search/deeper", 3)):
        (tmp_path / folder).mkdir(exist_ok=True)
        save([of_flow(today, seed=lut, lut=lut)], tmp_path / folder / "rows.jsonl")
    assert list(load(tmp_path)["lut"]) == [1]
    (tmp_path / "rows.jsonl").unlink()
    assert sorted(load(tmp_path)["lut"]) == [2, 3]


@pytest.mark.parametrize("format", ["terminal", "markdown", "latex"])
def test_tables_have_a_sign(mixed, format):
    text = written(load(mixed), format)
    assert text.count("†") + text.count(r"\dag{}") == 2
    assert "earlier version of the core" in " ".join(text.split())
    table = load(mixed)
    assert not re.search(r"†|\\dag", written(table[~table["earlier"]], format))


def test_plots_have_hollow_markers(mixed):
    from explore.plots._drawing import plots
    from explore.plots._style import labelled

    points = labelled(medians(load(mixed)))
    for name in ("latency_lut", "lut_width", "fmax_width"):
        figure = plots()[name].draw(points)
        hollow = [line for axes in figure.axes for line in axes.lines
                  if line.get_markerfacecolor() == "white"]
        assert [len(line.get_xdata()) for line in hollow] == [1], name
        assert "earlier version of the core" in [
            text.get_text() for text in figure.legends[0].texts]


def test_current_leaves_them_out(mixed, run):
    def ask(*options):
        found = run("table", "--from", mixed, "--format", "csv", *options)
        return [line["width"] for line in csv.DictReader(io.StringIO(found.stdout))], found.stderr

    widths, said = ask()
    assert widths == ["8", "16"]
    assert "1 of 2 rows are of earlier versions" in said
    widths, said = ask("--current")
    assert widths == ["8"]
    assert "earlier" not in said
