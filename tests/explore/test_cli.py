import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from measurements import row, rows

from explore import commands
from explore.cli import cli
from explore.names import UnknownName, known
from explore.results import save
from explore.simulation.compiler import find_compiler
from explore.store import Store

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command in an empty folder and returns its result."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MONTGOMERY_STORE", str(tmp_path / "store"))
    # What the commands set themselves is to vanish with the test.
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "matplotlib"))
    return lambda *arguments: CliRunner().invoke(cli, [str(each) for each in arguments])


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "rows.jsonl"
    save(rows(), path)
    return path


def assert_refused(result, message, status=2):
    assert (result.exit_code, result.stdout) == (status, "")
    assert result.stderr.startswith("montgomery: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


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
    ((*SWEEP, "-n", ""), "a value before and after each comma, unlike ''"),
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
    ((*SWEEP, "--seeds", "0"), "0 is not in the range"),
    ((*SWEEP, "-j", "0"), "0 is not in the range"),
    ((*SWEEP, "--timeout", "0"), "Timeout must be a number of minutes above 0, not 0.0"),
    ((*SWEEP, "--timeout", "nan"), "Timeout must be a number of minutes above 0, not nan"),
    (("sweep", "missing.toml"), "'missing.toml' does not exist"),
    (("sweep", "."), "No sweep*.toml in .; name a folder that has some"),
    (("verify", "-n", "16"), "Missing option '-a'"),
    (("verify", "-a", "toy", "-n", "16", "--exhaustive"), "Width must be 10 or less"),
    (("verify", "-a", "toy", "-n", "8", "--exhaustive", "--full"), "exclude each other"),
    (("verify", "-a", "toy", "-n", "8", "--mutants", "0"), "0 is not in the range"),
    (("verify", "-a", "toy", "-n", "8", "--mutants", "9", "--vcd", "x"), "goes with neither"),
    (("verify", "-a", "toy", "-n", "8", "--vcd", "no/x.vcd"), "a folder that exists"),
    (("verify", "-a", "toy", "-n", "8", "-o", "abc=flow3"), "name a target with it"),
    (("verify", "-a", "toy", "-n", "8", "--post-synth", "ice40"), "did you mean"),
    (("verify", "-a", "toi", "-n", "16"), "Unknown architecture 'toi'; did you mean 'toy'?"),
    (("verify", "-a", "toy", "-n", "8,16"), "verify takes one point, not 2"),
    (("verify", "-a", "toy", "-n", "16", "--vectors", "0"), "0 is not in the range"),
    (("verify", "-a", "toy", "-n", "16", "--x", "1"), "takes all of --x, --y and --modulus"),
    (("verify", "-a", "toy", "-n", "16", "--base", "1", "--y", "2", "--modulus", "3"),
     "takes all of --x, --y and --modulus"),
    ((*VERIFY, "10"), "modulus must be odd, not 0xa"),
    ((*VERIFY, "0x10001"), "modulus must be below 2**16, but 0x10001 has 17 bits"),
    ((*VERIFY, "3"), "Operand x must be in 0..0x2, not 0x3"),
    ((*VERIFY, "three"), "'three' is not an integer; write it in decimal or as 0x"),
    ((*VERIFY, "9" * 5000), f"'{'9' * 40}…' is not an integer"),
    (("table",), "No measurements in"),
    (("table", "--from", "missing.csv"), "'missing.csv' does not exist"),
    (("table", "--format", "html"), "Unknown table format 'html'"),
    (("plot",), "No measurements in"),
    (("list", "taget"), "Unknown group 'taget'; did you mean 'targets'?"),
    (("swep",), "Unknown command 'swep'; did you mean 'sweep'?"),
    (("sweep", "--sede", "1"), "No such option '--sede'"),
])
def test_bad_input_is_one_line_and_writes_nothing(run, tmp_path, arguments, message):
    assert_refused(run(*arguments), message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("text", "message"), [
    ("archs = [", "bad.toml is not TOML"),
    ("\udcff", "bad.toml is not TOML"),
    ("arhcs = ['toy']", "Unknown key 'arhcs'; did you mean 'archs'?"),
    ("archs = 3", "'archs' must be a list of strings, not 3"),
    ("seeds = 'x'", "Seeds must be an integer of 1 or more, not 'x'"),
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
    (("table", "-n", "48"), "Unknown measured width '48'"),
    (("plot", "-t", "ecp5-25k", "--output", "out"), "Unknown measured target 'ecp5-25k'"),
    (("plot", "lutwidth", "--output", "out"), "Unknown plot 'lutwidth'; did you mean 'lut_width'"),
    (("plot", "--format", "gif", "--output", "out"), "Unknown plot format 'gif'"),
])
def test_what_was_not_measured_is_one_line(run, saved, tmp_path, arguments, message):
    assert_refused(run(*arguments, "--from", saved), message)
    assert list(tmp_path.iterdir()) == [saved]


def test_foreign_folder_is_not_taken_for_a_store(run, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").touch()
    assert_refused(run(*SWEEP, "--store", "mine"), "mine holds letter.txt")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_output_that_cannot_be_written_is_one_line(run, saved):
    assert_refused(run("table", "--from", saved, "--output", "/proc/no/table.txt"),
                   "No such file or directory: /proc/no/", status=1)


def test_own_failures_are_one_line_with_a_way_to_see_more(run, monkeypatch):
    def fail(*arguments, **options):
        raise KeyError("surprise")

    monkeypatch.setattr("explore.listing.everything", fail)
    assert_refused(run("list"), "internal error, KeyError: 'surprise'; the same command with "
                                "MONTGOMERY_DEBUG=1 shows where", status=1)
    for arguments, value in ((["--debug", "list"], None), (["list"], "1")):
        result = CliRunner().invoke(cli, arguments, env={"MONTGOMERY_DEBUG": value})
        assert result.exit_code == 1
        assert "Traceback (most recent call last)" in result.stderr


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


def test_closed_pipe_is_not_an_error(saved, tmp_path):
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path)}
    command = f"{sys.executable} -c 'from explore.cli import cli; cli()' table --from {saved}"
    done = subprocess.run(f"{command} --per-seed | true", shell=True, cwd=ROOT, env=environment,
                          stderr=subprocess.PIPE, text=True, check=True)
    assert done.stderr == ""


def test_list_names_everything(run):
    document = json.loads(run("list", "--json").stdout)
    assert {"architectures", "exponentiators", "targets", "boards", "presets", "plots",
            "table_formats"} <= set(document)
    toy = document["architectures"]["toy"]
    assert toy["parameters"]["style"] == {
        "type": "str", "default": "plain", "required": False, "minimum": None, "maximum": None,
        "choices": ["plain", "fancy"], "help": "nothing but a name"}
    assert toy["parameters"]["width"]["required"]
    assert document["targets"]["ecp5-85k"]["clock_limit_mhz"] == 257
    assert document["targets"]["ecp5-85k"]["options"]["placer_weight"]["choices"]
    xc7 = document["targets"]["xc7"]
    assert (xc7["placer"], xc7["clock_limit_mhz"], xc7["lut_name"]) == (None, None, "LUT6")
    shown = run("list").stdout
    for group in ("architectures", "targets", "presets", "plots", "table_formats", "columns"):
        for name in document[group]:
            assert name in shown


def test_list_one_group(run):
    assert list(json.loads(run("list", "--json", "plots").stdout)) == ["plots"]
    assert run("list", "exponentiators").stdout == "Exponentiators\n  none\n"
    assert run("list", "decryptions").stdout == "Decryptions\n  none\n"
    assert_refused(run("list", "decryption"), "Unknown group 'decryption'; did you mean")


def test_table_from_file_and_from_store_agree(run, saved, tmp_path):
    with Store(tmp_path / "store") as store:
        store.remember_rows({str(index): each for index, each in enumerate(rows())})
    assert run("table", "--from", saved).stdout == run("table").stdout
    assert "alpha" in run("table").stdout


def test_table_to_a_file(run, saved, tmp_path):
    result = run("table", "--from", saved, "-a", "beta", "-n", "32-64", "-t", "ice40-hx8k",
                 "--format", "csv", "--columns", "lut,ff", "--output", "out.csv")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "out.csv\n")
    assert (tmp_path / "out.csv").read_text() == (
        "arch,width,lut,ff\nbeta,32,328,164\nbeta,64,616,308\n")


def test_plot_prints_the_paths_it_wrote(run, saved, tmp_path):
    result = run("plot", "lut_width", "--from", saved, "--output", "deep/figures")
    assert result.stdout == "deep/figures/lut_width.svg\ndeep/figures/lut_width.png\n"
    assert (tmp_path / "deep/figures/lut_width.svg").exists()


def test_plots_of_a_store_leave_nothing_in_the_users_folders(tmp_path):
    with Store(tmp_path / "store") as store:
        store.remember_rows({"one": row()})
    home = tmp_path / "home"
    home.mkdir()
    subprocess.run([sys.executable, "-c", "from explore.cli import cli; cli()", "plot", "lut_width",
                    "--store", tmp_path / "store", "--output", tmp_path / "out"], check=True,
                   cwd=ROOT, env={"HOME": str(home), "PATH": os.environ["PATH"]},
                   stdout=subprocess.DEVNULL)
    assert list(home.iterdir()) == []
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_plot_of_failures_only(run, tmp_path):
    save([row(status="no_fit")], tmp_path / "rows.jsonl")
    assert_refused(run("plot", "--from", "rows.jsonl"), "needs a measured point")


def test_verify_agrees(run):
    result = run("verify", "-a", "toy", "-n", "12", "-p", "word_width=4", "--vectors", "2")
    assert result.exit_code == 0
    assert "toy with 12 bits agrees with its model" in result.stdout
    report = json.loads(run("verify", "-a", "toy", "-n", "12", "--vectors", "2", "--json").stdout)
    assert report["ok"]
    assert report["constant_time"]
    assert set(report) >= {"arch", "width", "params", "vectors", "cycles", "cycles_per_second"}


def test_verify_tells_of_a_mismatch(run):
    assert_refused(run("verify", "-a", "wrong", "-n", "8", "--vectors", "1"),
                   "wrong with 8 bits fails: x=", status=1)
    result = run("verify", "-a", "wrong", "-n", "8", "--vectors", "1", "--json")
    assert result.exit_code == 1
    assert not json.loads(result.stdout)["ok"]


def test_one_multiplication(run):
    operands = ("-n", "16", "--x", "0x1234", "--y", "777", "--modulus", "0xfff1")
    expected = 0x1234 * 777 * pow(1 << 16, -1, 0xfff1) % 0xfff1
    result = run("verify", "-a", "toy", *operands)
    assert result.exit_code == 0
    assert f"from simulation and model: {expected:#x}\n" in result.stdout
    report = json.loads(run("verify", "-a", "toy", *operands, "--json").stdout)
    assert report["simulation"] == report["model"] == hex(expected)
    assert report["cycles"] == {"load": 6, "compute": 18, "unload": 2}
    assert_refused(run("verify", "-a", "wrong", *operands),
                   f"simulation gives {expected:#x}, the model {expected + 1:#x}", status=1)


def test_a_mismatch_comes_with_all_it_takes_to_look_into_it(run, tmp_path):
    result = run("verify", "-a", "wrong", "-n", "8", "--seed", "3", "--vcd", "bad.vcd", "--json")
    report = json.loads(result.stdout)
    assert int(report["expected"], 16) == int(report["found"], 16) + 1
    assert (report["word"], report["alone"]) == (0, True)
    assert report["command"].startswith("montgomery verify -a wrong -n 8 --x 0x")
    assert report["waveform"] == "bad.vcd"
    assert "$enddefinitions" in (tmp_path / "bad.vcd").read_text()
    again = run(*report["command"].split()[1:])
    assert again.exit_code == 1
    assert f"the model {report['expected']}" in again.stderr


def test_a_waveform_of_one_multiplication(run, tmp_path):
    result = run("verify", "-a", "toy", "-n", "8", "--x", "3", "--y", "4", "--modulus", "5",
                 "--vcd", "one.vcd")
    assert (result.exit_code, result.stderr) == (0, "Waveform: one.vcd\n")
    assert "total" in (tmp_path / "one.vcd").read_text()


def test_verify_exhaustively(run):
    result = run("verify", "-a", "toy", "-n", "4", "--exhaustive", "-j", "1")
    assert result.exit_code == 0
    assert "multiplications: 679" in result.stdout
    report = json.loads(run("verify", "-a", "wrong", "-n", "4", "--exhaustive", "-j", "1",
                            "--json").stdout)
    assert not report["ok"]
    assert "--modulus" in report["command"]


def test_verify_an_exponentiation(run):
    report = json.loads(run("verify", "-a", "toy", "-n", "24", "--full", "--json").stdout)
    assert report["ok"]
    assert report["exponent_bits"] == 24
    assert report["vectors"] >= 24 + 1 + 3
    assert report["clocks"] > report["vectors"] * report["cycles"]["compute"]


def test_verify_without_a_compiler_says_so(run, monkeypatch):
    monkeypatch.setenv("CXX", "")
    result = run("verify", "-a", "toy", "-n", "8")
    assert result.exit_code == 0
    assert "simulated by Amaranth's simulator" in result.stdout
    assert "no C++ compiler was found" in result.stderr
    for more in (("--post-synth", "ice40-hx8k"), ("--mutants", "5")):
        assert_refused_after_advice(run("verify", "-a", "toy", "-n", "8", *more))


def assert_refused_after_advice(result):
    assert result.exit_code == 2
    assert "C++ compiler; install g++ or clang" in result.stderr.splitlines()[-1]


@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
def test_verify_the_netlist_of_a_target(run):
    for target in ("ecp5-25k", "xc7"):
        result = run("verify", "-a", "toy", "-n", "6", "--post-synth", target)
        assert result.exit_code == 0, result.stderr
        assert "agrees with its model" in result.stdout
    report = json.loads(run("verify", "-a", "wrong", "-n", "6", "--post-synth", "ice40-hx8k",
                            "--json").stdout)
    assert not report["ok"]
    assert "--post-synth ice40-hx8k" in report["command"]


@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
def test_verify_verification(run):
    result = run("verify", "-a", "toy", "-n", "6", "--mutants", "25")
    assert result.exit_code == 0, result.stderr
    score = re.search(r"verification finds ([\d.]+)% of the faults", result.stdout)
    assert float(score[1]) >= 90
    report = json.loads(run("verify", "-a", "toy", "-n", "6", "--mutants", "25", "--json").stdout)
    fates = ("killed", "missed", "equivalent", "undetected")
    assert sum(report[fate] for fate in fates) == report["mutants"] == 25
    assert report["killed"] > 15


def test_known():
    assert known("thing", "a", {"a": 1}) == "a"
    for names, message in ((["b", "cc"], "Unknown thing 'xyz'; known are b, cc"),
                           ([], "Unknown thing 'xyz'; there is none yet"),
                           (["xyw"], "Unknown thing 'xyz'; did you mean 'xyw'?")):
        with pytest.raises(UnknownName) as caught:
            known("thing", "xyz", names)
        assert str(caught.value) == message


