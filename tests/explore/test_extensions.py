"""A stage with a column in another package, as the text of docs/own_stages.md says."""

import json
import re
import textwrap
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "own_stages.md").read_text()
BLOCKS = [textwrap.dedent(block).strip() for block in
          re.findall(r"(?:^(?: {4}.*)?\n)+", TEXT, re.M) if block.strip()]
ENTRY, MODULE = BLOCKS


@pytest.fixture
def run(fakes, alone, tmp_path):
    """Run a command where the package of the text is installed."""
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "__init__.py").touch()
    (tmp_path / "my_package" / "switching.py").write_text(MODULE)
    metadata = tmp_path / "my_package-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        ENTRY.replace('project.entry-points."montgomery.stages"', "montgomery.stages"
                      ).replace('"', ""))
    return alone


def test_a_stage_of_another_package_has_its_column_in_rows(run, fakes, tmp_path):
    sweep = ("sweep", "-a", "mmm_mx_1d", "-n", "8", "-t", "ice40-hx8k", "--seeds", "2", "--json")
    rows = json.loads(run(*sweep).stdout)["rows"]
    assert [row["status"] for row in rows] == ["ok", "ok"], rows[0]["log"]
    assert all(row["switching"] > row["fmax_mhz"] for row in rows)
    ran = len(fakes.jobs)
    assert json.loads(run(*sweep).stdout)["rows"] == rows
    assert len(fakes.jobs) == ran
    assert "Switching" in run("table", "--from", "store", "--columns", "lut,switching").stdout
    assert "cells in use times the frequency" in run("list", "columns").stdout
    assert "switching" in run("list", "stages").stdout
    # The seal of the rows holds without the package, too.
    (tmp_path / "my_package-1.dist-info").rename(tmp_path / "gone")
    without = run("table", "--from", "store", "--columns", "lut")
    assert (without.returncode, without.stderr) == (0, "")
    assert "Unknown column" in run("table", "--columns", "switching").stderr


def test_a_module_that_fails_is_told_in_a_line(run, tmp_path):
    (tmp_path / "my_package" / "switching.py").write_text("import none_of_these\n")
    done = run("table")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "my_package.switching, an entry point of the group montgomery.stages" in done.stderr
