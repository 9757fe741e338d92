"""The golden file, with which continuous integration compares what it measured."""

from pathlib import Path

import pytest

from explore.data.frame import load, notes
from explore.points.point import Point
from explore.points.spec import SweepSpec, presets

pytestmark = pytest.mark.real_cores

GOLDEN = Path(__file__).parents[2] / "golden"


def test_the_golden_points_are_those_of_its_sweep_and_quick_ones():
    points = SweepSpec.from_toml(GOLDEN / "sweep.toml").points()
    assert points.keys() <= presets()["quick"].points().keys()
    rows = load(GOLDEN / "rows.jsonl")
    assert set(rows["status"]) == {"ok"}
    assert not notes(rows)
    measured = [Point.from_row(row).key for row in rows.to_dict("records")]
    assert sorted(measured) == sorted(point.key for point, seeds in points.items()
                                      for _ in range(seeds))
