"""Families are found by file, and a new one is in lists and sweeps."""

import itertools
import json
import tomllib
from pathlib import Path

import pytest
from fake_tools import FakeTools

import explore.devices as package
from explore.devices import cell_models, families, placers, targets
from explore.tools.find import package_of

ROOT = Path(__file__).parents[3]
_NUMBERS = itertools.count()
FAMILY = '''
from explore.devices.model import Family, Limit, Option, Target

_FAMILY = Family(
    name="madeup", placer="nextpnr-madeup", extra="madeup", synth="synth_madeup", lut_name="LUT9",
    area={"LUT4": {"lut": 3}, "TRELLIS_FF": {"ff": 1}},
    options={"effort": Option(default="low", effect={"low": (), "high": ("--effort", "high")},
                              where="place", help="how hard it tries")},
    suffixes=("TRELLIS_", r"LUT\\d_", "CCU2C_"), carries=("FCO",))
TARGETS = (Target(name="madeup-1", family=_FAMILY, technology="generic", summary="A device",
                  device_args=("--one",), capacity={"lut": 900, "ff": 100, "dsp": 0, "bram": 0},
                  limits=(Limit(what="clock", mhz=50.0, source="nowhere", verified=False),)),)
'''


@pytest.fixture
def madeup(tmp_path, monkeypatch):
    """Return a function that writes the module of a family."""
    folder = tmp_path / "more"
    folder.mkdir()
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    # Fakes that are made after this have one more.
    monkeypatch.setattr(FakeTools, "names", (*FakeTools.names, "nextpnr-madeup"))

    def write(text=FAMILY):
        # A name that was never imported.
        (folder / f"madeup{next(_NUMBERS)}.py").write_text(text)
        targets.cache_clear()

    yield write
    targets.cache_clear()


def test_a_new_family_is_one_file(madeup, fakes, sketched, run):
    before = list(targets())
    madeup()
    assert list(targets()) == [*before, "madeup-1"]
    assert placers()["nextpnr-madeup"] == "madeup"
    assert "A device" in run("list", "targets").stdout
    listed = json.loads(run("list", "--json", "targets").stdout)["targets"]["madeup-1"]
    assert (listed["family"], listed["lut_name"], listed["clock_limit_mhz"]) == (
        "madeup", "LUT9", 50)
    result = run("sweep", "-a", "toy", "-n", 8, "-t", "madeup-1", "-o", "effort=low,high",
                 "--seeds", 1, "--json")
    assert result.exit_code == 0, result.stderr
    first, second = json.loads(result.stdout)["rows"]
    assert (first["status"], first["lut"], first["ff"], first["fmax_usable_mhz"]) == (
        "ok", 30, 7, 50)
    assert first["critical_path"] == "a to d: 1.60 ns logic, 2.00 ns routing, 2 levels"
    assert first["copies"] == 100 // 7
    assert first["arguments"]["nextpnr-madeup"] == ["--one", "--freq", "50", "--timing-allow-fail",
                                                    "--seed", "1"]
    assert second["arguments"]["nextpnr-madeup"][-2:] == ["--effort", "high"]
    assert fakes.jobs == ["nextpnr-madeup 1", "nextpnr-madeup 1", "yosys -"]


def test_the_doctor_knows_a_new_placer(madeup, fakes, run, monkeypatch):
    madeup()
    tools = {finding["name"]: finding for finding in json.loads(run("doctor", "--json").stdout)[
        "findings"] if finding["group"] == "tool"}
    assert (tools["nextpnr-madeup"]["ok"], tools["nextpnr-madeup"]["needed"]) == (True, False)
    assert tools["nextpnr-ice40"]["needed"]
    monkeypatch.delenv("NEXTPNR_MADEUP")
    result = run("doctor")
    assert "pip install yowasp-nextpnr-madeup" in result.stdout


def test_two_targets_of_one_name_are_refused(madeup):
    madeup(FAMILY.replace('name="madeup-1"', 'name="xc7"'))
    with pytest.raises(ValueError, match="Targets must have different names, but two are 'xc7'"):
        targets()


def test_placers_are_installed_by_what_they_say():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for placer, extra in placers().items():
        wanted = f"{package_of(placer)}>="
        installs = extras[extra] if extra else project["dependencies"]
        assert any(each.startswith(wanted) for each in installs), placer
        # The suite runs them all.
        assert not extra or any(each.startswith(wanted) for each in extras["test"]), placer


@pytest.mark.parametrize("family", families().values(), ids=lambda family: family.name)
def test_models_of_cells(family):
    own = "read_verilog -defer -overwrite models.v" in family.simulation
    assert bool(family.black_boxes()) == own
    if not family.simulation:
        with pytest.raises(ValueError, match=f"must be one with models of its cells, not "
                                             f"{family.name}; there are ice40, ecp5, xc7$"):
            cell_models(family)
