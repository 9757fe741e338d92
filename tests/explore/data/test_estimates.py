"""What is said of widths that were not measured, against the committed measurements."""

import json
import math
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from measurements import row

from explore.cli import cli
from explore.data.columns import blank_row
from explore.data.estimates import Estimate, at_width, fits_width
from explore.data.frame import points_of, rows_of, save
from explore.data.rates import result_of
from explore.simulation.kinds import adapter
from montgomery import architectures, exponentiators

pytestmark = pytest.mark.real_cores

RESULTS = Path(__file__).parents[3] / "results"


@pytest.fixture(scope="module")
def committed():
    return points_of(rows_of(RESULTS)[0])


def made(*rows):
    return points_of({**blank_row(), **each} for each in rows)


def form(point):
    """Return what the points of a form have in common."""
    return json.dumps([point[name] for name in ("arch", "target", "params", "options")],
                      sort_keys=True)


def ask(*arguments):
    return CliRunner().invoke(cli, ["recommend", *map(str, arguments)])


def document(*arguments):
    return json.loads(ask(*arguments, "--json").stdout)


@pytest.mark.parametrize("column", ["lut", "fmax_usable_mhz"])
def test_measured_widths_lie_in_the_range_that_the_others_give(committed, column):
    multipliers = [point for point in committed if point["kind"] == "multiplier"]
    tried = []
    for width in (64, 128, 256, 512):
        measured = {form(point): point[column] for point in multipliers
                    if point["width"] == width and point[column]}
        others = [point for point in multipliers if point["width"] != width]
        tried += [(each.figures[column], measured[form(each.row)])
                  for each in at_width(others, width) if form(each.row) in measured
                  and len(each.measured) > 1 and column in each.figures]
    assert len(tried) >= 30
    inside = sum(found.low <= value <= found.high for found, value in tried)
    assert inside >= 0.8 * len(tried)
    # Ranges are of use: half of the estimates are nearer than a quarter.
    errors = sorted(abs(found.value / value - 1) for found, value in tried)
    assert errors[len(errors) // 2] < 0.25
    assert all(found.low <= found.value <= found.high for found, _ in tried)


@pytest.mark.parametrize("width", [384, 521, 100, 2048])
def test_clocks_are_those_of_the_core(committed, width):
    multipliers = [point for point in committed if point["kind"] == "multiplier"]
    found = [built for each in at_width(multipliers, width) if (built := each.built())]
    assert found
    for each in found:
        core = each.point.parameters()
        for name in ("compute", "interval"):
            assert each.figures[f"cycles_{name}"] == Estimate.exact(getattr(core.cycles, name))
        assert core.width >= width
        assert bool(each.illegal) == (core.width > width)
        assert width not in each.measured


@pytest.mark.parametrize(("core", "measured", "asked", "lut"), [
    ("mmm_mx_1d", (64, 256), 128, lambda width: 100 + 3 * width),
    ("mmm_mx_1d", (64, 256), 512, lambda width: 100 + 3 * width),
    ("mmm_mx_2d", (16, 32), 64, lambda width: 50 + 2 * width ** 2)])
def test_an_area_that_grows_with_the_width_or_its_square_is_found_again(core, measured, asked, lut):
    each, = at_width(made(*[row(core, width, lut=lut(width)) for width in measured]), asked)
    assert each.figures["lut"].value == pytest.approx(lut(asked))


def test_a_single_width_has_a_wide_range():
    points = made(*[row("mmm_mx_1d", 64, lut=1000)])
    each, = at_width(points, 256)
    lut = each.figures["lut"]
    assert lut.low <= 1000 < lut.value < lut.high
    assert lut.high / lut.low > 4


def test_widths_that_are_next_to_each_other_tell_nothing_of_growth():
    # As a power of the width, the growth from 1000 to 1001 bits would be 2304.
    points = made(*(row("mmm_mx_1d", width, lut=lut, params={"word_width": 32})
                    for width, lut in ((1000, 100), (1001, 1000))),
                  row("mmm_mx_1d", 64, lut=1000))
    found = {each.measured: each.figures["lut"] for each in at_width(points, 512)}
    assert found
    assert all(each.high < 1e6 for each in found.values())


def test_no_frequency_is_above_that_of_the_clock_network():
    points = made(*[row("mmm_mx_1d", 256, fmax=257.0)])
    each, = at_width(points, 64)
    assert each.figures["fmax_usable_mhz"].high == 257


@pytest.mark.parametrize(("name", "params", "width", "legal"), [
    ("mmm_mx_1d", {}, 384, 384), ("multi_step", {"steps": 7}, 100, 100),
    ("single_dsp", {}, 16, 17)])
def test_the_next_legal_width(name, params, width, legal):
    core, reason = fits_width(architectures()[name], width, params)
    cls = architectures()[name]
    expected = next(each for each in range(width, 10 * width) if _is_legal(cls, params, each))
    assert core.width == expected
    assert bool(reason) == (expected != width)


def _is_legal(cls, params, width):
    try:
        cls(**params, width=width)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(("name", "params", "text"), [
    ("mmm_mx_1d", {}, "below 2 m"), ("cox_rower", {}, "below 2 m"),
    ("multi_step", {"subtraction": "final"}, "reduced"),
    ("dsp_systolic", {"quotient": "plain"}, "below 2 m"),
    ("dsp_systolic", {"quotient": "delayed", "digit_width": 18, "word_width": 18},
     "below 2^55 m")])
def test_the_range_of_results(name, params, text):
    core = architectures()[name](width=256, **params)
    assert result_of(core) == text
    for modulus in (2 ** 256 - 189, 2 ** 255 - 19, 3, 2 ** 128 + 51):
        modulus = adapter(core).usable(modulus)
        factor = -(-core.bound(modulus) // modulus)
        assert (1 if text == "reduced" else 2 if text == "below 2 m" else factor) == factor
        if "^" in text:
            assert math.log2(factor) <= int(text.split("^")[1].split()[0])


def test_exponentiators_reduce():
    assert result_of(exponentiators()["single_dsp"](width=64)) == "reduced"


def test_a_width_that_was_not_measured_is_said_first():
    first, *rest = ask("-n", 320, "-t", "ecp5-85k", "--from", RESULTS).stdout.splitlines()
    assert first.startswith("No multiplier of exactly 320 bits was measured on ecp5-85k")
    clocks = architectures()["dsp_systolic"](width=320, digit_width=18, quotient="delayed",
                                             word_width=18).cycles.compute
    assert f"latency {clocks} clocks = about" in "\n".join(rest)
    assert any("montgomery sweep -a dsp_systolic -n 320" in line for line in rest)


def test_estimates_as_json():
    found = document("-n", 320, "-t", "ecp5-85k", "--from", RESULTS)
    assert not found["is_exact"]
    assert len(found["estimates"]) == 3
    latencies = [each["latency_us"]["value"] for each in found["estimates"]]
    assert latencies == sorted(latencies)
    for each in found["estimates"]:
        assert each["width"] == 320
        assert each["sweep_seconds"] > 0
        assert each["lut"]["low"] < each["lut"]["value"] < each["lut"]["high"]
        core = architectures()[each["arch"]](width=320, **each["params"])
        assert each["cycles_compute"] == core.cycles.compute
        # The command measures it: a dry run takes it for one point.
        words = shlex.split(each["command"])[1:]
        assert CliRunner().invoke(cli, [*words, "--dry-run"]).exit_code == 0


def test_a_width_that_was_measured_needs_no_estimate():
    for flag in ("-n", "--width", "--bits"):
        found = document(flag, 256, "-t", "ecp5-85k", "--from", RESULTS)
        assert (found["is_exact"], found["estimates"]) == (True, [])
        for each in found["best"]:
            assert each["width"] == 256
            assert all(isinstance(each[name], int) for name in (
                "lut", "ff", "dsp", "bram", "cycles_compute", "cycles_interval", "seeds_ok"))


def test_nothing_is_as_wide_but_estimates_are(tmp_path):
    path = tmp_path / "rows.jsonl"
    save([row("mmm_mx_1d", 64), row("mmm_cs_1d", 128)], path)
    result = ask("-n", 192, "--from", path)
    assert result.exit_code == 1
    assert result.stdout.startswith("No multiplier of 192 bits or more was measured, the widest "
                                    "has 128; measure one: montgomery sweep -a mmm_cs_1d -n 192")
    assert [each["arch"] for each in document("-n", 192, "--from", path)["estimates"]] == [
        "mmm_cs_1d"]


def test_estimates_keep_the_limits():
    for limit in (1500, 3000):
        found = document("-n", 320, "--limit", f"lut={limit}", "--top", 99, "--from", RESULTS)
        assert found["estimates"]
        assert all(each["lut"]["value"] <= limit for each in found["estimates"])


def test_what_probably_does_not_fit_is_left_out(tmp_path):
    path = tmp_path / "rows.jsonl"
    save([row("mmm_mx_1d", 256, "ice40-hx8k", lut=5000, fmax=250.0),
          row("mmm_cs_1d", 256, "ice40-hx8k", lut=1000, fmax=50.0)], path)
    each, = document("-n", 512, "--from", path)["estimates"]
    assert each["arch"] == "mmm_cs_1d"


@pytest.mark.parametrize("name", ["gatemate-a1", "ecp5-25k-8"])
def test_a_known_target_without_rows_is_not_unknown(tmp_path, name):
    path = tmp_path / "rows.jsonl"
    save([row("mmm_mx_1d", 256)], path)
    result = ask("-n", 128, "-t", name, "--from", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"No multiplier was measured on {name}; measure one: montgomery sweep" in result.stderr
    command = result.stderr.partition("measure one: ")[2].strip()
    assert CliRunner().invoke(cli, [*shlex.split(command)[1:], "--dry-run"]).exit_code == 0
    # Beside a target that has rows it is a remark.
    both = ask("-n", 128, "-t", f"ecp5-85k,{name}", "--from", path)
    assert both.exit_code == 0
    assert f"No multiplier was measured on {name}" in both.stdout


@pytest.mark.parametrize("name", ["xc7", "cyclonev"])
def test_a_target_of_which_only_the_area_is_known(name):
    result = ask("-n", 256, "-t", name, "--from", RESULTS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert name in result.stderr
    assert "--objective area" in result.stderr
    found = document("-n", 256, "-t", name, "--objective", "area", "--from", RESULTS)
    assert found["best"][0]["target"] == name
    assert found["best"][0]["latency_us"] is None
    luts = [each["lut"] for each in found["best"]]
    assert luts == sorted(luts)


def test_reduced_results_are_a_limit(tmp_path):
    path = tmp_path / "rows.jsonl"
    save([row("multi_step", 64, params={"subtraction": "final"}, lut=900),
          row("multi_step", 64, lut=100), row("mmm_mx_1d", 64, lut=50)], path)
    found = document("-n", 64, "--reduced", "--from", path)
    assert [(each["lut"], each["result"]) for each in found["best"]] == [(900, "reduced")]
    assert found["ruled_out"] == {"reduced": 2}
    assert {each["result"] for each in document("-n", 64, "--from", path)["best"]} == {
        "reduced", "below 2 m"}
    save([row("mmm_mx_1d", 64)], path)
    assert ask("-n", 64, "--reduced", "--from", path).exit_code == 1
