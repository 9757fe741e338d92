"""Tables of measurements: they fit where they are shown, and tell rows apart."""

import csv
import io

import pytest
from measurements import row, rows

import montgomery
from explore.data.frame import load, tidy
from explore.data.summary import written


def body(shown):
    """Return the lines of a terminal's table that are below the rule."""
    lines = shown.splitlines()
    rule, = (place for place, line in enumerate(lines) if line.startswith("─"))
    end = next((place for place in range(rule, len(lines))
                if lines[place].startswith("There is no room")), len(lines))
    return [line for line in lines[rule + 1:end] if line]


@pytest.fixture(scope="module")
def of_all_cores(saved_registry):
    return load(saved_registry)


@pytest.mark.real_cores
@pytest.mark.parametrize("width", [80, 100, 160])
def test_all_that_was_measured_fits_a_terminal(of_all_cores, width):
    shown = written(of_all_cores, "terminal", width=width)
    assert max(map(len, shown.splitlines())) <= width
    for name in montgomery.architectures():
        assert f"\n{name}" in shown
    for quantity in ("Core", "Width", "LUT", "Fmax", "Latency"):
        assert quantity in shown


def test_a_narrow_table_leaves_out_what_is_needed_least_and_says_so():
    shown = {width: written(tidy(rows()), "terminal", width=width) for width in (50, 80, 200)}
    left_out = {width: [name for name in ("ff", "throughput_mbps", "lut_us", "cycles_compute")
                        if name in "".join(text.partition("There is no room for")[2].split())]
                for width, text in shown.items()}
    assert left_out[200] == []
    assert left_out[80] == ["ff", "throughput_mbps"]
    assert left_out[50] == ["ff", "throughput_mbps", "lut_us", "cycles_compute"]
    assert all("Latency" in text and "Fmax" in text for text in shown.values())
    assert "'montgomery table' with --columns or --format csv" in " ".join(shown[80].split())
    assert all(max(map(len, text.splitlines())) <= width for width, text in shown.items())


def test_ranges_are_whole_short_or_left_out_and_the_caption_says_which():
    measured = tidy([row(seed=seed, fmax=fmax, params={"style": "x" * 18})
                     for seed, fmax in ((1, 200.0), (2, 190.0), (3, 202.0))])
    wide, narrow, least = (written(measured, "terminal", width=width) for width in (150, 80, 42))
    assert "200 (190\N{EN DASH}202)" in wide
    assert "Median of 3 seeds (smallest\N{EN DASH}largest)" in wide
    assert "200 ±5%" in narrow
    assert "(± is the largest deviation of a seed)" in " ".join(narrow.split())
    assert "±" not in least
    assert "\N{EN DASH}" not in least


def test_columns_that_are_asked_for_are_all_shown():
    measured = tidy([row(seed=seed, fmax=fmax) for seed, fmax in ((1, 200.0), (2, 190.0))])
    names = ["latency_us", "throughput_mbps", "fmax_mhz", "lut_us", "lut", "ff", "host", "date"]
    for width in (60, 200):
        shown = written(measured, "terminal", columns=names, width=width)
        for text in ("Latency", "Throughput", "Area-time", "Host", "2026-01-01"):
            assert text in shown
        assert ("195 (190\N{EN DASH}200)" in shown) == (width == 200)
        assert "no room" not in shown


def test_targets_are_headings_and_failures_stand_in_place_of_the_clock():
    shown = written(tidy([*rows(), row("beta", 256, "ice40-hx8k", status="no_fit")]), "terminal",
                    width=80)
    lines = body(shown)
    assert [line for line in lines if " " not in line] == ["ecp5-85k", "ice40-hx8k"]
    failed, = (line for line in lines if "no_fit" in line)
    assert failed.split()[:3] == ["beta", "256", "2560"]
    assert "Status" not in shown
    partly = written(tidy([row(), row(seed=2, status="timeout")]), "terminal", width=80)
    assert "Status" in partly
    assert "ok for 1 of 2" in " ".join(partly.split())


def test_cores_are_named_with_what_is_not_as_by_default():
    """The toy has style=plain and word_width=8 by default, and placers on ECP5 a weight of 30."""
    measured = [row("toy", params={"style": style, "word_width": 16}, options=options)
                for style, options in (("plain", {"placer_weight": 30}),
                                       ("fancy", {"placer_weight": 5}))]
    shown = written(tidy(measured), "terminal", width=120)
    assert [line.partition("  ")[0] for line in body(shown)] == [
        "toy style=fancy placer_weight=5", "toy"]
    caption = " ".join(shown.split())
    assert "All rows have word_width=16." in caption


def test_only_rows_that_have_a_setting_are_said_to_have_it():
    measured = [row("beta", params={"steps": 4}), row("beta", 128, params={"steps": 4}),
                row("alpha", params={"word": 8})]
    shown = " ".join(written(tidy(measured), "terminal", width=80).split())
    assert "All rows of beta have steps=4." in shown

def read_csv(measured, **how):
    return list(csv.DictReader(io.StringIO(written(measured, "csv", **how))))


def test_csv_has_the_same_columns_whatever_is_selected():
    one = tidy([row(status="no_fit")])
    many = tidy([*rows(), row("gamma", status="area_only", target="xc7") | {"dsp": 3}])
    assert list(read_csv(one)[0]) == list(read_csv(many)[0])
    keys = ["kind", "arch", "width", "params", "target", "options", "earlier", "seeds", "seeds_ok",
            "status"]
    for measured in (one, many):
        assert list(read_csv(measured)[0])[:len(keys)] == keys
        assert list(read_csv(measured, columns=["lut", "status"])[0]) == [*keys, "lut"]
    assert len({tuple(line[key] for key in keys[:6]) for line in read_csv(many)}) == 19
    assert {line["seeds"] for line in read_csv(many) if line["arch"] != "gamma"} == {"3"}
    assert read_csv(tidy([row(params={"b": 1, "a": True})]))[0]["params"] == '{"a": true, "b": 1}'


@pytest.mark.parametrize(("targets", "doubted"), [
    (["gowin-gw2a-18"], "Clocks on gowin-gw2a-18 are nextpnr's estimates"),
    (["ecp5-85k", "gowin-gw1nr-9c", "gowin-gw2a-18"],
     "Clocks on gowin-gw1nr-9c and gowin-gw2a-18 are nextpnr's estimates"),
    (["ecp5-85k", "ice40-hx8k"], None), (["nexus-lifcl-40", "xc7"], None)])
@pytest.mark.parametrize("format", ["terminal", "markdown", "latex"])
def test_clocks_that_are_not_to_be_believed_are_said_to_be(targets, doubted, format):
    shown = " ".join(written(tidy([row(target=target) for target in targets]), format).split())
    assert ("estimates" in shown) == bool(doubted)
    assert (doubted or "") in shown
