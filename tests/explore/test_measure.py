"""Measurements from a program of one's own."""

import subprocess
import sys

import pytest

import explore
from explore.data.columns import known_columns
from explore.data.rows import is_sealed


def test_a_point_is_measured_and_stored(fakes, store):
    point = explore.point("toy", 8, "ecp5-25k", word_width=4, options={"placer_weight": 10})
    assert (point.values["word_width"], dict(point.options)["placer_weight"]) == (4, 10)
    events = []
    row = explore.measure(point, seed=5, store=store, on_event=events.append)
    assert (row["status"], row["seed"], row["lut"], row["fmax_mhz"]) == ("ok", 5, 14, 105)
    assert row.keys() == known_columns().keys()
    assert is_sealed(row)
    assert [*store.rows().values()] == [row]
    assert {event.stage for event in events} >= {"synth", "place"}
    fakes.forget()
    assert explore.measure(point, seed=5, store=store) == row
    assert fakes.jobs == []


def test_a_failure_is_a_row(fakes, store):
    fakes.behave(nextpnr_ecp5="fail ERROR: Unable to place cell 'x', no BELs remaining")
    row = explore.measure(explore.point("toy", 8, "ecp5-25k"), store=store)
    assert (row["status"], row["lut"], row["fmax_mhz"]) == ("no_fit", 14, None)
    assert "no BELs remaining" in row["log"]


@pytest.mark.parametrize(("arguments", "more", "message"), [
    (("toi", 8, "ecp5-25k"), {}, "Unknown architecture 'toi'; did you mean 'toy'"),
    (("toy", 2, "ecp5-25k"), {}, "Width must be 4 or more, not 2"),
    (("toy", 8, "ecp5"), {}, "Unknown target 'ecp5'"),
    (("toy", 8, "ecp5-25k"), {"wordwidth": 8}, "did you mean 'word_width'"),
    (("toy", 8, "ecp5-25k"), {"options": {"placer": "best"}}, "must be one of heap, static"),
])
def test_a_point_that_cannot_be_is_refused(arguments, more, message):
    with pytest.raises(ValueError, match=message):
        explore.point(*arguments, **more)


def test_a_seed_below_one_is_refused(fakes, store):
    with pytest.raises(ValueError, match="Seeds must be 1 or more, not 0"):
        explore.measure(explore.point("toy", 8, "ecp5-25k"), seed=0, store=store)


def test_the_import_is_quick():
    code = ("import sys, explore\nexplore.measure, explore.point\n"
            "assert not {'amaranth', 'pandas', 'numpy', 'click'} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", code], check=True)
