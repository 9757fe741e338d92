"""The Python API for notebooks, and the notebook among the results."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from explore import analysis
from explore.lookup import UnknownName

RESULTS = Path(__file__).parents[2] / "results"
NOTEBOOK = RESULTS / "analysis.ipynb"

_EXECUTE = """
import json, sys
import nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": sys.argv[2]}}
                        ).execute()
print(json.dumps(notebook))
"""


@pytest.fixture(autouse=True)
def registry():
    """The notebook is about what there is."""


@pytest.fixture(scope="module")
def measured(saved_registry):
    """Rows with a breadth that the committed ones may not have at a time."""
    return analysis.load(saved_registry)


@pytest.fixture(scope="module")
def points(measured):
    return analysis.medians(measured)


def outputs(notebook):
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


@pytest.mark.thorough
def test_notebook_runs_from_top_to_bottom():
    done = subprocess.run([sys.executable, "-c", _EXECUTE, str(NOTEBOOK), str(RESULTS)],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = outputs(json.loads(done.stdout))
    assert not [output for output in found if output["output_type"] in ("stream", "error")]
    assert any("image/png" in output.get("data", {}) for output in found)


def test_a_table_becomes_a_frame(points):
    grown = analysis.frame(analysis.growth(points))
    assert {"Target", "Core", "LUT"} <= set(grown.columns)
    assert len(grown)
    assert analysis.frame(None).empty


def test_frames_that_are_no_points_are_refused_in_one_line(measured):
    for function in (analysis.rsa, analysis.growth, lambda frame: analysis.fronts(frame, 256),
                     lambda frame: analysis.paper("song_single_dsp", frame)):
        with pytest.raises(ValueError, match=r"^Points must be what medians\(\) returns, but "
                                             r"column \w+_max is missing; call medians\(\) on "):
            function(measured)
    with pytest.raises(ValueError, match=r"^A frame must have the columns of load\(\), but params "
                                         r"is missing; call medians\(\) on what load\(\) returns"):
        analysis.medians(measured[["kind", "arch", "width", "target", "lut"]])
    with pytest.raises(UnknownName, match="Unknown column 'luts'; did you mean 'lut'"):
        analysis.pareto(measured, ("luts",))


def test_named_points_are_told_apart(points):
    points = analysis.named(points)
    same = points[(points["target"] == "ecp5-85k") & (points["width"] == 256)]
    assert points.columns[0] == "core"
    assert same["core"].is_unique
    assert {"multi_step", "multi_step steps=8", "exponentiation.generic"} <= set(same["core"])


def test_paper(points):
    table = analysis.paper("song_single_dsp", points)
    assert table["Core"].str.startswith("Table").any()
    assert table["Core"].str.startswith("here: exponentiation.single_dsp").any()
    with pytest.raises(UnknownName, match="did you mean 'song_single_dsp'"):
        analysis.paper("song_singel_dsp", points)
