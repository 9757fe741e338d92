"""The example for authors of cores: it works as they find it, and the text beside it is right."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from new_cores import added

import explore
import montgomery
from montgomery import Parameters

pytestmark = pytest.mark.real_cores

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "montgomery" / "_example.py"
TEXT = (ROOT / "docs" / "own_cores.md").read_text()
#: Where the packages are, which may be installed elsewhere.
PACKAGES = Path(explore.__file__).parents[1]


@pytest.fixture
def example(tmp_path, monkeypatch):
    """Have the example among the cores of this process."""
    # Amaranth's simulator is quick for a core of 8 bits.
    monkeypatch.setenv("CXX", "")
    with added(tmp_path / "new", {"bit_serial": EXAMPLE.read_text()}):
        yield


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Return a folder with a copy of the package to which the example was added."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(PACKAGES / "montgomery", folder / "montgomery",
                    ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(EXAMPLE, folder / "montgomery" / "bit_serial.py")
    registry = folder / "montgomery" / "registry.py"
    registry.write_text(registry.read_text().replace(
        '"multiplier": (', '"multiplier": ("bit_serial", '))
    return folder


def python(package, *arguments):
    environment = os.environ | {"PYTHONPATH": f"{package}{os.pathsep}{PACKAGES}"}
    done = subprocess.run([sys.executable, "-P", *map(str, arguments)], env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def command_of_the_text(name, folder):
    """Return the words of a command of the text, with the files in ``folder``."""
    found, = re.findall(rf"^    montgomery ({name} .*)", TEXT, re.MULTILINE)
    return found.replace("my_core.py", f"{folder}/my_core.py").split()


def test_the_example_depends_on_the_contract_alone():
    imported = re.findall(r"^ *(?:from|import) +(\S+)", EXAMPLE.read_text(), re.MULTILINE)
    assert {name for name in imported if name.startswith(("montgomery", "."))} == {
        "montgomery.core", "montgomery.kinds.multiplier"}


def test_commands_take_the_example(run, example):
    assert "bit_serial: radix 2" in run("list", "architectures").stdout
    report = json.loads(run("verify", "-a", "bit_serial", "-n", "8", "--json").stdout)
    assert (report["ok"], report["constant_time"]) == (True, True)
    for arguments in (["bit_serial", "-n", "9", "-p", "word_width=3"],
                      ["exponentiation.generic", "-p", "multiplier=bit_serial", "-n", "8"]):
        result = run("verify", "-a", *arguments)
        assert result.exit_code == 0, result.stderr
    assert run("export", "-a", "bit_serial", "-n", "8").exit_code == 0


def test_commands_of_the_text_work(fakes, tmp_path):
    command = "import sys; from explore.cli import cli; cli(sys.argv[1:])"
    written = python(PACKAGES, "-c", command, *command_of_the_text("new", tmp_path), "--output",
                     tmp_path).splitlines()
    assert written == [str(tmp_path / name) for name in ("my_core.py", "test_my_core.py")]
    said = python(PACKAGES, "-c", command, *command_of_the_text("verify", tmp_path), "--vectors",
                  "1")
    assert "my_core" in said
    assert "3 passed" in python(PACKAGES, "-m", "pytest", "-p", "no:cacheprovider", written[1])
    row, = json.loads(python(PACKAGES, "-c", command, *command_of_the_text("sweep", tmp_path),
                             "--seeds", "1", "--json", "--store", tmp_path / "store"))["rows"]
    assert (row["arch"], row["status"]) == ("my_core", "ok")
    assert fakes.jobs == ["nextpnr-ice40 1", "yosys -"]


def test_the_checks_of_every_core_pass_for_the_example(package):
    tests = [ROOT / "tests" / "montgomery" / f"test_{name}.py"
             for name in ("hardware", "models", "parameters", "registry")]
    said = python(package, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", "-o", "addopts=",
                  "-c", ROOT / "pyproject.toml", "--rootdir", ROOT, "-k", "bit_serial", *tests)
    passed, = re.findall(r"(\d+) passed", said)
    assert int(passed) > 20
    assert "skipped" not in said


def test_the_text_lists_the_members_that_are_required():
    section = TEXT[TEXT.index("## What a core must define"):][3:].split("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)", section, re.MULTILINE)
    assert sorted(listed) == sorted(Parameters.__abstractmethods__)
    assert len(listed) == len(set(listed))


def test_the_text_names_what_there_is():
    assert len(TEXT.splitlines()) <= 100
    names = re.findall(r"`([\w/]+/(?:\w+\.py)?)`", TEXT)
    assert len(names) > 3
    for name in names:
        assert (ROOT / name).exists(), name
    attributes = {*dir(Parameters), *dir(montgomery.core), *dir(montgomery.kinds.multiplier)}
    for code in re.findall(r"`([^`/]+)`", TEXT):
        for called in re.findall(r"(\w+)\(", code):
            assert called in attributes, code
