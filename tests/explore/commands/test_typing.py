"""What a user types who does not know the names and options by heart."""

import json

import pytest
from console import assert_refused
from measurements import row

from explore.data.frame import save

EXPORT = ("export", "-n", "8", "-a")


@pytest.fixture
def registered(registered):
    toy = registered["multiplier"]["toy"]
    return {"multiplier": dict.fromkeys(("toy", "mmm_cs_1d", "mmm_mx_1d"), toy),
            "exponentiator": {"generic": toy}, "hash": {"sha1": toy}, "rsa_crt": {"toy": toy}}


def test_help_needs_nothing_else(run):
    assert run("export", "mmm_mx_1d", "256", "--help").exit_code == 0


def test_a_parameter_foo_is_not_said_to_be_the_width(run):
    assert "width," not in run(*EXPORT, "toy", "-p", "foo=1").stderr.replace("word_width", "")


@pytest.fixture
def places(tmp_path):
    """Return a file, a folder and a folder of a folder with rows of a core each."""
    found = [tmp_path / "one.jsonl", tmp_path / "two", tmp_path / "three"]
    save([row("alpha", lut=100), row("beta", lut=100)], found[0])
    for place, name in ((found[1], "beta"), (found[2] / "below", "gamma")):
        place.mkdir(parents=True)
        save([row(name, lut=200)], place / "rows.jsonl")
    return found


def test_rows_of_several_places_are_one_table(run, places):
    sources = [word for place in places for word in ("--from", place)]
    lines = run("table", *sources, "--format", "csv", "--columns", "lut").stdout.splitlines()[1:]
    found = {line.split(",")[1]: line.rsplit(",", 1)[1] for line in lines}
    # Of two rows of one point the last one counts.
    assert found == {"alpha": "100", "beta": "200", "gamma": "200"}
    swapped = [word for place in reversed(places) for word in ("--from", place)]
    lines = run("table", *swapped, "--format", "csv", "--columns", "lut").stdout.splitlines()[1:]
    assert {line.split(",")[1]: line.rsplit(",", 1)[1] for line in lines} == {
        "alpha": "100", "beta": "100", "gamma": "200"}


def test_other_commands_take_several_places(run, places, tmp_path):
    sources = [word for place in places for word in ("--from", place)]
    assert json.loads(run("recommend", "-n", "64", *sources, "--json").stdout)["candidates"] == 3
    report = run("report", *sources, "--format", "markdown", "--output", "r")
    assert report.exit_code == 0
    text = (tmp_path / "r" / "report.md").read_text()
    assert all(name in text for name in ("alpha", "beta", "gamma"))
    assert run("plot", "latency_lut", *sources, "--format", "svg").stdout == "latency_lut.svg\n"
    assert_refused(run("table", "--from", places[0], "--from", "gone"), "'gone' does not exist")


def test_a_store_and_a_file_are_one_table(run, fakes, places):
    sweep = run("sweep", "-a", "toy", "-n", "8", "-t", "xc7", "--output", "out")
    assert sweep.exit_code == 0, sweep.stderr
    shown = run("table", "--from", places[0], "--from", "store", "--format", "csv").stdout
    assert [line.split(",")[1] for line in shown.splitlines()[1:]] == ["alpha", "beta", "toy"]
