"""Points, and sweeps of them from files and presets."""

import dataclasses
import re
from pathlib import Path

import pytest
from measurements import row

from explore.data.frame import load, medians, notes, tidy
from explore.data.rows import modern
from explore.devices import targets
from explore.lookup import UnknownName
from explore.points.expand import expand
from explore.points.point import Point, PointError
from explore.points.spec import SweepSpec, presets

ICE40 = ["ice40-hx8k"]


def test_defaults_are_part_of_a_point():
    point, = expand(["toy"], [8], {}, ICE40)
    assert dict(point.params) == {"width": 8, "word_width": 8, "ballast": 0, "style": "plain"}
    assert dict(point.options) == {
        name: option.default for name, option in targets()["ice40-hx8k"].options.items()
        if option.portable and not option.quiet}
    assert (point.arch, point.kind, point.width) == ("toy", "multiplier", 8)
    assert point.parameters().width == 8
    assert point.label == "toy/8 on ice40-hx8k"


def test_product():
    points = expand(["toy", "wrong"], [8, "0x10"], {"word_width": ["4", 8]},
                    ["ice40-hx8k", "ecp5-25k"], {"placer_weight": ["10", 30]})
    assert len(points) == len(set(points)) == 2 * 2 * 2 * 2 * 2
    assert {point.width for point in points} == {8, 16}
    assert {dict(point.options)["placer_weight"] for point in points} == {10, 30}


def test_option_applies_where_a_family_has_it():
    points = expand(["toy"], [8], {}, ["ice40-hx8k", "ecp5-25k"], {"widelut": ["no", "yes"]})
    assert [(point.target, dict(point.options).get("widelut")) for point in points] == [
        ("ice40-hx8k", None), ("ecp5-25k", "no"), ("ecp5-25k", "yes")]


def test_names_tell_the_kind(registered):
    class Power(registered["multiplier"]["toy"]):
        kind = "exponentiator"

    registered["exponentiator"] = {"toy": Power}
    other, point = expand(["exponentiation.toy", "toy"], [8], {}, ICE40)
    assert (point.arch, point.kind, point.name) == ("toy", "multiplier", "toy")
    assert (other.arch, other.kind, other.name) == ("toy", "exponentiator", "exponentiation.toy")
    assert other.label == "exponentiation.toy/8 on ice40-hx8k"
    with pytest.raises(PointError, match=r"^exponentiation\.toy: Width must be 4 or more, not 2"):
        expand(["exponentiation.toy"], [2], {}, ICE40)


def test_label_tells_what_a_sweep_varies():
    varied = expand(["toy"], [8], {"word_width": [4, 8]}, ICE40, {"placer_weight": [10, 30]})
    assert [point.label for point in varied] == [
        f"toy/8 word_width={width} placer_weight={weight} on ice40-hx8k"
        for width in (4, 8) for weight in (10, 30)]
    alone, = expand(["toy"], [8], {}, ICE40)
    assert alone.label == "toy/8 on ice40-hx8k"
    assert alone in varied
    assert "word_width" not in " ".join(next(each for each in varied if each == alone)
                                        .command("verify"))


@pytest.mark.parametrize(("changes", "message"), [
    ({"widths": ["abc"]}, "Width must be an integer, not 'abc'"),
    ({"archs": ["exponentiation.toy"]},
     "Unknown exponentiator 'exponentiation.toy'; there is none yet")])
def test_what_makes_no_sense(changes, message):
    """Commands tell the rest: see messages.txt."""
    with pytest.raises((PointError, UnknownName), match=f"^{message}"):
        expand(**{"archs": ["toy"], "widths": [8], "targets": ICE40} | changes)


def test_toml(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text("""
        archs = "toy"
        widths = [8, 16]
        targets = ["ice40-hx8k"]
        seeds = 5
        timeout_minutes = 2.5
        [params]
        word_width = [4, 8]
        [options]
        abc = "flow3"
        """)
    spec = SweepSpec.from_toml(path)
    assert spec == SweepSpec(archs=("toy",), widths=(8, 16), targets=("ice40-hx8k",), seeds=5,
                             timeout_minutes=2.5, params={"word_width": (4, 8)},
                             options={"abc": ("flow3",)})
    assert len(spec.points()) == 4


def test_toml_in_parts(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text("""
        archs = ["toy"]
        targets = ["ice40-hx8k"]
        seeds = 3
        jobs = 1
        params = { word_width = [4], style = ["plain"] }
        [[parts]]
        widths = [8, 16]
        [[parts]]
        widths = [16, 32]
        seeds = 5
        [[parts]]
        widths = [64]
        seeds = 1
        params = { word_width = [8, 16] }
        """)

    def found(spec):
        return {(point.width, dict(point.params)["word_width"], dict(point.params)["style"]): seeds
                for point, seeds in spec.points().items()}

    spec = SweepSpec.from_toml(path)
    assert spec.jobs == 1
    # What two parts have is measured once, with the larger number of seeds.
    assert found(spec) == {(8, 4, "plain"): 3, (16, 4, "plain"): 5, (32, 4, "plain"): 5,
                           (64, 8, "plain"): 1, (64, 16, "plain"): 1}
    changed = spec.changed({"seeds": 2, "params": {"style": ("fancy",)}})
    assert set(found(changed).values()) == {2}
    assert {style for _, _, style in found(changed)} == {"fancy"}


def test_toml_changes_a_preset(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text('preset = "quick"\nwidths = [8]')
    assert SweepSpec.from_toml(path) == dataclasses.replace(presets()["quick"], widths=(8,))


@pytest.mark.parametrize(("text", "message"), [
    pytest.param("archs = " + "[" * 5000, "is not TOML: ", id="deep"),
    ("timeout_minutes = 0",
     ": Timeout must be a number of minutes above 0 and up to 525600 (a year), not 0"),
    ("targets = [8]", ": 'targets' must be a list of strings, not [8]"),
    ("parts = [8]", ": 'parts' must be tables that begin with [[parts]], not [8]"),
    ("[[parts]]\nseeds = 0", ": Seeds must be an integer from 1 to 10000, not 0")])
def test_wrong_toml(tmp_path, text, message):
    """Commands tell the rest: see messages.txt."""
    path = tmp_path / "sweep.toml"
    path.write_text(text)
    with pytest.raises(PointError, match=f"^{re.escape(str(path))}.*{re.escape(message)}"):
        SweepSpec.from_toml(path)
    with pytest.raises(PointError, match=r"^Cannot read .*: Is a directory$"):
        SweepSpec.from_toml(tmp_path)


def test_presets_name_what_there_is():
    for name, spec in presets().items():
        assert spec.preset == name
        points = expand(["toy"], spec.widths, spec.params, spec.targets, spec.options)
        assert len(points) == len(spec.widths) * len(spec.targets)


@pytest.mark.real_cores
def test_the_golden_points_are_those_of_their_sweep_and_quick_ones():
    """Continuous integration compares what it measured with the golden rows."""
    golden = Path(__file__).parents[2] / "golden"
    points = SweepSpec.from_toml(golden / "sweep.toml").points()
    assert points.keys() <= presets()["quick"].points().keys()
    rows = load(golden / "rows.jsonl")
    assert set(rows["status"]) == {"ok"}
    assert not notes(rows)
    measured = [Point.from_row(row).key for row in rows.to_dict("records")]
    assert sorted(measured) == sorted(point.key for point, seeds in points.items()
                                      for _ in range(seeds))


def test_a_new_option_or_parameter_makes_no_point_another_one():
    point, = expand(["toy"], [8], {}, ["ice40-hx8k"])
    assert dict(point.options) == {"abc": "default", "placer_weight": 10}
    old = {"kind": "multiplier", "arch": "toy", "width": 8, "target": "ice40-hx8k",
           "params": {"word_width": 8, "style": "plain"}, "options": {"placer_weight": 10}}
    assert Point.from_row(old) == point
    # What adds nothing to the arguments of tools does not count.
    bare = dataclasses.replace(point, options=(("placer_weight", 10),))
    assert bare.key == point.key
    assert bare.identity(1) == point.identity(1) != point.identity(2)
    other, = expand(["toy"], [8], {}, ["ice40-hx8k"], {"placer_weight": [30]})
    assert other.key != point.key


def test_rows_of_before_an_option_are_seeds_of_the_same_point():
    rows = [row("toy", 8, "ice40-hx8k", seed, params={"word_width": 8, "style": "plain"} | more,
                options={"placer_weight": 10} | options)
            for seed, more, options in ((1, {}, {}), (2, {"ballast": 0}, {"abc": "default"}))]
    assert list(medians(tidy(modern(rows)))["seeds"]) == [2]


@pytest.mark.parametrize(("params", "options", "words"), [
    ({}, {}, ["-t", "ecp5-25k"]),
    ({"style": "fancy"}, {"placer_weight": 10},
     ["-p", "style=fancy", "-t", "ecp5-25k", "-o", "placer_weight=10"])])
def test_command_of_a_point(params, options, words):
    point, = expand(["toy"], [8], {name: [value] for name, value in params.items()}, ["ecp5-25k"],
                    {name: [value] for name, value in options.items()})
    assert point.command("sweep") == ["montgomery", "sweep", "-a", "toy", "-n", "8", *words]
    # The hardware is the same for all devices.
    assert point.command("export")[6:] == words[:2 * len(params)]


def test_command_that_exports_a_core_for_a_device():
    for options, words in (({}, []), ({"multipliers": ["logic"], "placer_weight": [10]},
                                      ["-o", "multipliers=logic"])):
        point, = expand(["particular"], [8], {}, ["ecp5-25k"], options)
        assert point.command("export")[6:] == ["-t", "ecp5-25k", *words]
        assert point.command("export", device=False)[6:] == []
