"""The console script: its entries, what it imports, and what the Tab key offers."""

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from explore import commands
from explore.cli import cli
from explore.commands import _interface

ROOT = Path(__file__).parents[2]


def test_a_new_entry_is_a_new_command(run, tmp_path, monkeypatch):
    (tmp_path / "extra.py").write_text("def again(times):\n    return times\n")
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    entries = _interface._entries() | {"extra": {
        "summary": "One more.", "help": "Once more.", "run": "extra:again", "takes": ["times"],
        "options": {"times": {"usage": "--times N", "type": "integer 1 7", "help": "How often."}}}}
    monkeypatch.setattr(_interface, "_entries", lambda: entries)
    assert re.search("extra +One more", run("--help").stdout)
    assert run("extra", "--times", 7).exit_code == 7
    assert run("extra", "--times", 8).exit_code == 2
    monkeypatch.delitem(sys.modules, "explore.commands.extra")


def test_each_entry_is_a_command_that_takes_what_its_help_says(run):
    """Each option is a parameter of the function that runs, and said of the command or of all."""
    shared = _interface._entries()[""]
    for name, entry in _interface._entries().items():
        if name:
            assert run(*name.split(), "--help").exit_code == 0
        if "run" not in entry:
            continue
        assert entry["options"].keys() <= {*entry["takes"]} if "options" in entry else True, name
        module, _, function = entry["run"].partition(":")
        parameters = inspect.signature(getattr(importlib.import_module(
            f"explore.commands.{module}"), function)).parameters
        taken = {(shared.get(key, {}) | entry.get("options", {}).get(key, {})).get(
            "parameter", key) for key in entry["takes"]} - {"as_json"}
        more = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
        required = {each.name for each in parameters.values() if each.kind is not each.VAR_KEYWORD}
        assert required - {"as_json"} <= taken if more else required - {"as_json"} == taken, name


#: What a list of names does without.
_OF_ROWS = {"pandas", "matplotlib", "numpy", "scipy", "dask", "explore.simulation"}


@pytest.mark.parametrize(("line", "slow"), [
    *((f"{command} --help", {"amaranth", "pandas", "matplotlib", "moocore", "numpy", "rich"})
      for command in ("", "sweep")),
    ("list", _OF_ROWS), ("list targets", _OF_ROWS), ("list architectures", _OF_ROWS)])
def test_nothing_slow_is_imported_that_is_not_needed(line, slow):
    code = ("import sys\nfrom explore.cli import cli\n"
            "try: cli(sys.argv[1:])\nexcept SystemExit: pass\n"
            f"assert not {slow} & set(sys.modules), set(sys.modules)")
    subprocess.run([sys.executable, "-W", "error", "-c", code, *line.split()], check=True,
                   cwd=ROOT, stdout=subprocess.DEVNULL)


def offered(line):
    """Return what is offered for the last word of a command line."""
    *arguments, incomplete = line.split(" ")
    shell = ShellComplete(cli, {}, "montgomery", "_MONTGOMERY_COMPLETE")
    return [item.value for item in shell.get_completions(arguments, incomplete)]


@pytest.mark.parametrize(("line", "names"), [
    ("ver", ["verify"]),
    ("board pro", ["program"]),
    ("verify --method ex", ["exhaustive"]),
    ("verify -a Resol", ["Resolver"]),
    ("verify -a to", ["toy"]),
    ("sweep -a toy,wr", ["toy,wrong"]),
    ("sweep -a toy,to", []),
    ("table -t ice40-h", ["ice40-hx8k"]),
    ("verify -a toy -n 8 --post-synth xc", ["xc2v", "xc4v", "xc5v", "xc6v", "xc7"]),
    ("board build ulx3s_8", ["ulx3s_85f"]),
    ("plot --format svg,p", ["svg,png", "svg,pdf"]),
    ("table --columns lut,latency_", ["lut,latency_us"]),
    ("recommend --objective l", ["latency", "lut-us"]),
    ("list xc7 pres", ["presets"]),
    ("nosuch ver", ["verify"]),
])
def test_names_are_completed(line, names):
    assert offered(line) == names


def test_a_core_of_another_kind_is_completed_by_its_full_name(registered):
    registered["exponentiator"] = {"toy": registered["multiplier"]["toy"]}
    assert offered("export -a exp") == ["exponentiation.toy"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_help_tells_how_completion_is_switched_on(shell):
    assert f"{shell}_source" in CliRunner().invoke(cli, ["--help"]).stdout
    result = CliRunner().invoke(cli, [], env={"_MONTGOMERY_COMPLETE": f"{shell}_source"},
                                prog_name="montgomery")
    assert (result.exit_code, "_montgomery_completion" in result.stdout) == (0, True)
