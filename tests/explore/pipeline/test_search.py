"""Searches on an executor, with tools that do as they are told."""

import pytest

from explore.data.objectives import objectives
from explore.pipeline.search import Plan, search
from explore.points.expand import expand

WEIGHTS = [10, 30, 100]


@pytest.fixture
def larger(fakes):
    """Tools for which cores with ballast are larger, and a weight of 100 reaches the limit."""
    fakes.behave(yosys="larger", nextpnr_ecp5="larger 3")
    return fakes


def points(ballast=(0, 1, 2), weights=WEIGHTS, widths=(8,), targets=("ecp5-25k",), **params):
    return expand(["toy"], widths, {"ballast": ballast, **params}, targets,
                  {"placer_weight": weights})


def searched(store, todo=None, names="latency,area", **options):
    plan = Plan(points=todo or points(), objectives=objectives(names), **options)
    return search(plan, store=store, jobs=2)


def placements(fakes):
    return [job for job in fakes.jobs if job.startswith("nextpnr")]


def test_it_skips_what_cannot_be_on_the_front(store, larger):
    events = []
    plan = Plan(points=points(), objectives=objectives("latency,area"))
    found = search(plan, store=store, jobs=1, on_event=events.append)
    (best, values), = found.front.items()
    assert (best.values["ballast"], dict(best.options)["placer_weight"]) == (0, 100)
    assert values["latency"] == pytest.approx(10 / 257)
    assert larger.jobs.count("yosys -") == 3
    assert len(placements(larger)) == found.searcher.placements == len(found.steps) < 9
    assert (found.left, len(found.by_point), len(found.points)) == (0, 9, 9)
    assert len(found.skipped) + found.searcher.placements == 9
    for point, rows in found.by_point.items():
        row, = rows
        if point in found.skipped:
            assert (row["status"], row["fmax_mhz"]) == ("partial", None)
            assert row["log"] == f"not placed: {found.skipped[point]}"
            assert row["log"].startswith(("not placed: dominated by toy/8 ",
                                          "not placed: at best equal to toy/8 "))
        else:
            assert row["status"] == "ok"
    notes = [event.label for event in events if event.kind == "note" and "front" in event.label]
    assert notes
    assert "points may still join" in notes[-1]


def test_the_same_search_again_places_nothing(store, larger):
    first = searched(store)
    larger.forget()
    again = searched(store)
    assert larger.jobs == []
    assert again.front == first.front
    assert again.skipped == first.skipped
    assert ({point: [row["fmax_mhz"] for row in rows] for point, rows in again.by_point.items()}
            == {point: [row["fmax_mhz"] for row in rows] for point, rows in first.by_point.items()})


def test_a_budget_ends_it_and_it_goes_on(store, larger):
    part = searched(store, placements=1)
    assert (len(placements(larger)), part.left > 0) == (1, True)
    logs = {row["log"] for row in part.rows}
    whole = searched(store)
    assert "not placed: the budget was spent" in logs or whole.left == 0
    # What was placed counts, and is not placed again.
    assert len(placements(larger)) == whole.searcher.placements
    assert searched(store, placements=1).searcher.placements == 1
    assert len(placements(larger)) == whole.searcher.placements


def test_constraints(store, larger):
    luts = {point.values["ballast"]: rows[0]["lut"]
            for point, rows in searched(store, hours=0.0).by_point.items()}
    larger.forget()
    found = searched(store, limits={"max_lut": luts[1]}, constant_time=True)
    assert {point.values["ballast"] for point in found.points} == {0, 1}
    assert {reason for point, reason in found.skipped.items() if point.values["ballast"] == 2} == {
        f"lut is {luts[2]:g}, and the limit {luts[1]:g}"}
    # 257 MHz is the limit of the clock network: nothing is even synthesised.
    larger.forget()
    with type(store)(store.path.parent / "other") as other:
        found = searched(other, limits={"max_latency_us": 10 / 258})
        assert (larger.jobs, found.front, found.rows) == ([], {}, [])
        assert all("at the limit of the clock network" in why for why in found.skipped.values())
        found = searched(other, limits={"min_mhz": 258})
        assert {*found.skipped.values()} == {"no core on ecp5-25k runs above 257 MHz"}


def test_failures_do_not_end_it(store, larger):
    larger.behave(yosys="larger", nextpnr_ecp5="fail ERROR: Unable to place cell 'x', no BELs "
                                               "remaining")
    found = searched(store)
    assert (found.front, found.left, found.searcher.placements) == ({}, 0, 9)
    assert {row["status"] for row in found.rows} == {"no_fit"}
    larger.behave(yosys="fail ERROR: no such cell")
    with type(store)(store.path.parent / "other") as other:
        found = searched(other)
        assert (found.front, {row["status"] for row in found.rows}) == ({}, {"tool_error"})


def test_what_nothing_places_is_no_candidate_for_times(store, larger):
    todo = expand(["toy"], [8], {}, ["xc7"])
    found = searched(store, todo)
    assert {*found.skipped.values()} == {"nothing places on xc7"}
    assert [row["status"] for row in found.rows] == ["area_only"]
    assert len(searched(store, todo, "area").front) == 1
