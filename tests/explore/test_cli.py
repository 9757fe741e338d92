import importlib
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from explore import commands
from explore.cli import cli

ROOT = Path(__file__).parents[2]


def test_a_new_module_is_a_new_command(run, tmp_path, monkeypatch):
    (tmp_path / "extra.py").write_text("import click\n@click.command(short_help='One more.')\n"
                                       "def command():\n    return 7\n")
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    assert re.search("extra +One more", run("--help").stdout)
    assert run("extra").exit_code == 7
    monkeypatch.delitem(sys.modules, "explore.commands.extra")


def test_every_command_has_help_with_its_exit_status_or_examples(run):
    for name in cli.list_commands(None):
        result = run(name, "--help")
        assert result.exit_code == 0
        command = importlib.import_module(f"explore.commands.{name}").command
        assert isinstance(command, click.Command)
        assert command.short_help


def test_help_imports_nothing_slow():
    code = ("import sys\nfrom explore.cli import cli\n"
            "try: cli(['--help'])\nexcept SystemExit: pass\n"
            "slow = {'amaranth', 'pandas', 'matplotlib', 'numpy', 'rich'} & set(sys.modules)\n"
            "assert not slow, slow")
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=ROOT,
                   stdout=subprocess.DEVNULL)


def test_a_list_imports_what_it_lists_alone():
    code = ("import sys\nfrom explore.cli import cli\n"
            "try: cli(sys.argv[1:])\nexcept SystemExit: pass\n"
            "slow = {'pandas', 'matplotlib', 'numpy', 'scipy', 'dask', 'explore.simulation'}\n"
            "assert not slow & set(sys.modules), slow & set(sys.modules)")
    for arguments in (["list"], ["list", "targets"], ["list", "architectures"]):
        subprocess.run([sys.executable, "-W", "error", "-c", code, *arguments], check=True,
                       cwd=ROOT, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize(("line", "form"), [
    ("export mmm_mx_1d 256", "montgomery export -a mmm_mx_1d -n 256"),
    ("verify wide", "montgomery verify -a wide"),
    ("report 64 -t ecp5-25k", "montgomery report -n 64"),
    ("help", "'montgomery --help'"), ("board help", "'montgomery board --help'")])
def test_words_without_options_are_refused_with_the_form(line, form):
    done = CliRunner().invoke(cli, line.split())
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert form in done.stderr
