"""What the Tab key offers, by the functions that shells call."""

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from explore.cli import cli


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
    ("verify -a toy -p ", ["word_width=", "ballast=", "style="]),
    ("verify -a toy -p st", ["style="]),
    ("verify -a toy -p style=pl", ["style=plain"]),
    ("sweep -a toy -p style=plain,", ["style=plain,plain", "style=plain,fancy"]),
    ("sweep -p ball", ["ballast="]),
    ("sweep -t xc7 -o abc=flow", ["abc=flow", "abc=flow2", "abc=flow3"]),
    ("sweep -t xc7 -o pl", []),
    ("board build icebreaker -o wide", []),
    ("board build ulx3s_85f -o wide", ["widelut="]),
    ("board build ulx3s_85f -o constr", []),
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
