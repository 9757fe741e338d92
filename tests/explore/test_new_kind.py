"""A new kind of core is one file in ``montgomery/kinds``: all commands take it as it is."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import toy_kind
from console import assert_refused

import montgomery
from boards.host import Info
from boards.top import description
from montgomery.kinds import KnownKind

PLAIN = ("-a", "addition.plain")
#: What follows the kind in the file of the toys.
_FIRST_CORE = "@dataclasses.dataclass(frozen=True, kw_only=True)\nclass Plain"
_CORE = """
from montgomery.core import About
from montgomery.kinds.adder import Addition, Adder


class Parameters(Addition):
    _about = About(summary="one of a new kind")

    def create(self):
        return Adder(self)
"""


@pytest.fixture(autouse=True)
def adders(registered, monkeypatch):
    registered["adder"] = {"plain": toy_kind.Plain, "wrong": toy_kind.Wrong}
    monkeypatch.setitem(montgomery.KINDS, "adder", KnownKind(**vars(toy_kind.KIND)))


def _json(result, status=0):
    assert result.exit_code == status, result.stderr
    return json.loads(result.stdout)


def test_its_file_is_found(tmp_path):
    package = tmp_path / "montgomery"
    shutil.copytree(Path(montgomery.__file__).parent, package,
                    ignore=shutil.ignore_patterns("__pycache__"))
    kind, _, _ = Path(toy_kind.__file__).read_text().partition(_FIRST_CORE)
    (package / "kinds" / "adder.py").write_text(kind)
    (package / "ripple").mkdir()
    for name, text in (("__init__", ""), ("adder", _CORE)):
        (package / "ripple" / f"{name}.py").write_text(text)
    registry = package / "registry.py"
    registry.write_text(registry.read_text().replace(
        "CORES = {", 'CORES = {"adder": ("ripple.adder",),'))
    command = "from explore.cli import cli; cli(['list', 'adders', '--json'])"
    done = subprocess.run(
        [sys.executable, "-P", "-c", command], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])})
    assert done.stderr == ""
    assert {name: core["summary"] for name, core in json.loads(done.stdout)["adders"].items()} == {
        "ripple": "one of a new kind"}


def test_list_names_it(run):
    assert set(_json(run("list", "--json"))["adders"]) == {"plain", "wrong"}
    assert "plain: two adders" in run("list", "adders").stdout


def test_verify_measures_and_runs_it(run, monkeypatch):
    monkeypatch.setenv("CXX", "")
    report = _json(run("verify", *PLAIN, "-n", "8", "--json"))
    assert (report["arch"], report["kind"], report["constant_time"]) == ("plain", "adder", True)
    assert report["cycles"] == {"load": 3, "compute": 1, "unload": 1, "interval": 4}
    for mode, count in (("exhaustive", sum(m * m for m in range(3, 16, 2))), ("full", 1)):
        result = run("verify", *PLAIN, "-n", "4", "--method", mode,
                     *["-j1"] * (mode == "exhaustive"))
        assert f"additions: {count}\n" in result.stdout
    one = run("verify", *PLAIN, "-n", "4", "--operands", "augend=9,addend=8,modulus=11")
    assert "augend + addend mod modulus, from simulation and model: 0x6" in one.stdout
    assert "addend " in run("list", PLAIN[1]).stdout
    assert_refused(run("verify", *PLAIN, "-n", "4", "--operands", "x=1"),
                   "takes --operands augend=N,addend=N,modulus=N")


def test_a_mismatch_is_told_by_its_operands(run, monkeypatch):
    monkeypatch.setenv("CXX", "")
    report = _json(run("verify", "-a", "addition.wrong", "-n", "8", "--json"), status=1)
    assert report["message"].startswith("The model is wrong: compute(augend=0x")
    assert "but augend + addend mod modulus = 0x" in report["message"]
    assert report["operands"] == {name: report[name] for name in toy_kind.KIND.inputs}
    assert report["command"].startswith(
        "montgomery verify -a addition.wrong -n 8 --operands augend=0x")
    assert "from simulation" not in run(*report["command"].split()[1:]).stdout


def test_export_describes_it(run, tmp_path):
    files = _json(run("export", *PLAIN, "-n", "8", "--json"))["files"]
    texts = {name: (tmp_path / path).read_text() for name, path in files.items()}
    assert "module addition_plain_8" in texts["verilog"]
    assert "augend + addend mod m." in texts["documentation"]
    assert "| `addend` | 1 | the second summand |" in texts["documentation"]
    assert "addend 0x2" in texts["testbench"]


def test_a_board_says_that_it_has_it():
    core = toy_kind.Plain(width=8)
    said = json.dumps(description(core, clock_hz=12_000_000, baud=115_200)).encode()
    assert Info.of(said).parameters == core
    assert core.i_words == 3


def test_a_sweep_measures_it(run, fakes):
    row, = _json(run("sweep", *PLAIN, "-n", "8", "-t", "ice40-hx8k", "--seeds", "1",
                     "--json"))["rows"]
    assert (row["kind"], row["arch"], row["status"]) == ("adder", "plain", "ok")
    assert (row["cycles_interval"], row["cycles_initiation"], row["ff_skew"]) == (4, None, None)
    assert "\naddition.plain " in run("table").stdout
    assert "| addition.plain " in run("table", "--format", "markdown").stdout
    assert fakes.jobs == ["nextpnr-ice40 1", "yosys -"]
