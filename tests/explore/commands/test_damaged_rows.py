"""Stores of which some rows are damaged: every command that reads rows says how many."""

import contextlib
import json
import sqlite3

import pytest
from measurements import rows

from explore.data.frame import load

pytestmark = pytest.mark.usefixtures("sketched")

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
    remark, = caplog.messages
    assert remark.startswith(f"5 of {len(ROWS)} rows of the store {filled} are damaged and left "
                             "out; 'montgomery store check'")


@pytest.mark.parametrize("command", READING)
def test_each_command_says_it(run, filled, command):
    whole = run(*command.split())
    damage(filled, DAMAGE["figure"], 1)
    found = run(*command.split())
    assert found.exit_code == whole.exit_code
    place = "store" if "compare" in command else filled
    said = f"note: 1 of {len(ROWS)} rows of the store {place} are damaged"
    assert found.stderr.count(said) == (2 if "compare" in command else 1)
    assert said not in found.stdout
    if "--json" in command:
        json.loads(found.stdout)


def test_a_sweep_mends_it(run, fakes, tmp_path):
    words = ("sweep", "-a", "toy", "-n", "8", "-t", "ice40-hx8k", "--seeds", "2")
    assert run(*words).exit_code == 0
    damage(tmp_path / "store", DAMAGE["figure"], 1)
    found = run(*words, "--json")
    assert found.exit_code == 0
    assert len(json.loads(found.stdout)["rows"]) == 2
    assert "note: " not in run("table", "--from", "store").stderr
