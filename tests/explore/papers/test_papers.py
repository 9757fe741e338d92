"""Published figures, and claims of papers, which are judged by what is measured."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from measurements import row

from explore.cli import cli
from explore.data.frame import load, medians, tidy
from explore.papers import published
from explore.papers._claims import claims
from explore.papers._compare import same_family
from explore.points.spec import SweepSpec
from montgomery import KINDS

pytestmark = pytest.mark.real_cores

FIGURES = [figure for figures in published().values() for figure in figures]
SONG = published()["song_single_dsp"]
#: Sources without a core that is also here.
RIVALS = {"curve_engines", "open_cores", "cryptech_modexpng", "opentitan_otbn"}
NAMES = {name for kind in KINDS.values() for name in kind.cores()}


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: f"{figure.table} {figure.width}")
def test_every_figure_can_be_traced(figure):
    assert figure.source
    assert figure.table
    assert figure.device
    assert figure.kind in KINDS
    assert bool(figure.curve) == (figure.kind == "scalar_multiplication")
    assert figure.figures
    assert all(value >= 0 for value in figure.figures.values())
    clocks, time, rate = (figure.figures.get(name)
                          for name in ("cycles_compute", "latency_us", "throughput_mbps"))
    if clocks and time:
        # In milliseconds two digits are given, in microseconds sometimes one.
        digits = 6 if figure.table == "Table III" else 0.05
        assert clocks / figure.figures["fmax_mhz"] == pytest.approx(time, rel=5e-3, abs=digits)
    if clocks and rate:
        assert figure.width * figure.figures["fmax_mhz"] / clocks == pytest.approx(rate, rel=2e-3)


@pytest.mark.parametrize("source", sorted(set(published()) - RIVALS))
def test_each_paper_has_figures_of_its_own_cores(source):
    assert NAMES.intersection(figure.core for figure in published()[source])


def test_areas_of_morales_are_those_of_the_formula():
    for figure in published()["morales_dsp_systolic"]:
        if figure.core == "dsp_systolic" and figure.kind == "multiplier":
            n = figure.width // 16
            assert (figure.figures["dsp"], figure.figures["cycles_interval"]) == (n + 2, 3 * n + 2)


def test_throughput_of_table_vii_is_computed_from_the_times_of_table_iii():
    seconds = {figure.width: figure.figures["latency_us"] / 1e6 for figure in SONG
               if figure.table == "Table III"}
    for figure in SONG:
        if figure.table == "Table VII":
            rate = figure.figures["processors"] * figure.width / seconds[figure.width]
            assert rate / 2**20 == pytest.approx(figure.figures["throughput_mibps"], rel=1e-3)


def test_clocks_of_table_iii():
    for figure in SONG:
        if figure.table == "Table III":
            d = -(-(figure.width + 3) // 17)
            assert figure.figures["cycles_compute"] == (2 * d * d + 8 * d + 9) * 2 * figure.width


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


@pytest.fixture(scope="module")
def measured():
    return {(point.kind, point.arch, point.target, width)
            for point in SweepSpec.from_toml(RESULTS / "sweep.toml").points()
            for width in (dict(point.params)["width"], None)}


@pytest.mark.parametrize("source", published())
def test_the_papers_points_are_measured_on_their_own_family_and_placed(source, measured):
    for figure in published()[source]:
        if figure.is_here:
            for target in {same_family(figure.device), "ecp5-85k"} - {None}:
                assert (figure.kind, figure.core, target, figure.width) in measured
