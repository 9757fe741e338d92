"""Objectives, expressions over columns, and bounds that hold whatever a placement achieves."""

import random

import pytest

from explore.data.objectives import Span, bounds, figures, objective, objectives

COUNTED = {"width": 64, "lut": 500, "ff": 300, "dsp": 2, "bram": 1, "cycles_load": 4,
           "cycles_compute": 128, "cycles_unload": 4, "cycles_interval": 136,
           "cycles_initiation": 130}


def cost(text, mhz=200.0, **changes):
    return objective(text).cost(figures({**COUNTED, **changes}, mhz))


@pytest.mark.parametrize(("text", "expected"), [
    ("latency", 0.64), ("interval", 0.68), ("area", 500), ("lut-us", 320), ("blocks", 3),
    ("throughput", -64 * 200 / 130), ("clock", -200), ("lut * latency_us", 320),
    ("lut + 100 * dsp", 700), ("-fmax_usable_mhz", -200), ("latency_us ** 2 / 0.64", 0.64),
    ("max(lut, ff, 600)", 600), ("min(lut, ff)", 300), ("sqrt(lut * 5)", 50), ("lut ** -1", 0.002),
    ("dsp - bram", 1),
])
def test_values(text, expected):
    assert cost(text) == pytest.approx(expected)


@pytest.mark.parametrize("text", [
    "latency", "interval", "lut-us", "throughput", "clock", "lut * latency_us - 3 * dsp",
    "latency_us ** 2", "latency_us ** -0.5", "sqrt(latency_us) + min(dsp, interval_us)",
    "(latency_us - 0.7) ** 2", "(latency_us - 0.7) * (fmax_usable_mhz - 150)",
    "lut / (1 + latency_us)", "max(latency_us, 0.6) - fmax_usable_mhz / 100",
])
def test_bounds_hold_at_every_frequency(text):
    rng = random.Random(text)
    span = bounds(objective(text), COUNTED, 257.0)
    for _ in range(300):
        value = cost(text, rng.uniform(0.5, 257.0))
        assert span.low - 1e-9 <= value <= span.high + 1e-9
    if text in ("latency", "interval", "lut-us", "throughput", "clock", "latency_us ** 2"):
        # What is best at the limit has exactly the value there.
        assert span.low == cost(text, 257.0)


def test_what_needs_no_placement_has_one_value():
    for text in ("area", "blocks", "lut + 100 * dsp"):
        span = bounds(objective(text), COUNTED, 257.0)
        assert span.low == span.high
        assert not objective(text).needs_clock
    assert objective("lut-us").needs_clock
    assert objective("1 / throughput_mbps").needs_clock


def test_spans_that_reach_zero():
    assert 1 / Span(0.0, 2.0) == Span(0.5, float("inf"))
    assert Span(0.0, float("inf")) * 0.0 == Span(0.0, 0.0)
    assert 1 / Span(-1.0, 1.0) == Span(float("-inf"), float("inf"))
    assert Span(-3.0, 2.0) ** 2 == Span(0.0, 9.0)


@pytest.mark.parametrize(("text", "message"), [
    ("latancy", "Unknown objective 'latancy'; did you mean 'latency'?"),
    ("lut +", "must be latency, interval, area.* or an expression such as .*, not 'lut \\+'"),
    ("", "or an expression"),
    ("lut * fmax", "Unknown column in an objective 'fmax'"),
    ("__import__('os')", "has __import__\\('os'\\)"),
    ("lut.real", "has lut.real"), ("lut if dsp else 1", "has lut if dsp"),
    ("lut ** dsp", "a power that is no constant"), ("lut ** 99", "a power that is no constant"),
    ("sqrt(lut, ff)", "sqrt with 2 values"), ("min(lut)", "min with 1 values"),
    ("'a'", "has 'a'"), ("lut < 3", "has lut < 3"), ("True", "has True"),
])
def test_what_is_no_objective(text, message):
    with pytest.raises(ValueError, match=message):
        objective(text)


def test_lists():
    found = objectives("latency, min(lut, ff),blocks")
    assert [each.name for each in found] == ["latency", "min(lut, ff)", "blocks"]
    with pytest.raises(ValueError, match="must be different, unlike 'area,area'"):
        objectives("area,area")
