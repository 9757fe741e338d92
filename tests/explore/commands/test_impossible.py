"""Cores that are made of blocks that a device does not have."""

import json

import pytest
from console import assert_refused

from explore.devices import targets
from explore.points.expand import QUICK_WIDTH, check_possible, expand
from explore.points.possible import shortage
from explore.points.spec import presets
from montgomery import KINDS
from montgomery.core import about

pytestmark = [pytest.mark.real_cores, pytest.mark.usefixtures("sketched")]


def measured(result):
    return {(row["arch"], row["target"], row["params"].get("word_width")):
            (row["status"], row["recipe"] == {}, (row["log"] or "").splitlines())
            for row in json.loads(result.stdout)["rows"]}


def test_a_point_that_cannot_be_is_a_row_beside_the_others(run, fakes):
    sweep = ("sweep", "-a", "single_dsp", "-n", "16", "-t", "ice40-up5k,ecp5-25k",
             "-p", "word_width=16,17", "--seeds", "1", "--json", "--output", "out")
    reason = ("Digits must have 16 bits or fewer on ice40-up5k, whose SB_MAC16 multiplies "
              "unsigned numbers of 16 x 16 bits, not 17; take -p word_width=16")
    for _ in range(2):  # the second one from the rows of the first
        result = run(*sweep)
        assert result.exit_code == 0, result.stderr
        rows = measured(result)
        assert rows.pop(("single_dsp", "ice40-up5k", 17)) == ("no_fit", True, [reason])
        # The verification of the same core stands on a device that it can be on.
        assert {status for status, *_ in rows.values()} == {"ok"}
        assert len(rows) == 3
        assert f"single_dsp/16 on ice40-up5k: no_fit: {reason}" in result.stderr


def test_a_command_for_one_core_refuses_it(run):
    for words in (("export", "-a", "single_dsp", "-n", "64", "-t", "ice40-up5k", "-p",
                   "word_width=17"),
                  ("compare", "single_dsp,width=64,target=ice40-up5k,word_width=17", "width=32")):
        assert_refused(run(*words), "; take -p word_width=16")


@pytest.mark.parametrize(("target", "options", "lacking"), [
    ("ice40-hx8k", {}, {"cox_rower", "dsp_systolic", "single_dsp", "wide"}),
    ("ecp5-25k", {}, {"wide"}), ("ecp5-85k", {}, set()), ("xc7", {}, set()),
    ("ice40-hx8k", {"multipliers": ["logic"]}, set())])
def test_of_cores_that_are_not_named_those_that_fit_are_measured(caplog, target, options, lacking):
    every = set(KINDS["multiplier"].cores())
    points = expand([], [QUICK_WIDTH], {}, [target], options)
    assert {point.arch for point in points} == every - lacking
    assert [all(name in record.message for name in lacking) and "left out" in record.message
            for record in caplog.records] == [True] * bool(lacking)
    # Who names one gets a row that says why.
    assert len(expand(sorted(every), [QUICK_WIDTH], {}, [target], options)) == len(every)


def test_the_presets_have_no_row_that_cannot_be():
    for point in presets()["quick"].points():
        check_possible(point)
        assert not shortage(point.parameters(), targets()[point.target], dict(point.options))


@pytest.mark.parametrize("target", targets())
def test_defaults_fit_every_target(target):
    for kind in KINDS.values():
        for name, core in kind.cores().items():
            point, = expand([kind.full_name(name)], [about(core).quick_width], {}, [target])
            check_possible(point)


@pytest.mark.parametrize(("core", "width", "target", "name", "value"), [
    ("single_dsp", 64, "ice40-up5k", "word_width", 16),
    ("single_dsp", 64, "ecp5-25k", "word_width", 17),
    ("exponentiation.single_dsp", 64, "ice40-up5k", "word_width", 16),
    ("rsa_crt.dsp_systolic", 512, "ice40-up5k", "word_width", 16),
    ("rsa_crt.dsp_systolic", 512, "xc7", "word_width", 17),
    ("rsa_crt.dsp_systolic", 512, "ecp5-85k", "word_width", 18),
])
def test_the_default_is_the_largest_value_that_the_device_has_blocks_for(core, width, target, name,
                                                                       value):
    point, = expand([core], [width], {}, [target])
    assert point.values[name] == value


@pytest.mark.parametrize(("core", "width", "target", "blocks", "fix"), [
    ("rsa_crt.dsp_systolic", 3072, "ecp5-45k", 90, "-p processing_elements=72"),
    ("rsa_crt.dsp_systolic", 3072, "ecp5-85k", None, ""),
    ("rsa_crt.cox_rower", 4096, "ecp5-45k", 88, "-p rowers=8"),
    ("dsp_systolic", 256, "ice40-up5k", 19, "-p processing_elements=8"),
    ("ecdsa_verification.wide", 256, "ecp5-25k", 33, "-t ecp5-45k"),
    ("ecdsa_verification.wide", 256, "ecp5-45k-8", None, ""),
    ("key_agreement.wide", 255, "ecp5-25k-7", 32, "-t ecp5-45k-7"),
    ("mmm_mx_1d", 1024, "ecp5-25k", None, "")])
def test_what_has_too_many_blocks_says_so_and_what_would_do(core, width, target, blocks, fix):
    point, = expand([core], [width], {}, [target])
    there = targets()[target].capacity["dsp"]
    said = shortage(point.parameters(), targets()[target], {})
    assert said.startswith(f"needs {blocks} " if blocks else "")
    assert f" {target} has {there}; take {fix}" in said if blocks else said == ""
    if blocks:  # what it says would do
        option, value = fix.split()
        given = ({}, [value]) if option == "-t" else (
            {value.partition("=")[0]: [value.partition("=")[2]]}, [target])
        other, = expand([core], [width], *given)
        assert shortage(other.parameters(), targets()[other.target], {}) == ""


def test_export_says_what_does_not_fit_and_writes(run):
    result = run("export", "-a", "multi_step", "-n", "16", "-t", "ecp5-25k", "--output", "small")
    assert (result.exit_code, "needs" in result.stderr) == (0, False)
    result = run("export", "-a", "dsp_systolic", "-n", "1024", "-t", "ecp5-25k", "--vectors", "0",
                 "--output", "large")
    assert result.exit_code == 0
    assert "needs 67 MULT18X18D, and ecp5-25k has 28" in result.stderr
