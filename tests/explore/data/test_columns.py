"""The one schema of columns, and what derives from it."""

import json
import subprocess
import sys

from measurements import row

from explore import analysis
from explore.data.columns import COLUMNS, blank_row, measured_names
from explore.data.frame import save
from explore.data.rows import sealed
from explore.data.summary import quantities
from explore.pipeline.stages import stages


def test_a_row_has_the_columns_in_their_order():
    assert list(blank_row()) == [column.name for column in COLUMNS]
    assert list(row()) == list(blank_row())
    assert blank_row()["params"] == blank_row()["recipe"] == {}
    assert blank_row()["params"] is not blank_row()["params"]
    assert len(set(blank_row())) == len(COLUMNS)


def test_every_column_says_what_it_is():
    for column in COLUMNS:
        assert column.meaning
        assert "\n" not in column.meaning


def test_what_is_measured():
    measured = measured_names()
    assert {"lut", "fmax_mhz", "cycles_compute", "seconds_place"} <= set(measured)
    assert not {"width", "seed", "constraint_mhz", "constant_time"} & set(measured)


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


def test_a_fresh_process_knows_the_columns_of_all_stages():
    fresh = subprocess.run([sys.executable, "-c", "from explore.data.columns import known_columns;"
                            "print(*known_columns())"], text=True, capture_output=True, check=True)
    assert {column.name for stage in stages().values() for column in stage.columns} <= set(
        fresh.stdout.split())


def test_columns_of_rows_are_listed_and_documented(run):
    listed = json.loads(run("list", "columns", "--json").stdout)["columns"]
    assert list(listed)[:len(COLUMNS)] == list(blank_row()) == list(analysis.columns().index)
    assert {name for name, column in listed.items() if column["table"]} == set(quantities())
    assert not listed["params"]["table"]
