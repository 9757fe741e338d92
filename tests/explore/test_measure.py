"""Measurements from a program of one's own."""

import subprocess
import sys

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


def test_the_import_is_quick():
    code = ("import sys, explore\nexplore.measure, explore.point\n"
            "assert not {'amaranth', 'pandas', 'numpy', 'click'} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", code], check=True)
