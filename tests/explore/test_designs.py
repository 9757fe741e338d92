"""Designs without a model are measured, as the text of docs/designs.md says."""

import json
import re
import textwrap
from pathlib import Path

import pytest

from montgomery.verilog.description import described

TEXT = (Path(__file__).parents[2] / "docs" / "designs.md").read_text()
BLOCKS = [textwrap.dedent(block) for block in re.findall(r"(?:^(?: {4}.*)?\n)+", TEXT, re.M)
          if block.strip()]
VERILOG, TOML, COUNTER = (next(block for block in BLOCKS if block.lstrip().startswith(start))
                      for start in ("module", "kind", "import"))
COMMANDS = [line.split() for line in re.findall(r"^    montgomery (.*)", TEXT, re.M)]


@pytest.fixture
def run(fakes, alone, tmp_path):
    """Run a command in a folder with the files of the text, beside fake tools."""
    for name, text in (("my_fifo.v", VERILOG), ("my_fifo.toml", TOML), ("my_counter.py", COUNTER)):
        (tmp_path / name).write_text(text)
    return alone


def test_a_fifo_is_swept_compared_and_shown(run, fakes, tmp_path):
    sweep, compare, _ = COMMANDS
    rows = json.loads(run(*sweep, "--json").stdout)["rows"]
    assert [(row["params"], row["seed"], row["status"], row["verified"]) for row in rows] == [
        ({"depth": depth}, seed, "ok", "no") for depth in (8, 16) for seed in (1, 2, 3)]
    assert {(row["arch"], row["kind"], row["width"]) for row in rows} == {("my_fifo", "design", 0)}
    assert all(row["lut"] and row["fmax_usable_mhz"] and row["latency_us"] is None for row in rows)
    assert len(fakes.jobs) == 2 + 6  # syntheses and placements, and nothing that simulates

    said = run(*compare).stdout
    assert "Usable Fmax: " in said
    assert "medians of 3 seeds" in said
    # The source is not named here.
    shown = run("table", "--from", "store").stdout
    assert re.search(r"Core +Width +Verified", shown)
    assert re.search(r"design.my_fifo ‡ depth=8.* +0 +no ", shown)
    drawn = run("plot", "--from", "store", "--output", "figures").stdout.split()
    assert drawn == [f"figures/{name}_parameter.{suffix}" for name in ("fmax", "lut")
                     for suffix in ("svg", "png")]
    report = run("report", "--from", "store", "--output", "report", "--format", "markdown")
    assert report.returncode == 0, report.stderr
    assert "| no  " in (tmp_path / "report" / "report.md").read_text()


def test_a_design_in_amaranth_is_swept(run):
    rows = json.loads(run(*COMMANDS[2], "--json").stdout)["rows"]
    assert [(row["width"], row["status"], row["verified"]) for row in rows] == [
        (width, "ok", "no") for width in (8, 16) for _ in range(3)]


def test_a_parameter_is_an_expression_of_options(run, tmp_path):
    more = next(block for block in BLOCKS if "log_depth" in block)
    (tmp_path / "my_fifo.toml").write_text(TOML.partition("[parameters]")[0] + more)
    planned = json.loads(run("sweep", "-a", "my_fifo.toml", "-p", "log_depth=3,4", "-t",
                             "ice40-hx8k", "--dry-run", "--json").stdout)
    assert planned["points"] == [f"design.my_fifo log_depth={log} on ice40-hx8k" for log in (3, 4)]


@pytest.mark.parametrize("command", [
    ("verify", "-a", "my_fifo.toml"), ("export", "-a", "my_fifo.toml"),
    ("verify", "--method", "prove", "-a", "my_fifo.toml"),
    ("recommend", "-n", "8", "--kind", "design"),
    ("sweep", "-a", "my_fifo.toml", "-t", "ice40-hx8k", "--objectives", "area")])
def test_what_needs_a_model_is_refused_in_a_line(run, command):
    done = run(*command)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert re.search("has none|have no model", done.stderr)


@pytest.mark.parametrize(("old", "new", "says"), [
    ('clock = "clk"\n', "", "my_fifo.toml: clock is missing"),
    ("DEPTH = 16", "DEPTH = 1.5", "parameters.DEPTH must be a whole number, its default, or an"),
    ("DEPTH = 16", "DEPTH = 16\ndepth = 8", "parameters.depth is called depth elsewhere, which"),
    ("kind", "ports = {}\nkind", "ports is unknown; there is clock, kind")])
def test_what_the_file_must_say(tmp_path, old, new, says):
    (tmp_path / "my_fifo.v").write_text(VERILOG)
    (tmp_path / "my_fifo.toml").write_text(TOML.replace(old, new))
    with pytest.raises(ValueError, match=re.escape(says)):
        described(tmp_path / "my_fifo.toml")


@pytest.mark.parametrize(("old", "new", "says"), [
    ("DEPTH = 16", "DEEP = 16", "my_fifo has no parameter DEEP"),
    ('"clk"', '"clock"', "my_fifo has no port clock; it has")])
def test_what_the_top_module_lacks_is_told_in_a_line(run, tmp_path, old, new, says):
    (tmp_path / "my_fifo.toml").write_text(TOML.replace(old, new))
    done = run("sweep", "-a", "my_fifo.toml", "-t", "ice40-hx8k", "--seeds", "1")
    assert done.returncode == 1
    assert says in done.stderr.splitlines()[-1]
