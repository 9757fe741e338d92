"""The Python API for notebooks, and the notebook among the results."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from measurements import row

from explore import analysis
from explore.data.frame import tidy
from explore.lookup import UnknownName

pytestmark = pytest.mark.real_cores

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
def test_notebook_runs_from_top_to_bottom_in_any_folder(tmp_path):
    done = subprocess.run([sys.executable, "-c", _EXECUTE, str(NOTEBOOK), str(tmp_path)],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = outputs(json.loads(done.stdout))
    assert not [output for output in found if output["output_type"] in ("stream", "error")]
    for kind in ("image/png", "text/html", "text/markdown"):
        assert sum(kind in output.get("data", {}) for output in found) >= 5


def test_slopes_of_the_form_with_most_widths_come_first():
    params = {"steps": 4}
    measured = [row(width=width, lut=width ** 2) for width in (32, 64, 128)]
    measured += [row(width=width, lut=width, params=params) for width in (16, 32, 64, 128)]
    found = analysis.slopes(analysis.medians(tidy(measured)))
    assert found["widths"].tolist() == [4, 3]
    assert found["lut"].tolist() == pytest.approx([1, 2])
    assert found["latency_us"].tolist() == pytest.approx([1, 1])
    assert found[["from", "to"]].iloc[0].tolist() == [16, 128]
    assert analysis.slopes(analysis.medians(tidy(measured[:2]))).empty


def test_frames_that_are_no_points_are_refused_in_one_line(measured):
    for function in (analysis.slopes, analysis.claims, analysis.clocks,
                     lambda frame: analysis.relative(frame, "steps")):
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


def test_each_architecture_has_a_style_of_its_own(points):
    here = points[points["kind"] == "multiplier"]
    styles = analysis.styles(here)
    assert set(styles) == set(here["arch"])
    assert len({style["marker"] for style in styles.values()}) == len(styles)


def test_claims(points):
    found = analysis.claims(points)
    assert {"satzoda_mmm_mx", "zhang_multi_step"} <= set(found["paper"])
    assert found[found["verdict"] == "yes"]["ours"].notna().all()


def test_clocks_are_those_of_the_papers_parameters():
    measured = [row("multi_step", 256, params={"steps": steps}) | {"cycles_compute": clocks}
                for steps, clocks in ((4, 79), (16, 40), (32, 20))]
    found = analysis.clocks(analysis.medians(tidy(measured)))
    assert found[["paper", "core", "width", "theirs", "ours", "ratio"]].to_numpy().tolist() == [
        ["zhang_multi_step", "multi_step", 256, 16, 40, 2.5]]
