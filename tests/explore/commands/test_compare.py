"""``montgomery compare``: two sets of rows, two points, and a row with what is measured now."""

import json
import random
import subprocess

import pytest
from console import assert_refused
from measurements import row

from explore.data.frame import save

CORES = ("alpha", "beta", "gamma", "delta")


def measured(generator, seeds, *, cores=CORES, spread=0.04, faster=None, **more):
    """Return rows with frequencies out of a generator; some core is faster by some factor."""
    return [row(arch, fmax=200 * (faster or {}).get(arch, 1) * generator.gauss(1, spread),
                seed=seed, **more) for arch in cores for seed in seeds]


@pytest.fixture
def diff(run, tmp_path):
    """Return a function from two lists of rows to the exit status and the document."""
    def call(old, new, *options):
        for name, rows in (("old", old), ("new", new)):
            save(rows, tmp_path / f"{name}.jsonl")
        result = run("compare", "old.jsonl", "new.jsonl", "--json", *options)
        assert not result.stderr
        return result.exit_code, json.loads(result.stdout)

    return call


def test_clocks_and_areas_are_exact(diff):
    old = [row("alpha", seed=seed, lut=1000) for seed in (1, 2)]
    new = [row("alpha", seed=seed, lut=1001) for seed in (1, 2)]
    status, found = diff(old, new)
    change, = found["changes"]
    assert (status, change["column"], change["old"], change["new"], change["verdict"]) == (
        1, "lut", 1000, 1001, "worse")
    assert change["relative"] == pytest.approx(0.001)
    status, found = diff(new, old)
    assert (status, found["changes"][0]["verdict"]) == (0, "better")
    assert diff(new, old, "--fail-on", "change")[0] == 1


def test_new_and_gone(diff):
    status, found = diff([row("alpha"), row("beta")], [row("beta"), row("gamma")])
    assert (status, found["added"], found["gone"], found["unchanged"]) == (
        1, ["gamma/64 weight=10 on ecp5-85k"], ["alpha/64 weight=10 on ecp5-85k"], 1)
    status, found = diff([row("beta")], [row("beta"), row("gamma")], "--ignore-new", "--fail-on",
                         "change")
    assert (status, found["added"]) == (0, [])


@pytest.mark.parametrize(("old", "new", "verdict"), [
    ("ok", "timeout", "worse"), ("no_fit", "ok", "better"), ("no_fit", "timeout", "other")])
def test_a_status_that_changed(diff, old, new, verdict):
    status, found = diff(*([row("alpha"), row("alpha", seed=2, status=each)]
                           for each in (old, new)))
    change, = found["changes"]
    assert (status, change["column"], change["old"], change["new"], change["verdict"]) == (
        int(verdict == "worse"), "status", old, new, verdict)


def test_other_seeds_are_no_difference_and_a_change_of_3_percent_is_one(diff):
    generator = random.Random(5)
    alarms = sum(diff(measured(generator, (1, 2, 3)), measured(generator, (4, 5, 6)),
                      "--fail-on", "change")[0] for _ in range(40))
    assert alarms <= 2
    # The same placements, but 3 % slower: far less than their spread.
    old = measured(generator, range(1, 17), spread=0.08)
    new = [row(each["arch"], seed=each["seed"],
               fmax=each["fmax_mhz"] * (0.97 if each["arch"] == "beta" else 1)) for each in old]
    status, found = diff(old, new)
    change, = found["changes"]
    assert (status, change["label"], change["column"]) == (
        1, "beta/64 weight=10 on ecp5-85k", "fmax_mhz")
    assert change["relative"] == pytest.approx(-0.03)
    # Other placements of cores that are all 3 % faster: seen in the mean, if in no core.
    new = measured(generator, range(17, 33), faster=dict.fromkeys(CORES, 1.03), spread=0.02)
    status, found = diff(measured(generator, range(1, 17), spread=0.02), new)
    target, = found["targets"]
    assert (target["points"], target["verdict"]) == (4, "better")
    assert 0.015 < target["relative"] < 0.045


def test_single_seeds_are_not_judged(diff):
    status, found = diff([row("alpha", fmax=100)], [row("alpha", fmax=200)])
    assert (status, found["unjudged"], found["changes"]) == (0, 1, [])


def test_markdown_of_revisions(run, saved, tmp_path):
    def git(*arguments):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@y", *arguments], check=True,
                       cwd=tmp_path, capture_output=True)

    (tmp_path / "results").mkdir()
    save([row("alpha", lut=100), row("beta")], tmp_path / "results" / "rows.jsonl")
    git("init", "-b", "main")
    git("add", "results")
    git("commit", "-m", "first")
    save([row("alpha", lut=90) | {"versions": {}}], tmp_path / "results" / "rows.jsonl")
    result = run("compare", "main", "results")
    assert result.exit_code == 1
    assert "### From main to results: 0 worse, 1 better, 0 new, 1 gone, 0 unchanged\n" in (
        result.stdout)
    assert ("| alpha/64 weight=10 on ecp5-85k | LUT      | 100 |  90 | -10.0 % | better    |\n"
            in result.stdout)
    assert "Gone: beta/64 weight=10 on ecp5-85k.\n" in result.stdout
    assert run("compare", "main:results/rows.jsonl", "main").exit_code == 0
    assert_refused(run("compare", "main:docs", "results"),
                   "Revision main holds no rows.jsonl in docs")


def test_what_is_the_same_is_called_so(run, fakes):
    result = run("compare", "toy,width=8,target=ecp5-25k", "placer_weight=30", "--seeds", "2")
    assert result.exit_code == 0
    assert "  Usable Fmax" not in result.stdout
    assert result.stdout.endswith("Both sides are the same to the tools\n")


def test_a_side_that_does_not_fit(run, fakes):
    fakes.behave(nextpnr_ice40="fail ERROR: Unable to place cell")
    result = run("compare", "toy,width=8,target=ice40-hx8k", "target=ecp5-25k", "--seeds", "1")
    assert result.exit_code == 1
    assert "A: no_fit\n  B: ok\nNothing can be compared" in result.stdout


@pytest.fixture
def two_rows(run, fakes, tmp_path):
    """Return two rows, which are in the file rows.jsonl and in the store."""
    rows = json.loads(run("sweep", "-a", "toy", "-n", "8", "-t", "ecp5-25k", "--seeds", "2",
                          "--json").stdout)["rows"]
    save(rows, tmp_path / "rows.jsonl")
    fakes.forget()
    return rows


def test_a_row_is_measured_again(run, fakes, two_rows, tmp_path):
    result = run("compare", "rows.jsonl:2", "--store", tmp_path / "new")
    assert (result.exit_code, result.stdout) == (0, "toy/8 on ecp5-25k, seed 2: the same\n")
    # This seed alone, although the store has it.
    assert fakes.jobs == ["nextpnr-ecp5 2", "yosys -"]
    fakes.forget()
    result = run("compare", "rows.jsonl")
    assert result.stdout.endswith("2 of 2 rows are repeated\n")
    assert fakes.jobs == []
    assert run("compare", two_rows[0]["seal"][:10]).exit_code == 0


def test_what_differs_is_named(run, two_rows, tmp_path):
    first = two_rows[0]
    save([{**first, "fmax_mhz": 99.0, "lut": 11,
           "versions": {**first["versions"], "yosys": "yosys version 0"}},
          {**first, "design": "another", "lut": 10}], tmp_path / "rows.jsonl")
    result = run("compare", "rows.jsonl:1")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "toy/8 on ecp5-25k, seed 1: not the same", "  lut: 11, and now 14",
        "  fmax_mhz: 99.0, and now 101.0", "  yosys: yosys version 0, and now yosys version 1"]
    found = json.loads(run("compare", "rows.jsonl", "--json").stdout)
    assert not found["same"]
    assert [each["same"] for each in found["rows"]] == [False, False]
    assert "design" in found["rows"][1]["causes"]
    assert "The hardware is another" in run("compare", "rows.jsonl:2").stdout


@pytest.mark.parametrize("more", [[], ["--path"], ["--store", "new"]])
@pytest.mark.parametrize(("columns", "message"), [
    ({"arch": "../evil"}, "Unknown multiplier '../evil'"),
    ({"arch": "--store=x"}, "Unknown multiplier '--store=x'"),
    ({"arch": "toy,wrong"}, "Unknown multiplier 'toy,wrong'"),
    ({"target": "../evil"}, "Unknown target '../evil'"),
    ({"params": {"--pre-place": "evil.py"}}, "Unknown parameter '--pre-place'"),
    ({"params": {"style": "plain,fancy"}}, "Style must be one of plain, fancy"),
    ({"options": {"--pre-place": "evil.py"}}, "Unknown option '--pre-place'"),
    ({"options": {"placer_weight": "10 --pre-place evil.py"}}, "Option placer_weight must be one"),
    ({"options": {"abc": "flow; exec -- touch x"}}, "Option abc must be one of default, flow")])
def test_nothing_of_a_row_becomes_a_program_an_option_or_a_path(run, fakes, tmp_path, columns,
                                                                message, more):
    versions = {"yosys": "0.70 (YoWASP)", "nextpnr": "0.11 (YoWASP)"}
    save([row("toy", 8, "ecp5-25k") | {"options": {}, "versions": versions} | columns],
         tmp_path / "rows.jsonl")
    assert_refused(run("compare", "rows.jsonl:1", *more), message)
    assert fakes.calls == []
