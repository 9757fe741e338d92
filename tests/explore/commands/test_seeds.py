"""Seeds for a design of anybody's."""

import json
import stat
import sys

import pytest

from explore.pipeline.seeds import Seed, chance

#: As nextpnr: an option may be given once, and the clock depends on the seed.
PLACER = f"""#!{sys.executable}
import json, sys
words = sys.argv[1:]
options = dict(zip(words, words[1:]))
twice = [word for word in set(words) if word.startswith("--") and words.count(word) > 1]
json.load(open(options["--json"]))
if twice:
    sys.exit("ERROR: " + twice[0])
if options.get("--pcf") and not open(options["--pcf"]).read():
    print("ERROR: IO 'b' is unconstrained")
    sys.exit("ERROR: Loading PCF failed")
mhz = [100, 104, 96, 108, 120][int(options["--seed"]) % 5]
if options["--package"] == "small" and options["--seed"] == "1":
    sys.exit("ERROR: Unable to place cell")
a, b = ({{"cell": cell, "port": port}} for cell, port in (("a", "Q"), ("b", "D")))
path = [{{"type": "logic", "delay": 1.0, "from": a, "to": a}},
        {{"type": "routing", "delay": 2.0, "from": a, "to": b}}]
if "--asc" in options:
    open(options["--asc"], "w").write(options["--seed"])
if options["--package"] != "none":
    json.dump({{"fmax": {{"fast": {{"achieved": 500}}, "slow": {{"achieved": mhz}}}},
               "critical_paths": [{{"from": "posedge slow", "to": "posedge slow", "path": path}}],
               "frequency": options["--freq"]}}, open(options["--report"], "w"))
"""


@pytest.fixture
def seeds(run, tmp_path, monkeypatch):
    """Return a function that tries seeds of a design in the current folder."""
    program = tmp_path / "nextpnr"
    program.write_text(PLACER)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("NEXTPNR_ICE40", str(program))
    (tmp_path / "top.json").write_text("{}")
    return lambda *arguments: run("seeds", "top.json", "-t", "ice40-hx8k", *arguments)


def test_the_first_seed_that_reaches_the_clock_ends_it(seeds):
    result = seeds("--mhz", "107", "-j", "1")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.splitlines() == ["seed 1: 104 MHz", "seed 2: 96 MHz", "seed 3: 108 MHz"]
    assert result.stdout.startswith("Seed 3 reaches 108 MHz")


def test_no_seed_reaches_it(seeds):
    result = seeds("--mhz", "130", "--most", "5", "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert (document["best"], document["reached"]) == (4, False)
    assert sorted(each["seed"] for each in document["seeds"]) == [1, 2, 3, 4, 5]
    assert 0 < document["chance"] < 0.05
    assert "seeds do with 95%" in seeds("--mhz", "121", "--most", "5").stdout


def test_arguments_take_the_place_of_those_of_the_device(seeds, tmp_path):
    (tmp_path / "pins.pcf").write_text("set_io a 1\n")
    more = ("--mhz", "104", "-j", "1", "--", "--pcf", "pins.pcf", "--package")
    assert seeds(*more, "large").exit_code == 0
    result = seeds(*more, "small")
    assert result.exit_code == 0
    assert "seed 1: ERROR: Unable to place cell\n" in result.stderr
    unreported = seeds("--mhz", "1", "--most", "2", "--", "--package", "none")
    assert unreported.exit_code == 2
    assert "with none of 2 seeds: nextpnr-ice40 wrote no report" in unreported.stderr


def test_files_that_are_asked_for_are_those_of_the_best_seed(seeds, tmp_path):
    (tmp_path / "pins.pcf").write_text("set_io a 1\n")
    (tmp_path / "out").mkdir()
    more = ("--mhz", "200", "--most", "5", "-j", "2", "--", "--pcf=pins.pcf")
    for words, path in ((["--asc", "top.asc"], "top.asc"), (["--asc=top.asc"], "top.asc"),
                        (["--asc", "out/top.asc"], "out/top.asc"),
                        ([f"--asc={tmp_path}/out/a.asc"], "out/a.asc")):
        assert seeds(*more, *words).exit_code == 1
        assert (tmp_path / path).read_text() == "4"  # in place of what was there, too
        (tmp_path / path).write_text("old")
    assert seeds(*more, "--report", "mine.json").exit_code == 1
    assert json.loads((tmp_path / "mine.json").read_text())["fmax"]["slow"]["achieved"] == 120
    assert seeds(*more, "--freq", "50").exit_code == 1
    names = {"pins.pcf", "out", "top.asc", "mine.json", "top.json", "nextpnr"}
    assert {path.name for path in tmp_path.iterdir()} >= names
    assert not [path for path in tmp_path.iterdir() if path.name[:1].isdigit()]


def test_the_reason_of_nextpnr_is_told(seeds, tmp_path):
    (tmp_path / "pins.pcf").touch()
    result = seeds("--mhz", "1", "--most", "1", "--", "--pcf", "pins.pcf")
    assert "IO 'b' is unconstrained" in result.stderr


def test_chances_are_those_of_a_normal_distribution():
    found = [Seed(seed=seed, fmax_mhz=mhz) for seed, mhz in enumerate((98.0, 100.0, 102.0), 1)]
    assert chance(found, 100) == pytest.approx(0.5)
    assert chance(found, 102) == pytest.approx(0.1587, abs=1e-4)
    assert chance(found[:2], 100) is None
    assert chance([found[0]] * 3, 100) is None
