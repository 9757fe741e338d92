"""Claims of papers are judged by what is measured, and say what they lack."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from measurements import row

from explore.cli import cli
from explore.data.frame import load, medians, tidy
from explore.papers._claims import claims

pytestmark = pytest.mark.real_cores

RESULTS = Path(__file__).parents[3] / "results"
SOURCES = ("satzoda_mmm_mx", "zhang_multi_step", "song_single_dsp", "morales_dsp_systolic",
           "nozaki_cox_rower")


def judged(source, *rows):
    """Return the rows of the table of claims as dictionaries; empty if there is no table."""
    table = claims(source, medians(tidy(rows)))
    return [] if table is None else [
        dict(zip([column.name for column in table.columns], row, strict=True))
        for row in table.rows]


def made(arch, width, kind="multiplier", target="ecp5-85k", fmax=200.0, **params):
    return row(arch, width, target, fmax=fmax, params=params) | {"kind": kind}


MINE = made("mmm_mx_1d", 1024, arrangement="row")
RIVAL = made("mmm_op_1d", 1024)


def test_a_claim_has_both_figures_and_a_verdict():
    slow = made("mmm_op_1d", 1024, fmax=200 / 3)
    for rival, ours, verdict in ((RIVAL, 1.0, "no"), (slow, 3.0, "yes")):
        clock = judged("satzoda_mmm_mx", MINE, rival)[0]
        assert clock["theirs"] == pytest.approx(2.9964, rel=1e-3)
        assert (clock["ours"], clock["verdict"]) == (pytest.approx(ours), verdict)


@pytest.mark.parametrize("points", [[], [MINE], [RIVAL], [MINE | {"target": "ice40-hx8k"}, RIVAL]])
def test_without_all_points_there_is_no_verdict(points):
    assert judged("satzoda_mmm_mx", *points) == []


def test_what_is_lacking_is_named_with_a_command_that_works():
    found = judged("satzoda_mmm_mx", MINE, RIVAL)
    lacking = [row for row in found if row["ours"] is None]
    assert lacking
    for claim in lacking:
        assert claim["verdict"] == "not measured yet"
        for command in claim["remark"].split("; "):
            # A small core takes less to plan.
            words = [*shlex.split(re.sub(r"-n \d+", "-n 64", command))[1:], "--dry-run"]
            assert CliRunner().invoke(cli, words).exit_code == 0


@pytest.mark.parametrize("source", SOURCES)
def test_the_committed_measurements_are_judged(source):
    assert claims(source, medians(load(RESULTS))) is not None
