"""``montgomery sweep --objectives``, with tools that do as they are told."""

import json

import pytest
from console import assert_refused

from explore.data.frame import load
from explore.pipeline import search

pytestmark = pytest.mark.usefixtures("sketched")

SPACE = ("-a", "toy", "-n", "8", "-t", "ecp5-25k", "-p", "ballast=0,1,2", "-o",
         "placer_weight=10,30,100", "--objectives", "latency,area")


@pytest.fixture
def larger(fakes):
    fakes.behave(yosys="larger", nextpnr_ecp5="larger 3")
    return fakes


def test_it_ends_with_front_table_and_picture(run, larger, tmp_path):
    result = run("sweep", *SPACE, "--seeds", "2", "--output", "out")
    assert result.exit_code == 0, result.stderr
    assert ("Front of 1 point:\n  toy/8 ballast=0 placer_weight=100 on ecp5-25k: latency 0.03891"
            in result.stdout)
    assert "No other point can be on the front" in result.stdout
    assert "9 points, of which all are looked at" in result.stderr
    assert "points may still join" in result.stderr
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names >= {"rows.jsonl", "table.md", "search.svg", "search.png"}
    rows = load(tmp_path / "out" / "rows.jsonl")
    assert set(rows["status"]) == {"ok", "partial"}
    assert rows["log"].dropna().str.startswith("not placed: ").all()
    before = (tmp_path / "out" / "search.svg").read_bytes()
    larger.forget()
    assert run("sweep", *SPACE, "--seeds", "2", "--output", "out").exit_code == 0
    assert larger.jobs == []
    assert before.startswith(b"<?xml")


def test_json_says_all(run, larger):
    result = run("sweep", *SPACE[:-2], "--json", "--objectives", "lut * latency_us, min(lut, ff)")
    document = json.loads(result.stdout)
    assert (document["schema"], document["candidates"], document["left"]) == (1, 9, 0)
    assert document["placements"] == len(document["hypervolume"])
    front, = document["front"]
    assert front["objectives"].keys() == {"lut * latency_us", "min(lut, ff)"}
    assert len(document["skipped"]) + document["placements"] >= 9
    assert {row["status"] for row in document["rows"]} == {"ok", "partial"}


def test_a_budget_that_reaches_to_no_placement(run, larger):
    result = run("sweep", *SPACE, "--hours", "0")
    assert result.exit_code == 1
    assert "The budget was spent before a placement kept the limits; raise" in result.stdout
    assert "9 points may still join it" in result.stdout


def test_a_limit_that_nothing_keeps(run, larger):
    result = run("sweep", *SPACE, "--limit", "lut=1")
    assert result.exit_code == 1
    assert "No core keeps the limits, or none could be placed" in result.stdout
    assert not [job for job in larger.jobs if job.startswith("nextpnr")]


def test_a_large_space_is_refused(run, larger, monkeypatch):
    monkeypatch.setattr(search, "MOST_POINTS", 8)
    assert_refused(run("sweep", *SPACE),
                   "A search takes 8 combinations or fewer, not 9; give fewer values of a "
                   "parameter or an option")


def test_what_cannot_be_is_left_out(run, larger):
    result = run("sweep", "-a", "toy", "-n", "8", "-t", "ecp5-25k", "-p", "word_width=4,0,8",
                 *SPACE[-2:])
    assert result.exit_code == 0, result.stderr
    assert "left out: toy: Word width must be 1 or more, not 0" in result.stderr
    assert "2 points, of which all are looked at" in result.stderr
