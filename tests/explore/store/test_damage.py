"""Stores of which something is damaged: right figures or one clear line, and a way out."""

import contextlib
import os
import random
import shutil
import sqlite3

import pytest

from explore.outcome import Outcome
from explore.store import Store
from explore.store.artefacts import digest
from explore.store.examine import check
from explore.store.folder import StoreError

KEYS = [digest(str(index))[:40] for index in range(60)]
ROWS = {digest(f"row {index}")[:40]: {"arch": "alpha", "width": index, "log": "x" * 400}
        for index in range(200)}
TOOLS = {f"tool {index}": f"version {index}" for index in range(10)}


def outcome_of(key):
    files = {} if KEYS.index(key) % 2 else {"report.json.gz": digest(key)}
    return Outcome(facts={"fmax_mhz": KEYS.index(key), "log": key * 20}, files=files)


def fill(store, keys=KEYS, rows=ROWS, tools=TOOLS):
    for key in keys:
        outcome, workspace = outcome_of(key), store.workspace(key)
        for name in outcome.files:
            (workspace / name).write_text(key)
        store.commit(key, {"stage": "place", "seed": key}, outcome, workspace)
    store.remember_rows(rows)
    for each in tools.items():
        store.remember_tool(*each)


@pytest.fixture(scope="module")
def whole_stores(tmp_path_factory):
    """A store that was closed, and one of a process that was killed, with all in its log."""
    folder = tmp_path_factory.mktemp("stores")
    with Store(folder / "closed") as store:
        fill(store)
    with Store(folder / "killed") as store:
        fill(store, KEYS[:30], {}, {})
    with Store(folder / "killed") as store:
        fill(store, KEYS[30:])
        shutil.copytree(folder / "killed", folder / "copy")
    shutil.rmtree(folder / "killed")
    os.rename(folder / "copy", folder / "killed")
    assert (folder / "killed" / "store.sqlite-wal").stat().st_size > 100_000
    return folder


def truncate(path, part):
    os.truncate(path, int(path.stat().st_size * part))


def flip(path, seed, count):
    data, chance = bytearray(path.read_bytes()), random.Random(seed)
    for _ in range(count):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def overwrite(path, begin, contents):
    with path.open("r+b") as file:
        file.seek(begin)
        file.write(contents)


def execute(path, *statements):
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(statement)


def replace(path, make):
    path.unlink()
    make(path)


def another(path):
    execute(path, "CREATE TABLE bookmarks (url)", "INSERT INTO bookmarks VALUES ('precious')")


VARIANTS = {
    **{f"truncated {part}": ("closed", "", lambda path, part=part: truncate(path, part))
       for part in (0, .05, .9999)},
    "a byte too long": ("closed", "", lambda path: path.write_bytes(path.read_bytes() + b"x")),
    **{f"20 bits {seed}": ("closed", "", lambda path, seed=seed: flip(path, seed, 20))
       for seed in range(2)},
    **{f"header {byte}": ("closed", "", lambda path, byte=byte: overwrite(path, byte, b"\xaa"))
       for byte in (0, 18, 44, 60, 100, 103)},
    **{f"page {page} zeroed": ("closed", "", lambda path, page=page: overwrite(
        path, 4096 * page, bytes(4096))) for page in (0, 1, 3, 9, 20)},
    **{f"page {page} garbled": ("closed", "", lambda path, page=page: overwrite(
        path, 4096 * page, random.Random(page).randbytes(4096))) for page in (1, 2, 7)},
    "text": ("closed", "", lambda path: path.write_text("no database\n" * 1000)),
    "another database": ("closed", "", lambda path: replace(path, another)),
    "folder": ("closed", "", lambda path: replace(path, type(path).mkdir)),
    "missing table": ("closed", "", lambda path: execute(path, "DROP TABLE outcomes")),
    "version 0": ("closed", "", lambda path: execute(path, "PRAGMA user_version = 0")),
    "other columns": ("closed", "", lambda path: execute(
        path, "ALTER TABLE outcomes RENAME COLUMN outcome TO result",
        "ALTER TABLE rows RENAME COLUMN row TO line")),
    "numbers": ("closed", "", lambda path: execute(
        path, "UPDATE outcomes SET outcome = 1", "UPDATE rows SET row = 1.5",
        "UPDATE tools SET version = 7")),
    "blobs": ("closed", "", lambda path: execute(
        path, "UPDATE outcomes SET outcome = CAST(outcome AS BLOB)",
        "UPDATE rows SET row = CAST(row AS BLOB)", "UPDATE tools SET version = x'00ff'")),
    "no Unicode": ("closed", "", lambda path: execute(
        path, "UPDATE outcomes SET spec = CAST(x'00fffe' AS TEXT)",
        "UPDATE rows SET row = CAST(x'7b00fffe' AS TEXT)",
        "UPDATE tools SET version = CAST(x'fffe' AS TEXT)")),
    "figures": ("closed", "", lambda path: execute(
        path, "UPDATE rows SET row = replace(row, 'alpha', 'omega')",
        "UPDATE outcomes SET outcome = replace(outcome, 'fmax', 'smax')",
        "UPDATE tools SET version = '\"version 99\"'")),
    "swapped": ("closed", "", lambda path: execute(
        path, "UPDATE rows SET row = (SELECT row FROM rows ORDER BY rowid LIMIT 1)",
        "UPDATE outcomes SET outcome = (SELECT outcome FROM outcomes ORDER BY rowid LIMIT 1)")),
    **{f"log truncated {part}": ("killed", "-wal", lambda path, part=part: truncate(path, part))
       for part in (0, .01, .6)},
    **{f"log with 20 bits {seed}": ("killed", "-wal", lambda path, seed=seed: flip(path, seed, 20))
       for seed in range(2)},
    "log missing": ("killed", "-wal", os.unlink),
    "log a folder": ("killed", "-wal", lambda path: replace(path, type(path).mkdir)),
    "index garbled": ("killed", "-shm", lambda path: path.write_bytes(bytes(range(256)) * 128)),
    "index missing": ("killed", "-shm", os.unlink),
    "database missing a log's": ("killed", "", lambda path: truncate(path, .5)),
    "database garbled beside a log": ("killed", "", lambda path: overwrite(path, 0, bytes(4096))),
}
#: Nothing is lost of these.
HARMLESS = {"a byte too long", "index garbled", "index missing"}
#: Of these it cannot be told whose they are.
FOREIGN = {"another database", "folder", "log a folder"}


def assert_right(store):
    """Assert that all that a store tells is right; return how much it is."""
    rows = store.rows()
    assert all(ROWS[identity] == row for identity, row in rows.items())
    outcomes = {key: store.outcome(key) for key in KEYS}
    assert all(outcome in (None, outcome_of(key)) for key, outcome in outcomes.items())
    versions = {name: store.tool_version(name) for name in TOOLS}
    assert all(version in (None, TOOLS[name]) for name, version in versions.items())
    return (len(rows), sum(outcome is not None for outcome in outcomes.values()),
            sum(version is not None for version in versions.values()))


@pytest.fixture
def damaged(request, whole_stores, tmp_path):
    kind, suffix, damage = VARIANTS[request.param]
    shutil.copytree(whole_stores / kind, tmp_path / "store")
    damage(tmp_path / "store" / f"store.sqlite{suffix}")
    return tmp_path / "store"


@contextlib.contextmanager
def one_clear_line(path):
    try:
        yield
    except StoreError as error:
        text = str(error)
        assert str(path) in text
        assert "--store" in text
        assert "\n" not in text


@pytest.mark.sample(30)
@pytest.mark.parametrize("damaged", VARIANTS, indirect=True)
@pytest.mark.parametrize("writable", [False, True])
def test_right_or_refused(damaged, writable, request):
    name = request.node.callspec.params["damaged"]
    found = None
    with one_clear_line(damaged), Store(damaged).open(create=False, writable=writable) as store:
        found = assert_right(store)
    whole = (len(ROWS), len(KEYS), len(TOOLS))
    if name in HARMLESS:
        assert found == whole
    if name in FOREIGN:
        assert found is None
    # The loss of what only a log held goes unseen.
    if VARIANTS[name][0] == "closed" and found not in (None, whole):
        assert check(damaged)
    # What is written afterwards is right too, or refused.
    with one_clear_line(damaged), Store(damaged) as store:
        fill(store, KEYS[:3], dict(list(ROWS.items())[:3]), {"tool 0": "version 0"})
        assert all(store.outcome(key) == outcome_of(key) for key in KEYS[:3])
        assert_right(store)
