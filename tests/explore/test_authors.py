"""What the author of a core is told of a file that is none."""

import json

import pytest
from console import assert_refused
from new_cores import BROKEN, added

from explore.cli import cli


@pytest.fixture
def registry():
    """The real one, in place of toys."""


@pytest.fixture(autouse=True)
def broken(tmp_path):
    """Files that are no cores, beside those that are."""
    with added(tmp_path / "new", {name: text for name, (text, _) in BROKEN.items()}):
        yield


def test_list_says_which_files_are_no_cores_and_why(run):
    for arguments in (["architectures"], ["--json"]):
        result = run("list", *arguments)
        assert result.exit_code == 0
        lines = result.stderr.splitlines()
        for line, (name, (_, reason)) in zip(lines, sorted(BROKEN.items()), strict=True):
            assert line.startswith(f"note: montgomery/{name}.py {reason}")
    assert "mmm_mx_1d" in json.loads(result.stdout)["architectures"]
    assert run("list", "targets", "plots").stderr == ""


def test_a_sweep_goes_on_without_them_and_says_so(run):
    result = run("sweep", "-a", "mmm_cs_1d", "-n", "8", "-t", "xc7", "--dry-run")
    assert result.exit_code == 0
    assert "mmm_cs_1d/8" in result.stdout
    assert "note: montgomery/t_syntax.py cannot be imported: SyntaxError" in result.stderr


@pytest.mark.parametrize("name", BROKEN)
def test_the_name_of_a_file_that_is_no_core_says_why(run, name):
    assert_refused(run("verify", "-a", name, "-n", "8"),
                   f"Unknown architecture '{name}': montgomery/{name}.py {BROKEN[name][1]}")


def test_debug_shows_where_an_import_fails(run, monkeypatch):
    monkeypatch.setattr(cli, "debug", False)
    for command in (["verify", "-a", "t_import", "-n", "8"], ["list", "architectures"]):
        assert "Traceback" not in run(*command).stderr
    for command in (["verify", "-a", "t_import", "-n", "8"], ["list", "architectures"]):
        shown = run("--debug", *command).stderr
        assert "new/t_import.py\", line 2" in shown
        assert "    from montgomery.arithmetic import nosuch" in shown
