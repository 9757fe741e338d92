"""What a command prints of an error: one line, for the user, or of the program itself."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import toy
from click.testing import CliRunner
from console import assert_refused

from explore.cli import cli
from explore.outcome import StageFailed
from explore.store.artefacts import Damaged

ROOT = Path(__file__).parents[2]
VERIFY = ("verify", "-a", "toy", "-n", "16", "--operands", "x=3,y=4,modulus=5")


@pytest.fixture
def list_does(run, monkeypatch):
    """Return a function that has 'montgomery list' call a function, and returns the result."""
    def call(function):
        monkeypatch.setattr("explore.commands._catalogue.everything", function)
        return run("list")

    return call


def act_of(module, source):
    """Return the function ``act`` of a module of some name, with some source."""
    namespace = {"__name__": module}
    exec(compile(source, f"/home/{module}.py", "exec"), namespace)
    return namespace["act"]


@pytest.mark.parametrize(("source", "message"), [
    ("def act(): return int('fast')", "ValueError: invalid literal for int() with base 10: 'fast'"),
    ("def act():\n import json\n return json.loads('x')", "JSONDecodeError: Expecting value: line"),
    # Neither makes it a message for the user that it is raised once more on its way.
    ("def act():\n try: int('a')\n except ValueError: raise", "ValueError: invalid literal"),
    ("def act(): raise KeyError('surprise')", "KeyError: 'surprise'"),
    ("def act(): assert not 1", "AssertionError: ")])
def test_a_fault_of_the_program_is_no_fault_of_the_user(list_does, source, message):
    result = list_does(act_of("explore.failing", source))
    assert_refused(result, f"internal error, {message}", status=1)
    assert re.search(r" \(/home/explore.failing.py, line \d\); the same command with "
                     r"--debug shows the traceback$", result.stderr)


def test_debug_shows_where(list_does):
    fail = act_of("explore.failing", "def act(): return 1 / 0")
    list_does(fail)
    for arguments, value in ((["--debug", "list"], None), (["list", "--debug"], None),
                             (["list"], "1")):
        result = CliRunner().invoke(cli, arguments, env={"MONTGOMERY_DEBUG": value})
        assert result.exit_code == 1
        assert "Traceback (most recent call last)" in result.stderr
        assert "/home/explore.failing.py" in result.stderr


@pytest.mark.parametrize(("module", "source"), [
    ("boards", "def act(): raise ValueError('It must be\\neven')"),
    ("montgomery.some.core", "def act():\n try: int('a')\n except ValueError: "
     "raise TypeError('It must be even') from None"),
    ("explore.any", "from explore.errors import Refusal\n"
     "def act(): raise Refusal('It must be\\neven')")])
def test_what_is_for_the_user(list_does, module, source):
    result = list_does(act_of(module, source))
    assert_refused(result, "It must be even")
    assert result.stderr == "montgomery: It must be even\n"


def test_a_core_of_any_author_may_refuse(run, monkeypatch):
    assert toy.Toy.__module__ == "toy"
    monkeypatch.setattr(toy.Toy, "_check_operands", act_of(
        "toy", "def act(self, *operands): raise ValueError('Operand x must not be three')"))
    assert_refused(run(*VERIFY), "montgomery: Operand x must not be three\n")


@pytest.mark.parametrize(("error", "message", "status"), [
    (PermissionError(13, "Permission denied", "rows.jsonl"),
     "rows.jsonl cannot be used (Permission denied); look at its permissions and those of its "
     "folder, or name another", 2),
    (OSError(28, "No space left on device"), "Disk is full: cannot open or write what is", 1),
    (OSError(12, "Cannot allocate memory"), "Out of memory; end other programs", 1),
    (OSError(5, "Input/output error"), "refused what is needed here: Input/output error", 1),
    (StageFailed("synth: no"), "montgomery: synth: no", 1),
    (Damaged("x is damaged"), "x is damaged; delete it", 1)])
def test_errors_from_elsewhere(list_does, error, message, status):
    def fail():
        raise error

    assert_refused(list_does(fail), message, status=status)


@pytest.mark.parametrize(("streams", "status"), [("", 0), ("2>&1", 0), (">/dev/full", 1)])
def test_nobody_reads_to_the_end(streams, status):
    """What is left unread is no error; a full disk is one."""
    code = ("import click, explore.commands._catalogue as each\n"
            "def show():\n"
            "    for _ in range(100_000): click.echo('line')\n"
            "each.everything = show\n"
            "from explore.cli import cli; cli(['list'])")
    script = f'"$0" -c "$1" {streams} | head -1; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", script, sys.executable, code], cwd=ROOT,
                          capture_output=True, text=True)
    if status:
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("montgomery: Disk is full")
    else:
        assert (done.returncode, done.stdout, done.stderr) == (141, "line\n", "")
