"""Commands in odd surroundings: each works, or says in one line what is amiss and the way round."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import explore

ROOT = Path(explore.__file__).parents[1]
CLI = (sys.executable, "-c", "from explore.cli import cli; cli()")
VERIFY = ("verify", "-a", "mmm_mx_1d", "-n", "8", "--vectors", "2", "--json")


def run(*arguments, before="", after="", unset=(), command=CLI, **options):
    """Run a command by a shell, which does something before, and redirects what it prints."""
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                 **options.pop("variables", {})}
    for name in unset:
        variables.pop(name, None)
    line = f"{before} exec {shlex.join(map(str, [*command, *arguments]))} {after}"
    return subprocess.run(["sh", "-c", line], env=variables, capture_output=True, text=True,
                          timeout=60, check=False, **options)


# Streams

@pytest.mark.parametrize("closed", ["2>&-", "<&-", "<&- 2>&-", "2</dev/null"])
def test_closed_streams(closed):
    found = run(*VERIFY, after=closed)
    assert (found.returncode, found.stderr) == (0, "")
    assert '"ok": true' in found.stdout


@pytest.mark.parametrize("closed", [">&- 2>&-", "<&- >&- 2>&-", ">/dev/null 2>&-"])
def test_what_nobody_sees_is_done(closed):
    assert run(*VERIFY, after=closed).returncode == 0
    assert run("verify", "-a", "none", after=closed).returncode == 2


def test_errors_are_no_part_of_a_closed_output(tmp_path):
    found = run("table", "--store", tmp_path, after=">&-")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("montgomery: No measurements in ")


# Names

#: What installing makes of ``[project.scripts]``, when the packages are the last on the path.
PROGRAM = (sys.executable, "-c", f"import sys; sys.path.append({str(ROOT)!r}); "
           "from montgomery_program import main; main()")


@pytest.mark.parametrize("path", [".", "", "WHERE"])
@pytest.mark.parametrize("kind", ["folder", "package", "module"])
@pytest.mark.parametrize("name", ["explore", "boards", "montgomery"])
def test_other_things_have_the_names_of_packages(tmp_path, name, kind, path):
    if kind != "module":
        (tmp_path / name).mkdir()
    if kind != "folder":
        (tmp_path / name / "__init__.py" if kind == "package" else tmp_path / f"{name}.py").touch()
    found = run("list", "boards", cwd=tmp_path, command=PROGRAM,
                variables={"PYTHONPATH": path.replace("WHERE", str(tmp_path)) + os.pathsep})
    assert (found.returncode, found.stderr) == (0, "")
    assert "icebreaker" in found.stdout


def test_workers_find_their_packages(tmp_path):
    for name in ("explore", "boards", "montgomery"):
        (tmp_path / f"{name}.py").touch()
    found = run(*VERIFY, cwd=tmp_path, command=PROGRAM, variables={"PYTHONPATH": "."})
    assert (found.returncode, found.stderr) == (0, "")
