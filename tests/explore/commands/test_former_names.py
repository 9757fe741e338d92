"""Former names still work on the command line and in files, and a line says what they are now."""

import json

import pytest
from measurements import row
from toy_signer import Signer

from boards.info import Info
from boards.top import description
from explore.data.frame import load, notes, save
from explore.data.seal import sealed
from explore.points.point import Point
from montgomery import KINDS, rsa_crt

NOTE = "note: {} is called {} now; the old name goes in the next release\n"
CORE = NOTE.format("decryption.toy", "rsa_crt.toy")


@pytest.fixture(autouse=True)
def signers(registered):
    registered["rsa_crt"] = {"toy": Signer}


def _row(kind):
    return sealed(row() | {"kind": kind, "cycles_initiation": None})


def test_names_of_cores(run, tmp_path):
    sweep = ("-n", "8", "-t", "xc7", "--dry-run", "--json")
    by_option = run("sweep", "-a", "toy,decryption.toy", *sweep)
    assert by_option.stderr == CORE
    (tmp_path / "sweep.toml").write_text('archs = ["toy"]\n[[parts]]\narchs = ["decryption.toy"]')
    in_file = run("sweep", "sweep.toml", *sweep)
    assert in_file.stderr == CORE
    today = run("sweep", "-a", "rsa_crt.toy", *sweep)
    assert (today.stderr, json.loads(today.stdout)) == ("", json.loads(in_file.stdout))
    wrong = run("sweep", "-a", "decryption.tyo", *sweep)
    assert (wrong.exit_code, wrong.stderr.splitlines()[1:]) == (
        2, ["montgomery: Unknown core for RSA with CRT 'rsa_crt.tyo'; did you mean 'rsa_crt.toy'?"])


def test_names_of_kinds_and_groups(run):
    listed = run("list", "decryptions", "decryption.toy", "--json")
    assert list(json.loads(listed.stdout)) == ["rsa_crt"]
    assert listed.stderr == NOTE.format("decryptions", "rsa_crt") + CORE
    save([_row("rsa_crt"), row()], "rows.jsonl")
    for command in (["table", "--format", "csv", "--kind"], ["recommend", "--bits", "8", "--kind"]):
        former, today = (run(*command, name, "--from", "rows.jsonl") for name in
                         ("decryption", "rsa_crt"))
        assert former.stderr == NOTE.format("decryption", "rsa_crt") + today.stderr
        assert former.stdout == today.stdout
    flag = run("recommend", "--bits", "8", "--decryption", "--from", "rows.jsonl")
    assert (flag.stdout, flag.stderr) == (today.stdout, NOTE.format("--decryption", "--rsa-crt"))


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
