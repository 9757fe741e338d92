"""Claims of papers are judged by what is measured, and say what they lack."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from measurements import row

from explore.cli import cli
from explore.data.frame import load, medians, tidy
from explore.papers._claims import claim

RESULTS = Path(__file__).parents[3] / "results"
SOURCES = ("satzoda_mmm_mx", "zhang_multi_step", "song_single_dsp", "morales_dsp_systolic",
           "nozaki_cox_rower")


@pytest.fixture(autouse=True)
def registry():
    """The real one, in place of toys."""


def said(source, *rows):
    return claim(source, medians(tidy(rows)))


def sweeps(text):
    return re.findall(r"\((montgomery sweep [^)]*)\)", text)


def made(arch, width, kind="multiplier", target="ecp5-85k", fmax=200.0, **params):
    return row(arch, width, target, fmax=fmax, params=params) | {"kind": kind}


SATZODA = (made("mmm_mx_1d", 1024, arrangement="folded"),
           made("mmm_mx_1d", 1024, arrangement="row"), made("mmm_op_1d", 1024))


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_lacking_is_named_with_commands_that_work(source):
    text = claim(source, medians(tidy([])))
    assert sweeps(text)
    for command in sweeps(text):
        # A small core takes less to plan.
        words = [*shlex.split(re.sub(r"-n \d+", "-n 64", command))[1:], "--dry-run"]
        assert CliRunner().invoke(cli, words).exit_code == 0


@pytest.mark.parametrize("index", range(3))
def test_each_missing_point_is_lacking(index):
    left = [each for number, each in enumerate(SATZODA) if number != index]
    command, = sweeps(said("satzoda_mmm_mx", *left))
    params = SATZODA[index]["params"]
    assert command == " ".join([
        "montgomery sweep -a", SATZODA[index]["arch"], "-n 1024",
        *(f"-p {name}={value}" for name, value in params.items()), "-t ecp5-85k"])


def test_nothing_is_lacking_where_all_is_measured():
    text = said("satzoda_mmm_mx", *SATZODA)
    assert sweeps(text) == []
    assert "1.00 times as high" in text


def test_a_smaller_width_tells_something():
    text = said("satzoda_mmm_mx", made("mmm_mx_1d", 256, fmax=240.0, arrangement="folded"),
                made("mmm_op_1d", 256, fmax=120.0), SATZODA[0])
    assert "2.00 times as high" in text
    assert "256 bits" in text
    assert len(sweeps(text)) == 2


def test_points_of_another_target_do_not_count():
    others = [each | {"target": "ice40-hx8k"} for each in SATZODA]
    text = said("satzoda_mmm_mx", *others)
    assert text.startswith("The claim cannot be judged on ecp5-85k yet")
    assert len(sweeps(text)) == 3


@pytest.mark.parametrize("source", SOURCES)
def test_the_committed_measurements_are_judged(source):
    assert not claim(source, medians(load(RESULTS))).startswith("The claim cannot")
