import importlib
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from console import assert_refused

from explore import commands
from explore.cli import cli
from explore.lookup import UnknownName, known

ROOT = Path(__file__).parents[2]
SWEEP = ("sweep", "-a", "toy")
VERIFY = ("verify", "-a", "toy", "-n", "16", "--x", "3", "--y", "4", "--modulus")


@pytest.mark.parametrize(("arguments", "message"), [
    ((*SWEEP, "-n", "0"), "Width must be 4 or more, not 0"),
    ((*SWEEP, "-n", "-5"), "Width must be 4 or more, not -5"),
    ((*SWEEP, "-n", "abc"), "Width must be a number or a range such as 32-1024 or 32-128:16, not "
                            "'abc'"),
    ((*SWEEP, "-n", "32.5"), "not '32.5'"),
    ((*SWEEP, "-n", "5000000"), "Width must be 4096 or less, not 5000000"),
    ((*SWEEP, "-n", "64-32"), "not end before it starts, unlike '64-32'"),
    ((*SWEEP, "-n", "1-5000000:1"), "must hold 1000 widths or fewer"),
    ((*SWEEP, "-n", "8-16:0"), "must hold 1000 widths or fewer"),
    ((*SWEEP, "-n", ","), "a value before and after each comma, unlike ','"),
    ((*SWEEP, "-n", ""), "-n must have a value before and after each comma, unlike ''"),
    (("sweep", "-a", "toi"), "Unknown architecture 'toi'; did you mean 'toy'?"),
    ((*SWEEP, "-t", "ecp5_85k"), "Unknown target 'ecp5_85k'; did you mean 'ecp5-85k'?"),
    ((*SWEEP, "-p", "wordwidth=8"), "Unknown parameter 'wordwidth'; did you mean 'word_width'?"),
    ((*SWEEP, "-p", "word_width=0"), "Word width must be 1 or more, not 0"),
    ((*SWEEP, "-p", "word_width=x"), "Word width must be an integer, not 'x'"),
    ((*SWEEP, "-p", "style=plane"), "Style must be one of plain, fancy, not 'plane'"),
    ((*SWEEP, "-p", "word_width"), "-p takes KEY=VALUE or KEY=VALUE,VALUE, not 'word_width'"),
    ((*SWEEP, "-p", "=8"), "-p takes KEY=VALUE or KEY=VALUE,VALUE, not '=8'"),
    ((*SWEEP, "-o", "placerweight=10"),
     "Unknown option 'placerweight'; did you mean 'placer_weight'?"),
    ((*SWEEP, "-o", "placer_weight=11"), "placer_weight must be one of"),
    ((*SWEEP, "--preset", "qick"), "Unknown preset 'qick'; did you mean 'quick'?"),
    ((*SWEEP, "--seeds", "0"), "--seeds must be an integer of 1 or more, not 0"),
    ((*SWEEP, "--seeds", "abc"), "--seeds must be an integer of 1 or more, not 'abc'; see "),
    ((*SWEEP, "--timeout", "x" * 99), f"--timeout must be a number, not '{'x' * 40}…'"),
    ((*SWEEP, "-j", "0"), "--jobs must be an integer of 1 or more, not 0"),
    ((*SWEEP, "--timeout", "0"), "above 0 and up to 525600 (a year), not 0.0"),
    ((*SWEEP, "--timeout", "inf"), "above 0 and up to 525600 (a year), not inf"),
    ((*SWEEP, "--seeds", "100000000"), "Seeds must be an integer from 1 to 10000, not 100000000"),
    ((*SWEEP, "--timeout", "nan"), "above 0 and up to 525600 (a year), not nan"),
    (("sweep", "missing.toml"), "FILE.toml|DIR: 'missing.toml' does not exist; name a file or a"),
    (("sweep", "."), ". holds no file sweep*.toml; name a folder that does, or a file"),
    (("sweep", "-n"), "Option '-n' needs a value"),
    (("sweep", "--json=1"), "Option '--json' takes no value"),
    (("sweep", "--store", ""), "--store must name a folder, but the name is empty; leave the opt"),
    (("sweep", "--store", __file__), "is a file; name another"),
    (("plot", "--from", ""), "--from: '' does not exist; name a file or a folder that does"),
    (("board", "program", __file__), "is no folder; name a folder"),
    (("board", "run", "--port", "x", "--sign", "."), "--sign: '.' is a folder; name a file"),
    (("board", "build"), "board build needs BOARD; see 'montgomery board build --help'"),
    (("verify", "-n", "16"), "verify needs -a/--arch NAME; see 'montgomery verify --help'"),
    (("verify", "-a", "toy", "-n", "16", "more"), "verify takes no argument 'more'; see"),
    (("verify", "-a", "toy", "-n", "16", "--exhaustive"), "Width must be 10 or less"),
    (("verify", "-a", "toy", "-n", "8", "--exhaustive", "--full"), "exclude each other"),
    (("verify", "-a", "toy", "-n", "8", "--mutants", "0"), "an integer from 1 to 10000, not 0"),
    (("verify", "-a", "toy", "-n", "8", "--mutants", "9", "--vcd", "x"), "goes with neither"),
    (("verify", "-a", "toy", "-n", "8", "--vcd", "no/x.vcd"), "needs the folder no, which does"),
    (("verify", "-a", "toy", "-n", "8", "--seed", "-1"), "must be an integer of 0 or more, not -1"),
    (("verify", "-a", "toy,wrong", "-n", "8"), "verify takes one core, not 2; give one name to -a"),
    (("verify", "-a", "toy", "-n", "8", "--full", "--vectors", "8"), "goes with neither"),
    ((*VERIFY, "5", "--vectors", "8"), "goes with neither --exhaustive, --full nor a single"),
    ((*SWEEP, "-n", "8", "-o", "placer=static", "-t", "ice40-hx8k"),
     "ice40-hx8k has no option placer, only abc, constraint_mhz, multipliers, "
     "placer_weight; ecp5-25k"),
    (("table", "--from", ".", "--store", "store"), "--from and --store exclude each other"),
    (("table", "--format", "html"), "Unknown table format 'html'; known are terminal, markdown"),
    (("board", "build", "icebreaker", "-a", "toy", "-n", "8", "--baud", "1"), "of 300 or more"),
    (("verify", "-a", "toy", "-n", "8", "-o", "abc=flow3"), "name a target with it"),
    (("verify", "-a", "toy", "-n", "8", "--post-synth", "ice40"), "did you mean"),
    (("verify", "-a", "toi", "-n", "16"), "Unknown architecture 'toi'; did you mean 'toy'?"),
    (("verify", "-a", "toy", "-n", "8,16"), "verify takes one point, not 2"),
    (("verify", "-a", "toy", "-n", "16", "--vectors", "0"), "of 1 or more, not 0"),
    (("verify", "-a", "toy", "-n", "16", "--x", "1"), "takes all of --x, --y and --modulus"),
    (("verify", "-a", "toy", "-n", "16", "--base", "1", "--y", "2", "--modulus", "3"),
     "takes all of --x, --y and --modulus"),
    ((*VERIFY, "10"), "modulus must be odd, not 10"),
    ((*VERIFY, "0x10001"), "modulus must have 16 bits or fewer, not 17"),
    ((*VERIFY, "3"), "Operand x must be from 0 to 2, not 3"),
    ((*VERIFY, "three"), "--modulus must be an integer in decimal, or in hexadecimal after 0x, not "
                         "'three'"),
    ((*VERIFY, "9" * 5000), f"after 0x, not '{'9' * 40}…'"),
    (("table",), "No measurements in"),
    (("table", "--from", "missing.csv"), "'missing.csv' does not exist"),
    (("plot",), "No measurements in"),
    (("list", "taget"), "Unknown group or name 'taget'; did you mean 'targets'?"),
    (("swep",), "Unknown command 'swep'; did you mean 'sweep'?"),
    (("sweep", "--sede", "1"), "sweep has no option '--sede'; did you mean '--seeds'?"),
    (("recommend", "--bits", "8", "--max-lut", "nan"), "--max-lut must be a number of 0 or more"),
])
def test_bad_input_is_one_line_and_writes_nothing(run, tmp_path, arguments, message):
    assert_refused(run(*arguments), message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("text", "message"), [
    ("archs = [", "bad.toml is not TOML"),
    ("\udcff", "bad.toml is not TOML"),
    ("arhcs = ['toy']", "Unknown key 'arhcs'; did you mean 'archs'?"),
    ("archs = 3", "'archs' must be a list of strings, not 3"),
    ("seeds = 'x'", "Seeds must be an integer from 1 to 10000, not 'x'"),
    ("preset = 'fast'", "Unknown preset 'fast'"),
    ("archs = ['toi']\nwidths = [8]\ntargets = ['ecp5-25k']", "Unknown architecture 'toi'"),
    ("params = 3", "'params' must be a table, not 3"),
])
def test_bad_sweep_files_are_one_line_and_write_nothing(run, tmp_path, text, message):
    path = tmp_path / "bad.toml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    assert_refused(run("sweep", "bad.toml"), message)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("arguments", "message"), [
    (("ecc",), "none of 54 rows is one"),
    (("ecc", "--method", "windw"), "Unknown method 'windw'; did you mean 'window'?"),
    (("ecc", "--format", "html"), "Unknown table format 'html'"),
    (("table", "--columns", "luts"), "Unknown column 'luts'; did you mean 'lut'?"),
    (("table", "-a", "alhpa"), "Unknown measured architecture 'alhpa'; did you mean 'alpha'?"),
    (("table", "-n", "48"), "Nothing of 48 bits was measured, only 32, 64, 128; 'montgomery sweep "
                            "-n 48' measures it"),
    (("table", "-t", "ice40"), "Unknown measured target 'ice40'; did you mean 'ice40-hx8k'?"),
    (("plot", "-t", "ecp5-25k", "--output", "out"),
     "Nothing was measured on ecp5-25k, only on ecp5-85k, ice40-hx8k; 'montgomery sweep -t "
     "ecp5-25k' measures it"),
    (("plot", "lutwidth", "--output", "out"), "Unknown plot 'lutwidth'; did you mean 'lut_width'"),
    (("plot", "--format", "gif", "--output", "out"), "Unknown plot format 'gif'"),
])
def test_what_was_not_measured_is_one_line(run, saved, tmp_path, arguments, message):
    assert_refused(run(*arguments, "--from", saved), message)
    assert list(tmp_path.iterdir()) == [saved]


def test_foreign_folder_is_not_taken_for_a_store(run, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").touch()
    assert_refused(run(*SWEEP, "--store", "mine"), "mine is not a montgomery store (it contains "
                                                   "letter.txt); name another folder")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_a_new_module_is_a_new_command(run, tmp_path, monkeypatch):
    (tmp_path / "extra.py").write_text("import click\n@click.command(short_help='One more.')\n"
                                       "def command():\n    return 7\n")
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    assert re.search("extra +One more", run("--help").stdout)
    assert run("extra").exit_code == 7
    monkeypatch.delitem(sys.modules, "explore.commands.extra")


def test_bare_command_shows_help(run):
    assert "Commands:" in run().output


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


def test_known():
    assert known("thing", "a", {"a": 1}) == "a"
    for names, message in ((["b", "cc"], "Unknown thing 'xyz'; known are b, cc"),
                           ([], "Unknown thing 'xyz'; there is none yet"),
                           (["xyw"], "Unknown thing 'xyz'; did you mean 'xyw'?")):
        with pytest.raises(UnknownName) as caught:
            known("thing", "xyz", names)
        assert str(caught.value) == message



