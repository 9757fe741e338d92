"""Commands that show measured rows: where these come from, and which of them are chosen."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from console import assert_refused
from measurements import row

from explore.data.frame import save
from explore.data.rows import sealed
from explore.plots import _drawing
from explore.store import Store
from montgomery import KINDS

ROOT = Path(__file__).parents[3]


def test_table_for_programs(run, saved):
    result = run("table", "--from", saved, "-a", "beta", "-n", "32-64", "-t", "ice40-hx8k",
                 "--format", "csv", "--columns", "lut,ff")
    assert (result.exit_code, result.stderr) == (0, "")
    settings = ('"{""word"": 16}",ice40-hx8k,'
                '"{""abc"": ""default"", ""placer_weight"": 10, ""weight"": 10}"')
    assert result.stdout == (
        "kind,arch,width,params,target,options,earlier,seeds,seeds_ok,status,lut,ff\n"
        f"multiplier,beta,32,{settings},False,3,3,ok,328,164\n"
        f"multiplier,beta,64,{settings},False,3,3,ok,616,308\n")


def test_rows_are_chosen_by_core_and_kind(run, tmp_path):
    save([row("alpha", lut=lut) | {"kind": kind} for kind, lut in (
        ("multiplier", 1), ("exponentiator", 2), ("rsa_crt", 3))], tmp_path / "kinds.jsonl")
    for name, luts in (("alpha", "321"), ("rsa_crt.alpha", "3"), ("exponentiation.alpha", "2"),
                       ("multiplier,rsa_crt", "13")):
        found = run("table", "--from", "kinds.jsonl", "-a", name, "--columns", "lut",
                    "--format", "csv").stdout.splitlines()
        assert sorted(line[-1] for line in found[1:]) == sorted(luts)
    assert_refused(run("table", "--from", "kinds.jsonl", "-a", "rsa_crt.alhpa"),
                   "Unknown measured architecture 'rsa_crt.alhpa'; did you mean "
                   "'rsa_crt.alpha'?")


def test_rows_are_chosen_by_a_parameter(run, tmp_path):
    save([row("alpha", lut=lut) | {"params": params} for lut, params in (
        (1, {"word": 8}), (2, {"word": 16, "curve": "P-256"}), (3, {"word": 32}))],
        tmp_path / "params.jsonl")

    def chosen(*arguments):
        return run("table", "--from", "params.jsonl", "--columns", "lut", "--format", "csv",
                   *arguments)

    for arguments, luts in ((["-p", "word=16,32"], "23"), (["-p", "curve=P-256"], "2"),
                            (["-p", "word=16", "-p", "curve=P-256"], "2")):
        assert [line[-1] for line in chosen(*arguments).stdout.splitlines()[1:]] == list(luts)
    assert_refused(chosen("-p", "word=9"),
                   "Unknown measured value of word '9'; known are 16, 32, 8")
    assert_refused(chosen("-p", "wird=8"),
                   "Unknown measured parameter 'wird'; did you mean 'word'?")


def test_the_table_is_as_wide_as_columns_says(run, saved, monkeypatch):
    for width in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = run("table", "--from", saved).stdout.splitlines()
        assert width - 12 < max(map(len, lines)) <= width


def test_plots_of_a_store_leave_what_is_known_of_sources_alone_in_the_users_folders(tmp_path):
    with Store(tmp_path / "store") as store:
        store.remember_rows({"one": row()})
    home = tmp_path / "home"
    home.mkdir()
    subprocess.run([sys.executable, "-c", "from explore.cli import cli; cli()", "plot", "lut_width",
                    "--output", tmp_path / "out"], check=True, cwd=ROOT, env={
                        "HOME": str(home), "PATH": os.environ["PATH"],
                        "MONTGOMERY_STORE": str(tmp_path / "store")},
                   stdout=subprocess.DEVNULL)
    assert [str(path.relative_to(home)) for path in home.glob("*/*")] == [
        ".cache/montgomery-fingerprints"]
    assert len(list((tmp_path / "out").iterdir())) == 2


def _kinds(*kinds, **changes):
    return [sealed(row(width=width) | {"kind": kind} | changes)
            for kind in kinds for width in (64, 128)]


@pytest.mark.parametrize(("kinds", "given", "shown", "others"), [
    (["exponentiator", "multiplier"], [], "multiplication", "exponentiator"),
    (["rsa_crt", "exponentiator"], [], "exponentiation", "rsa_crt"),
    (["hash", "multiplier", "rsa_crt"], [], "multiplication", "hash, rsa_crt"),
    (["exponentiator", "multiplier"], ["-a", "exponentiator"], "exponentiation", None),
    (["multiplier"], [], "multiplication", None)])
def test_a_plot_has_one_kind_of_core(run, tmp_path, monkeypatch, kinds, given, shown, others):
    drawn = {}
    monkeypatch.setattr(_drawing, "write", lambda names, rows, *_, **__: drawn.update(
        kinds=set(rows["kind"]), names=names) or [])
    save(_kinds(*kinds), tmp_path / "rows.jsonl")
    result = run("plot", "--from", "rows.jsonl", *given)
    assert {KINDS[kind].operation for kind in drawn["kinds"]} == {shown}
    assert (f"'montgomery plot -a KIND' shows others: {others}\n" in result.stderr) == bool(others)
    assert ("one kind" in result.stderr) == bool(others)


def test_a_named_plot_shows_a_kind_that_has_it(run, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(_drawing, "write", lambda names, rows, *_, **__: drawn.extend(
        set(rows["kind"])) or [])
    save([*_kinds("multiplier", latency_us=None), *_kinds("exponentiator")],
         tmp_path / "rows.jsonl")
    for name in ("latency_lut", "lut_width"):
        run("plot", name, "--from", "rows.jsonl")
    assert drawn == ["exponentiator", "multiplier"]


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


NOTE = "note: rows that come with the program are used"


@pytest.fixture
def dataset(tmp_path, monkeypatch):
    """Rows of 256 and 512 bits in place of those that come with the program."""
    path = tmp_path / "dataset.jsonl"
    save([row(width=width) for width in (256, 512)], path)
    monkeypatch.setattr("explore.commands._rows.DATASET", path)
    monkeypatch.setattr("explore.data.rows.DATASET", path)


@pytest.fixture
def own(tmp_path):
    """A store with a row of 64 bits, and one of 512 bits."""
    with Store(tmp_path / "store") as store:
        store.remember_rows({str(width): row(width=width, lut=7) for width in (64, 512)})


def widths(result):
    assert result.exit_code == 0, result.stderr
    return [int(line.split(",")[2]) for line in result.stdout.splitlines()[1:]]


def table(run, *arguments):
    return run("table", "--format", "csv", "--columns", "lut", *arguments)


def test_without_a_store_there_are_the_rows_of_the_program(run, dataset):
    result = table(run)
    assert NOTE in result.stderr
    assert widths(result) == [256, 512]
    assert_refused(table(run, "--from", "nowhere"), "Path 'nowhere' does not exist")


def test_both_are_shown_and_the_store_goes_first(run, dataset, own):
    result = table(run)
    assert sorted(widths(result)) == [64, 256, 512]
    assert "note: 2 rows of your store, and 1 that come with the program" in result.stderr
    assert table(run, "-n", "512").stdout.splitlines()[1].endswith(",7")
    assert widths(table(run, "-n", "256")) == [256]
    assert_refused(table(run, "-n", "128"), "Nothing was measured of width 128")


def test_either_has_a_name(run, dataset, own, tmp_path):
    assert widths(table(run, "--from", tmp_path / "store")) == [64, 512]
    assert widths(table(run, "--from", "program")) == [256, 512]
    assert sorted(widths(table(run, "--from", "program", "--from", tmp_path / "store"))) == [
        64, 256, 512]
    assert_refused(table(run, "-n", "256", "--from", tmp_path / "store"),
                   "Nothing was measured of width 256")
    assert run("compare", "program", "program", "--fail-on", "change").exit_code == 0


def test_a_partial_row_hides_no_measured_one(run, dataset, tmp_path):
    with Store(tmp_path / "store") as store:
        store.remember_rows({"a": row(width=512, lut=7, status="partial"),
                             "b": row(width=64, lut=8, status="partial")})
    lines = table(run).stdout.splitlines()[1:]
    assert {line.rpartition(",")[2] for line in lines} == {"2560", "5120", "8"}


def test_recommendations_are_among_all(run, dataset, own):
    for bits, lut in ((256, "2,560 LUT"), (512, "7 LUT"), (64, "7 LUT")):
        result = run("recommend", "-n", bits)
        assert result.exit_code == 0, result.stderr
        assert lut in result.stdout
