"""Rows and bitstreams that have the former name of a kind can be read."""

import json

import pytest
from measurements import row
from toy_signer import Signer

from boards.info import Info
from boards.top import description
from explore.data.frame import load, notes
from explore.data.seal import sealed
from explore.points.point import Point
from montgomery import KINDS, rsa_crt


@pytest.fixture(autouse=True)
def signers(registered):
    registered["rsa_crt"] = {"toy": Signer}


def _row(kind):
    return sealed(row() | {"kind": kind, "cycles_initiation": None})


def test_rows_of_the_former_kind_are_rows_of_the_kind(tmp_path):
    former = _row("decryption")
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(former) + "\n")
    frame = load(path)
    assert list(frame["kind"]) == ["rsa_crt"]
    assert notes(frame) == []
    today = Point.from_row({**former, "kind": "rsa_crt"})
    assert Point.from_row(former) == today
    # A store that has a row of it finds it.
    assert '"decryption"' in today.key


def test_a_board_that_says_the_former_kind(monkeypatch):
    monkeypatch.undo()
    core = rsa_crt()["cox_rower"](width=64, rowers=1)
    said = description(core, clock_hz=12_000_000, baud=115_200)
    assert said["kind"] == "rsa_crt"
    assert Info.of(json.dumps({**said, "kind": "decryption"}).encode()).parameters == core


def test_no_name_has_two_meanings():
    former = [name for kind in KINDS.values() for name in kind.formerly]
    assert len(former) == len(set(former))
    assert not {*former} & {*KINDS}
