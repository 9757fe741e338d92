import dataclasses

import pytest
from measurements import row

from explore.data.frame import medians, tidy
from explore.ecc.curve import count
from explore.ecc.times import ScalarTime, scalar_time, scalar_times, tabulate
from explore.table import Range


def measured(width=256, **changes):
    return {**row(width=width, fmax=100.0), "cycles_compute": 16, "cycles_interval": 100, **changes}


def test_time_of_a_row():
    time = scalar_time(measured())
    number = count()
    assert time.multiplications == number
    assert time.compute_ms == pytest.approx(number * 16 / 100e3)
    assert time.interval_ms == pytest.approx(number * 100 / 100e3)
    assert scalar_time(measured(), method="window").multiplications == count(method="window")
    assert scalar_time(measured(), scalar=3).multiplications == count(3) < number / 5


def test_the_figure_of_the_paper():
    # 0.76 ms for 16 clocks at 76.8 MHz: some 3,650 multiplications.
    time = scalar_time(measured(fmax_usable_mhz=76.8))
    assert time.compute_ms == pytest.approx(0.76, rel=0.06)


@pytest.mark.parametrize(("changes", "message"), [
    ({"width": 255}, "needs a multiplier of 256 bits or more, not alpha of 255 bits"),
    ({"status": "no_fit"}, "is multiplier with status no_fit"),
    ({"kind": "exponentiator"}, "is exponentiator with status ok")])
def test_rows_without_a_time(changes, message):
    with pytest.raises(ValueError, match=message):
        scalar_time(measured(**changes))


def test_times_of_a_table():
    rows = medians(tidy([measured(seed=1), measured(seed=2), measured(width=64),
                         measured(arch="beta", status="timeout")]))
    times = scalar_times(rows)
    assert times["arch"].tolist() == ["alpha"]
    assert {field.name for field in dataclasses.fields(ScalarTime)} <= set(times)
    assert times["compute_ms"].iloc[0] == scalar_time(measured()).compute_ms
    assert scalar_times(rows[rows["width"] < 256]).empty


def test_table_has_the_paper_last_and_the_fastest_first():
    times = tabulate(tidy([measured(seed=seed, fmax_usable_mhz=mhz, cycles_compute=clocks,
                                    arch=arch)
                           for arch, clocks in (("slow", 40), ("fast", 20))
                           for seed, mhz in ((1, 100.0), (2, 80.0), (3, 125.0))]))
    names = [column.name for column in times.columns]
    fast, slow, paper = (dict(zip(names, cells, strict=True)) for cells in times.rows)
    assert (fast["core"], slow["core"], paper["compute_ms"]) == ("fast", "slow", 0.76)
    assert [cells["width"] for cells in (fast, slow, paper)] == [256] * 3
    assert fast["latency_us"] == Range(0.2, 0.16, 0.25)
    assert fast["compute_ms"] == Range(*(pytest.approx(count() * us / 1000)
                                         for us in (0.2, 0.16, 0.25)))
    assert slow["interval_ms"].median == pytest.approx(count() * 100 / 100e3)
    assert f"{count()} multiplications" in times.caption
    window = tabulate(tidy([measured()]), method="window")
    assert f"{count(method='window')} multiplications" in window.caption


def test_table_of_nothing():
    with pytest.raises(ValueError, match=r"^P-256 needs .* 256 bits or more, but none of 2 rows "):
        tabulate(tidy([measured(width=64), measured(status="no_fit")]))
    with pytest.raises(ValueError, match=r"^Unknown method 'windw'"):
        tabulate(tidy([measured()]), method="windw")
