import pytest

from explore.papers import published
from montgomery import KINDS

FIGURES = [figure for figures in published().values() for figure in figures]
SONG = published()["song_single_dsp"]
#: Sources without a core that is also here.
RIVALS = {"curve_engines", "open_cores", "cryptech_modexpng", "opentitan_otbn"}
#: The real ones, and not those that a test has in their place.
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
