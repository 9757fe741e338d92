"""The grid of the comparison has every point that the papers report of cores that are here."""

from pathlib import Path

import pytest

from explore.papers import published
from explore.papers._compare import same_family
from explore.points.spec import SweepSpec

pytestmark = pytest.mark.real_cores

GRID = Path(__file__).parents[3] / "results" / "sweep.toml"


@pytest.fixture(scope="module")
def measured():
    return {(point.kind, point.arch, point.target, width)
            for point in SweepSpec.from_toml(GRID).points()
            for width in (dict(point.params)["width"], None)}


@pytest.mark.parametrize("source", published())
def test_the_papers_points_are_measured_on_their_own_family_and_placed(source, measured):
    for figure in published()[source]:
        if figure.is_here:
            for target in {same_family(figure.device), "ecp5-85k"} - {None}:
                assert (figure.kind, figure.core, target, figure.width) in measured
