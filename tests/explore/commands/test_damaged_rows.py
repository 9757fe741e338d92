"""Stores of which some rows are damaged: every command that reads rows says how many."""

import contextlib
import json
import sqlite3

import pytest
from console import assert_refused
from measurements import row, rows

from explore.data.frame import load, notes
from explore.store import Store

ROWS = {f"identity {index}": each for index, each in enumerate(rows())}
#: What becomes of an entry, as an assignment of SQL.
DAMAGE = {
    "figure": "row = replace(row, '\"lut\": ', '\"lut\": 1')",
    "status": "row = replace(row, '\"ok\"', '\"ov\"')",
    "text": "row = substr(row, 1, 100)",
    "no text": "row = CAST(x'7b00fffe' AS TEXT)",
    "checksum": "checksum = substr(checksum, 1, 63) || 'x'",
    "no checksum": "checksum = ''",
    "identity": "identity = identity || 'x'",
    "number": "row = 7",
}
READING = ("table", "plot lut_width --format svg --output out", "recommend --bits 64",
           "report --format markdown --output out", "compare store store", "store info",
           "store info --json", "store prune -a alpha --dry-run", "table --format csv", "doctor",
           "recommend --bits 64 --json")


def damage(path, statement, count):
    with contextlib.closing(sqlite3.connect(path / "store.sqlite")) as database, database:
        changed = database.execute(f"UPDATE rows SET {statement} WHERE rowid IN "
                                   "(SELECT rowid FROM rows LIMIT ?)", (count,))
        assert changed.rowcount == count


@pytest.fixture
def filled(store):
    store.remember_rows(ROWS)
    store.close()
    return store.path


@pytest.mark.parametrize("kind", DAMAGE)
def test_what_is_left_out_is_counted(filled, kind, caplog):
    damage(filled, DAMAGE[kind], 5)
    table = load(filled)
    assert len(table) == len(ROWS) - 5
    remark, = notes(table)
    assert remark.startswith(f"5 rows of the store {filled} are damaged and left out; 'montgomery "
                             "store check'")
    assert [record.message for record in caplog.records] == [remark]


@pytest.mark.parametrize("command", READING)
def test_each_command_says_it(run, filled, command):
    whole = run(*command.split())
    damage(filled, DAMAGE["figure"], 1)
    found = run(*command.split())
    assert found.exit_code == whole.exit_code
    said = f"note: 1 row of the store {'store' if 'compare' in command else filled} is damaged"
    assert found.stderr.count(said) == (2 if "compare" in command else 1)
    assert said not in found.stdout
    if "--json" in command:
        json.loads(found.stdout)


@pytest.mark.parametrize("command", ["table", "plot", "recommend --bits 64", "report",
                                     "compare store store"])
def test_no_row_can_be_read(run, filled, command):
    damage(filled, DAMAGE["figure"], len(ROWS))
    assert_refused(run(*command.split()), f"There are no measurements that can be read: {len(ROWS)}"
                                          " rows of the store")


def test_a_sweep_says_it_and_mends_it(run, fakes, tmp_path):
    words = ("sweep", "-a", "toy", "-n", "8", "-t", "ice40-hx8k", "--seeds", "2")
    assert run(*words).exit_code == 0
    damage(tmp_path / "store", DAMAGE["figure"], 1)
    found = run(*words, "--json")
    assert found.exit_code == 0
    json.loads(found.stdout)
    assert "note: 1 row of the store" in found.stderr
    assert "note: " not in run(*words).stderr


def test_rows_that_are_none_end_no_sweep(run, fakes, tmp_path):
    words = ("sweep", "-a", "toy", "-n", "8", "-t", "ice40-hx8k", "--seeds", "1")
    assert run(*words).exit_code == 0
    wrong = [{}, {"arch": 3}, {"arch": "toy", "width": "wide"}, {"seed": 1},
             row() | {"versions": 7}, row() | {"recipe": [1]}]
    with Store(tmp_path / "store") as store:
        identity, = store.identified_rows()
        store.remember_rows(dict(zip([identity, *"abcde"], wrong, strict=True)))
    assert_refused(run("table"), "There are no measurements that can be read: 6 rows")
    # More is to be done, so that it is forecast from all rows how long that takes.
    found = run(*words[:-1], "2")
    assert found.exit_code == 0
    assert "note: 6 rows of the store" in found.stderr
