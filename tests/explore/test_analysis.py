"""The Python API for notebooks, and the notebook among the results."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from measurements import row

from explore import analysis
from explore.data.frame import medians, tidy
from explore.data.trends import noise, relative
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


@pytest.fixture(scope="module")
def measured(saved_registry):
    """Rows with a breadth that the committed ones may not have at a time."""
    return analysis.load(saved_registry)


@pytest.fixture(scope="module")
def points(measured):
    return analysis.medians(measured)


def outputs(notebook):
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


@pytest.mark.real_cores
@pytest.mark.thorough
def test_notebook_runs_from_top_to_bottom_in_any_folder(tmp_path):
    done = subprocess.run([sys.executable, "-c", _EXECUTE, str(NOTEBOOK), str(tmp_path)],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = outputs(json.loads(done.stdout))
    assert not [output for output in found if output["output_type"] in ("stream", "error")]
    for kind in ("image/png", "text/html", "text/markdown"):
        assert sum(kind in output.get("data", {}) for output in found) >= 5


@pytest.mark.real_cores
def test_slopes_of_the_form_with_most_widths_come_first():
    measured = [row(width=width, lut=width ** 2) for width in (32, 64, 128)]
    measured += [row(width=width, lut=width, params={"steps": 4}) for width in (16, 32, 64, 128)]
    found = analysis.slopes(analysis.medians(tidy(measured)))
    assert found[["widths", "from", "to"]].to_numpy().tolist() == [[4, 16, 128], [3, 32, 128]]
    assert found[["lut", "latency_us"]].to_numpy().ravel() == pytest.approx([1, 1, 2, 1])
    assert analysis.slopes(analysis.medians(tidy(measured[:2]))).empty


@pytest.mark.real_cores
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


@pytest.mark.real_cores
def test_named_points_are_told_apart(points):
    points = analysis.named(points)
    same = points[(points["target"] == "ecp5-85k") & (points["width"] == 256)]
    assert points.columns[0] == "core"
    assert same["core"].is_unique
    assert {"multi_step", "multi_step steps=8", "exponentiation.generic"} <= set(same["core"])


@pytest.mark.real_cores
def test_each_architecture_has_a_style_and_claims_have_both_figures(points):
    here = points[points["kind"] == "multiplier"]
    styles = analysis.styles(here)
    assert set(styles) == set(here["arch"])
    assert len({style["marker"] for style in styles.values()}) == len(styles)
    found = analysis.claims(points)
    assert {"satzoda_mmm_mx", "zhang_multi_step"} <= set(found["paper"])
    assert found[found["verdict"] == "yes"]["ours"].notna().all()


@pytest.mark.real_cores
def test_clocks_are_those_of_the_papers_parameters():
    measured = [row("multi_step", 256, params={"steps": steps}) | {"cycles_compute": clocks}
                for steps, clocks in ((4, 79), (16, 40), (32, 20))]
    found = analysis.clocks(analysis.medians(tidy(measured)))
    assert found[["paper", "core", "width", "theirs", "ours", "ratio"]].to_numpy().tolist() == [
        ["zhang_multi_step", "multi_step", 256, 16, 40, 2.5]]


def changed(*names, rows):
    return relative(medians(tidy(rows)), *names)


def made(lut, **params):
    return row(lut=lut, params=params)


def test_ratios_are_to_the_narrowest_and_0_stands_for_as_many_as_there_can_be():
    found = changed("steps", rows=[made(30, steps=10), made(10, steps=1), made(20, steps=2),
                                   made(40, steps=0),
                                   row(status="no_fit", params={"steps": 4})])
    assert found["value"].tolist() == ["1", "2", "10", "0"]
    assert found["lut_ratio"].tolist() == [1, 2, 3, 4]
    assert found["lut_us_ratio"].tolist() == pytest.approx([1, 2, 3, 4])
    assert found["latency_ratio"].tolist() == found["fmax_ratio"].tolist() == [1] * 4


def test_nothing_else_differs_in_a_group_and_the_largest_group_is_first():
    found = changed("steps", rows=[
        made(1, steps=1, word=8), made(2, steps=2, word=8), made(3, steps=1, word=16),
        made(6, steps=2, word=16), made(9, steps=3, word=16), made(5, steps=1, word=32),
        row(lut=7, params={"word": 8})])
    assert found["group"].tolist() == [0, 0, 0, 1, 1]
    assert found["lut_ratio"].tolist() == [1, 2, 3, 1, 2]


def test_parameters_may_change_together():
    rows = [made(10, digit=8, word=8), made(20, digit=16, word=16), made(40, digit=18, word=16)]
    found = changed("digit", "word", rows=rows)
    assert found["value"].tolist() == ["8", "16", "18/16"]
    assert changed("digit", rows=rows)["value"].tolist() == ["16", "18"]
    assert changed("no_such_parameter", rows=rows).empty


def placed(*frequencies, design="a", width=64):
    return [row(seed=seed, fmax=fmax, width=width) | {"design": design}
            for seed, fmax in enumerate(frequencies)]


def test_noise_is_within_netlists():
    rows = tidy([*placed(100, 110), *placed(200, 220, design="b", width=128),
                 *placed(50, design="c", width=32)])
    found = noise(rows).loc["ecp5-85k"]
    assert (found["points"], found["placements"]) == (2, 4)
    assert found["range"] == pytest.approx(10)
    assert found["spread"] == pytest.approx(100 * math.expm1(math.log(1.1) / math.sqrt(2)))
    assert noise(rows, "lut").loc["ecp5-85k", ["spread", "range", "median", "real"]].eq(0).all()
    # What was placed of another netlist is no noise.
    assert noise(tidy([*placed(100), *placed(1, 110, design="b")[1:]])).empty


def test_more_seeds_make_medians_better_and_smaller_differences_real():
    rows = tidy(placed(100, 110))
    few, many = (noise(rows, seeds=seeds).loc["ecp5-85k"] for seeds in (3, 9))
    assert many["median"] < few["median"]
    assert many["real"] < few["real"]
    assert many["spread"] == few["spread"]
