"""What is planned is what is done."""

import re
from collections import Counter

import pytest

from explore.errors import WrongSite
from explore.pipeline.run import Durations, Sweep, plan, run
from explore.pipeline.session import Session
from explore.points.expand import expand
from explore.store import Store


def points(archs="toy", widths=(8,), targets=("ice40-hx8k",), seeds=2, **params):
    return dict.fromkeys(expand(archs.split(","), widths, params, targets), seeds)


def counted(events):
    """Return how many stages ran, as a plan has it: one that fails to be made is made again."""
    return Counter(event.stage for event in events if event.kind == "finish"
                   and not event.cached and event.status not in ("skipped", "tool_error"))


SWEEPS = {
    "empty": ([], {"targets": ("ice40-hx8k", "ecp5-25k"), "widths": (8, 9)}),
    "warm": ([{}], {"targets": ("ice40-hx8k", "ecp5-25k"), "seeds": 3}),
    "equal hardware": ([], {"style": ("plain", "fancy")}),
    "failing to be made": ([], {"archs": "toy,raising"}),
    "done": ([{}], {}),
}


@pytest.mark.parametrize(("first", "then"), SWEEPS.values(), ids=SWEEPS)
def test_a_plan_says_exactly_what_is_done(store, fakes, first, then):
    for each in first:
        run(points(**each), store=store, jobs=2)
    sweep = Sweep(points=points(**then))
    planned = plan(sweep, store=store, jobs=2)
    events = []
    rows = run(sweep, store=store, jobs=2, on_event=events.append)
    assert {stage: number for stage, number in planned.to_run.items() if number} == counted(events)
    assert planned.rows == len(rows)
    told, = (event.label for event in events if event.kind == "forecast")
    assert told == str(planned.forecast)


def test_forecast_counts_rows_and_time(store, fakes):
    fakes.behave(nextpnr_ice40_2="fail ERROR: Unable to place cell 'x', no BELs remaining")
    run(points(), store=store, jobs=2)
    # Two of width 8 are known, one of them failed; those of width 9 are new.
    planned = plan(points(widths=(8, 9)), store=store, jobs=3)
    forecast = planned.forecast
    assert (forecast.new, forecast.stored, forecast.failed, forecast.slots) == (2, 1, 1, 3)
    assert forecast.seconds > 0
    assert re.fullmatch(r"2 rows to measure, 1 in the store, 1 known to fail; about [\d.]+ s "
                        r"with 3 tools at a time", str(forecast))
    # In an empty store, the times are those of the rows that come with the program.
    with Store(store.path.with_name("empty")) as empty:
        program = plan(points(), store=empty, jobs=1).forecast
    assert re.fullmatch(r"2 rows to measure, 0 in the store, 0 known to fail; about [\d.]+ \w+ "
                        r"with one tool at a time", str(program))


def test_durations_are_those_of_the_nearest_width_and_core(store, fakes):
    row, = run(points(seeds=1), store=store, jobs=1)
    with Session(store, jobs=1) as session:
        session.add(points(widths=(24, 96), seeds=1))
        session.elaborate()
        synth = {node.job.params.width: node for node in session.graph.nodes.values()
                 if node.stage.name == "synth"}
    timed = [row | {"width": width, "seconds_synth": 10.0 * width} for width in (16, 64)]
    assert Durations(timed).seconds(synth[24]) == pytest.approx(160 * 1.5 ** 1.5)
    assert Durations(timed).seconds(synth[96]) == pytest.approx(640 * 1.5 ** 1.5)
    # Of a core that is new, they are those of its kind, or of all cores.
    others = [row | {"arch": arch, "kind": kind, "width": 24, "seconds_synth": seconds}
              for arch, kind, seconds in (("long", "exponentiator", 900.0),
                                          ("other", "multiplier", 7.0))]
    assert Durations(others + timed).seconds(synth[24]) != 7.0
    assert Durations(others).seconds(synth[24]) == 7.0
    assert Durations(others[:1]).seconds(synth[24]) == 900.0


def test_a_stage_refuses_a_specification_that_is_not_its_own(store, fakes):
    """A tool that is replaced after it was specified does not run under the old specification."""
    def replace(event):
        if event.kind == "finish" and event.stage == "verify":
            with open(fakes.variables["YOSYS"], "a") as file:
                file.write("\n# another\n")

    with pytest.raises(WrongSite, match=r"Stage synth must run with .* differ now \(identity\); "
                                        "the same command starts again"):
        run(points(), store=store, jobs=2, on_event=replace)
    assert fakes.jobs == []
    # The same command goes on, and specifies the tool as it is now.
    assert [row["status"] for row in run(points(), store=store, jobs=2)] == ["ok", "ok"]
