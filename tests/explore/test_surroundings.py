"""Commands in odd surroundings: each works, or says in one line what is amiss and the way round."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import explore

pytestmark = pytest.mark.thorough

ROOT = Path(explore.__file__).parents[1]
CLI = (sys.executable, "-c", "from explore.cli import cli; cli()")
VERIFY = ("verify", "-a", "mmm_mx_1d", "-n", "8", "--vectors", "2", "--json")


def run(*arguments, before="", after="", unset=(), command=CLI, **options):
    """Run a command by a shell, which does something before, and redirects what it prints."""
    variables = {name: value for name, value in os.environ.items() if name not in unset}
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    variables |= options.pop("variables", {})
    line = f"{before} exec {shlex.join(map(str, [*command, *arguments]))} {after}"
    return subprocess.run(["sh", "-c", line], env=variables, capture_output=True, text=True,
                          timeout=60, check=False, **options)


@pytest.fixture(autouse=True)
def own_store(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("MONTGOMERY_STORE", str(tmp_path_factory.getbasetemp() / "surroundings"))


# Names

#: What installing makes of ``[project.scripts]``, when the packages are the last on the path.
PROGRAM = (sys.executable, "-c", f"import sys; sys.path.append({str(ROOT)!r}); "
           "from montgomery_program import main; main()")


@pytest.mark.parametrize(("name", "file"), [
    ("explore", "explore.py"), ("boards", "boards/__init__.py"), ("explore", None)])
def test_other_things_have_the_names_of_packages(tmp_path, name, file):
    """Workers find their packages too."""
    if file != f"{name}.py":
        (tmp_path / name).mkdir()
    if file:
        (tmp_path / file).touch()
    found = run(*VERIFY, cwd=tmp_path, command=PROGRAM, variables={"PYTHONPATH": "."})
    assert (found.returncode, found.stderr) == (0, "")
    assert '"ok": true' in found.stdout


# Homes

#: A user without a home: the system knows none, and no variable names one.
HOMELESS = (sys.executable, "-c",
            "import os, pwd\n"
            "def nobody(number): raise KeyError(number)\n"
            "pwd.getpwuid = nobody\n"
            "from explore.cli import cli; cli()")
HOMES = ("HOME", "XDG_CACHE_HOME", "MONTGOMERY_STORE")


def test_no_home(tmp_path):
    found = run(*VERIFY, command=HOMELESS, unset=HOMES, cwd=tmp_path)
    assert (found.returncode, found.stdout, found.stderr) == (
        2, "", "montgomery: The cache of montgomery needs a folder, but this user has no home; set "
               "HOME or XDG_CACHE_HOME to a folder that can be written, or name a folder with "
               "--store or MONTGOMERY_STORE\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("home", ["/proc/nohome", "/etc/passwd"])
def test_home_that_cannot_be_written(tmp_path, home):
    for command, message in [
            (("export", "-a", "mmm_mx_1d", "-n", "8"),
             f"compiles itself when it first runs, but {home}/.cache/YoWASP cannot be written ("),
            (VERIFY, f"a folder that can be written, not {home}/.cache/montgomery (")]:
        found = run(*command, cwd=tmp_path, variables={"HOME": home}, unset=HOMES[1:])
        assert (found.returncode, found.stdout, found.stderr.count("\n")) == (2, "", 1)
        assert message in found.stderr
