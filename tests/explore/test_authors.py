"""What the author of a core is told of a file that is none."""

import json
from pathlib import Path

import pytest
from console import assert_refused
from new_cores import BROKEN, added

from explore.cli import cli

pytestmark = pytest.mark.real_cores


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


def _example(*changes):
    text = (Path(__file__).parents[2] / "montgomery" / "_example.py").read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text


@pytest.mark.parametrize(("change", "said"), [
    (("self.steps + 1, self", "self.steps, self"),
     "compute: measured 11, the formula says 10; interval: measured 14, the formula says 13; "),
    (("self.result_words\n        return Cycles", "9\n        return Cycles"),
     "unload: measured 1, the formula says 9; ")])
def test_a_wrong_formula_is_said_by_the_counts_that_differ(run, tmp_path, monkeypatch, change,
                                                           said):
    monkeypatch.setenv("CXX", "")
    with added(tmp_path / "more", {"t_formula": _example(change)}):
        result = run("verify", "-a", "t_formula", "-n", "8", "-p", "word_width=16")
        assert result.exit_code == 1
        assert said in result.stderr
        assert "Cycles(" not in result.stderr
