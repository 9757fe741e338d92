"""What is recommended, by brute force over made-up measurements of all multipliers."""

import json
import random
import re
import shlex
import statistics
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from click.testing import CliRunner
from measurements import row

from explore.cli import cli
from explore.data.columns import blank_row
from explore.data.frame import points_of, rows_of, save
from explore.data.recommend import LIMITS, OBJECTIVES, Question, Reason, recommend, tied

pytestmark = pytest.mark.real_cores

RESULTS = Path(__file__).parents[3] / "results"
SEED = 11


@pytest.fixture(scope="module")
def measured(saved_registry):
    return points_of(rows_of(saved_registry)[0])


def find(points, **asked):
    return recommend(points, Question(**asked))


def column(found, name):
    """Return a column of the best."""
    return [each.point[name] for each in found.best]


def ruled_out(found):
    return Counter(reason.name for each in found.candidates for reason in each.reasons)


@pytest.fixture(scope="module")
def by_hand(saved_registry):
    return list(medians_by_hand(saved_registry))


def medians_by_hand(path):
    """Return the medians of the rows of a file, without pandas and without the project."""
    groups = defaultdict(dict)
    for line in path.read_text().splitlines():
        found = json.loads(line)
        if found["kind"] != "multiplier":
            continue
        key = json.dumps([found["kind"], found["arch"], found["width"], found["target"],
                          found["params"], found["options"]], sort_keys=True)
        groups[key][found["seed"]] = found
    for seeds in groups.values():
        ok = [found for found in seeds.values() if found["status"] == "ok"]
        if ok:
            yield ok[0] | {name: statistics.median(found[name] for found in ok)
                           for name in ("lut", "ff", "dsp", "bram", "fmax_usable_mhz",
                                        "latency_us", "lut_us", "throughput_mbps",
                                        "throughput_pipelined_mbps")
                           if ok[0].get(name) is not None}


def rated(point, bits):
    rate = point.get("throughput_pipelined_mbps") or point["throughput_mbps"]
    return point | {"interval_us": point["cycles_interval"] / point["fmax_usable_mhz"],
                    "useful_mbps": rate * bits / point["width"]}


def narrowest(points):
    """Leave out what is wider than the same core with the same parameters, made alike."""
    groups = defaultdict(list)
    for point in points:
        groups[json.dumps([point["arch"], point["target"], point["params"], point["options"]],
                          sort_keys=True)].append(point)
    for group in groups.values():
        width = min(point["width"] for point in group)
        yield from (point for point in group if point["width"] == width)


def queries():
    rng = random.Random(SEED)
    for index in range(40):
        limits = {}
        for name, low, high in (("max_lut", 500, 5000), ("max_ff", 500, 5000), ("max_bram", 0, 2),
                                ("max_latency_us", 0.3, 10), ("min_mhz", 100, 257)):
            if rng.random() < 0.4:
                limits[name] = round(rng.uniform(low, high), 1)
        targets = rng.choice([(), ("ecp5-85k",), ("ice40-hx8k",)])
        yield index, rng.choice((64, 100, 128, 256, 512, 1024)), rng.choice(list(OBJECTIVES)), \
            targets, limits


@pytest.mark.parametrize(("index", "bits", "objective", "targets", "limits"),
                         list(queries()))
def test_the_best_by_brute_force(measured, by_hand, index, bits, objective, targets, limits):
    def keeps(point):
        return point["width"] >= bits and (not targets or point["target"] in targets) and all(
            point[LIMITS[name][0]] <= value if name.startswith("max")
            else point[LIMITS[name][0]] >= value for name, value in limits.items())

    name, largest = OBJECTIVES[objective]
    # What is built for one modulus is left out unless that is asked for.
    points = [rated(point, bits) for point in by_hand if point["arch"] != "wide"]
    expected = sorted((point[name] for point in narrowest(filter(keeps, points))),
                      reverse=largest)
    found = find(measured, bits=bits, objective=objective, targets=targets, limits=limits)
    assert column(found, name) == pytest.approx(expected)
    if not expected:
        assert found.nearest is None or found.nearest.factor > 1


def made(**changes):
    return row() | changes


def medians(rows):
    return points_of({**blank_row(), **each} for each in rows)


def test_nothing_fits_but_nearly():
    points = medians([made(lut=3000, latency_us=1.0),
                           made(lut=1000, latency_us=9.0, width=128)])
    found = find(points, bits=8, limits={"max_lut": 900, "max_latency_us": 2})
    assert not found.best
    # 3.3 times too large, or 4.5 times too slow.
    assert found.nearest.reasons == (Reason("max_lut", 3000, 900),)
    assert ruled_out(found) == {"max_lut": 2, "max_latency_us": 1}


def test_points_that_the_seeds_do_not_tell_apart_are_tied():
    measured = [made(seed=seed, latency_us=value, lut=lut, params={"word": lut})
                     for lut, middle in ((1, 1.0), (2, 1.05), (3, 1.3))
                     for seed, value in enumerate((middle, 0.95 * middle, 1.06 * middle), 1)]
    found = find(medians(measured), bits=32)
    assert column(found, "lut") == [1, 2, 3]
    best = [each.point for each in found.best]
    assert tied(best, measured, Question(bits=32)) == [True, True, False]
    # Areas are exact.
    assert tied(best, measured, Question(bits=32, objective="area")) == [True, False, False]
    # Of single seeds nobody knows the spread.
    single = [each for each in measured if each["seed"] == 1]
    assert tied(best, single, Question(bits=32)) == [True, False, False]


def test_time_that_depends_on_operands_is_left_out_on_demand():
    points = medians([made(constant_time=False), made(width=128, params={"word": 1})])
    assert len(find(points, bits=4).best) == 2
    found = find(points, bits=4, constant_time=True)
    assert column(found, "constant_time") == [True]
    assert ruled_out(found) == {"constant_time": 1}


def test_what_failed_is_ruled_out_by_its_status():
    points = medians([row(), row(width=128, status="no_fit")])
    found = find(points, bits=4)
    assert [each.reasons for each in found.candidates] == [(), (Reason("status", "no_fit"),)]


def ask(*arguments):
    return CliRunner().invoke(cli, ["recommend", *map(str, arguments)])


def test_the_command_says_why_and_how_to_go_on(saved_registry):
    result = ask("--bits", 256, "--target", "ice40-hx8k", "--limit", "lut=3000", "--from",
                 saved_registry)
    assert result.exit_code == 0
    first, area, speed, command, *_ = result.stdout.splitlines()
    assert first.startswith("1. mmm_")
    assert "MHz" in area
    assert re.search(r"latency \d+ clocks = [\d.]+ µs, interval \d+ clocks = [\d.]+ µs", speed)
    assert command.strip().startswith("montgomery export -a mmm_")
    assert "by --limit lut" in result.stdout


def test_the_command_goes_by_the_kind_that_is_asked_for(tmp_path):
    path = tmp_path / "rows.jsonl"
    save([row(arch="cox_rower", lut=lut, params={"rowers": 1}) | {"kind": kind}
          for kind, lut in (("multiplier", 1), ("exponentiator", 2), ("rsa_crt", 3))], path)
    for options, lut, name in (((), 1, "cox_rower"),
                               (("--kind", "exponentiator"), 2, "exponentiation.cox_rower"),
                               (("--kind", "rsa_crt"), 3, "rsa_crt.cox_rower")):
        found, = json.loads(ask("--bits", 64, *options, "--from", path, "--json").stdout)["best"]
        assert found["lut"] == lut
        assert found["command"] == (f"montgomery export -a {name} -n 64 -p rowers=1 -t ecp5-85k")
        first, *_ = ask("--bits", 64, *options, "--from", path).stdout.splitlines()
        assert first == f"1. {name} of 64 bits rowers=1 on ecp5-85k with -o weight=10"


def test_cores_for_rsa_make_signatures_in_a_second(tmp_path):
    path = tmp_path / "rows.jsonl"
    # A signature every 5 ms, by 1 or by 4 exponentiations side by side; the words of a product.
    save([made(arch=arch, kind=kind, width=512, params=params, throughput_mbps=0.1024,
               throughput_pipelined_mbps=None)
          for arch, kind, params in (("cox_rower", "rsa_crt", {"rowers": 1}),
                                     ("single_dsp", "exponentiator", {"processors": 4}),
                                     ("single_dsp", "multiplier", {}))], path)
    for kind, rate in (("rsa_crt", 200), ("exponentiator", 800), ("multiplier", None)):
        arguments = ("--bits", 400, "--kind", kind, "--from", path)
        found, = json.loads(ask(*arguments, "--json").stdout)["best"]
        assert found.get("signatures_per_s") == (rate and pytest.approx(rate))
        said = f"{rate} signatures/s with keys of 512 bits"
        assert (said if rate else "Mbit/s\n") in ask(*arguments).stdout
        assert ("signatures" in ask(*arguments).stdout) == bool(rate)


def test_the_command_when_nothing_fits(tmp_path):
    path = tmp_path / "rows.jsonl"
    save([row(arch="mmm_cs_1d", params={"word_width": 16, "pe_width": 16}, lut=500)], path)
    result = ask("--bits", 8, "--limit", "lut=10", "--from", tmp_path)
    assert result.exit_code == 1
    *_, first, second = result.stdout.partition("\nNearest")[0].splitlines()[-1:], *(
        result.stdout.splitlines()[-6:-4])
    assert first == "Nothing that was measured keeps all limits"
    assert second == ("Nearest: mmm_cs_1d of 64 bits on ecp5-85k with -o weight=10, which has 500 "
                      "LUT (limit 10, by --limit lut)")


def test_a_core_that_does_not_overlap_operations_has_the_throughput_of_dependent_ones():
    points = medians([made(width=64, throughput_pipelined_mbps=None, throughput_mbps=7.0)])
    found = find(points, bits=32, objective="throughput")
    assert column(found, "useful_mbps") == [3.5]
    assert ruled_out(found) == {}


def test_a_rival_that_leads_does_not_hide_the_best_core_of_this_package(tmp_path):
    path = tmp_path / "rows.jsonl"
    save([made(arch=arch, latency_us=latency) for arch, latency in (
        ("rival_caliptra", 1.0), ("rival_fios", 2.0), ("own", 3.0), ("other", 4.0))], path)
    for top, ranks in ((1, [1, 3]), (3, [1, 2, 3]), (9, [1, 2, 3, 4])):
        best = json.loads(ask("-n", 8, "--top", top, "--from", path, "--json").stdout)["best"]
        assert [each["rank"] for each in best] == ranks
    assert "3. own of" in ask("-n", 8, "--top", 1, "--from", path).stdout


def test_only_cores_with_the_parameters_that_are_asked_for(tmp_path):
    path = tmp_path / "rows.jsonl"
    save([made(params=params, latency_us=latency) for latency, params in enumerate(
        ({}, {"steps": 1}, {"steps": 1, "word": 8}, {"steps": 16}), start=1)], path)
    for asked, latencies in ((["steps=1,16"], [2, 3, 4]), (["steps=1", "word=8"], [3])):
        given = [part for each in asked for part in ("-p", each)]
        best = json.loads(ask("-n", 8, *given, "--from", path, "--json").stdout)["best"]
        assert [each["latency_us"] for each in best] == latencies
    for wrong, right in (("step=1", "steps"), ("steps=17", "1"), ("word=8 -p steps=16", "1")):
        result = ask("-n", 8, "-p", *wrong.split(), "--from", path)
        assert result.exit_code == 2
        assert right in result.stderr


@pytest.mark.parametrize("text", [
    "x; touch y", "$(touch y)", "`touch y`", "'", "-x", "x/../y", "*"])
def test_words_of_a_row_are_single_words_when_they_are_pasted(tmp_path, text):
    path = tmp_path / "rows.jsonl"
    save([row(arch=text, params={text: text}, options={"abc": text})], path)
    lines = CliRunner().invoke(cli, ["recommend", "-n", "64", "--from", str(path)]
                               ).stdout.splitlines()
    assert shlex.split(lines[0].partition(" with ")[2]) == ["-o", f"abc={text}"]
    exported, = (line for line in lines if "montgomery" in line)
    assert shlex.split(exported)[:5] == ["montgomery", "export", "-a", text, "-n"]
    assert f"{text}={text}" in shlex.split(exported)
