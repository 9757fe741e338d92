import pytest

from explore.papers import published

FIGURES = [figure for figures in published().values() for figure in figures]
SONG = published()["song_single_dsp"]


def test_sources():
    assert {"open_cores", "song_single_dsp"} <= set(published())


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: f"{figure.table} {figure.width}")
def test_every_figure_can_be_traced(figure):
    assert figure.source
    assert figure.table
    assert figure.device
    assert figure.kind in ("multiplier", "exponentiator")
    assert figure.figures
    assert all(value >= 0 for value in figure.figures.values())
    clocks, time = (figure.figures.get(name) for name in ("cycles_compute", "latency_us"))
    if clocks:
        # Two digits of a millisecond are given.
        assert clocks / figure.figures["fmax_mhz"] == pytest.approx(time, rel=5e-3, abs=6)


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
