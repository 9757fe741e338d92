import pytest
from measurements import row

from explore.data.frame import medians, tidy
from explore.report import rates
from explore.table import Range


def measured(width=256, **changes):
    made = {**row(width=width, fmax=100.0), "cycles_compute": 16, "cycles_interval": 100, **changes}
    clocks = changes.get("cycles_initiation", made["cycles_interval"])
    return made | {"throughput_pipelined_mbps": made["width"] * made["fmax_usable_mhz"] / clocks}


def times(*rows, **options):
    """Return the cells of each row of the table, by the names of the columns."""
    found = rates.curves(medians(tidy(rows)), **options)
    names = [column.name for column in found.columns]
    return [dict(zip(names, cells, strict=True)) for cells in found.rows]


def here(*rows, **options):
    """Return those that were measured here, on one target."""
    return [cells for cells in times(*rows, **options) if cells["target"] == "ecp5-85k"]


def test_the_figure_of_the_paper():
    # 0.76 ms for 16 clocks at 76.8 MHz: some 3,650 multiplications.
    *others, core = sorted(times(measured(fmax_usable_mhz=76.8)),
                           key=lambda cells: cells["target"] == "ecp5-85k")
    paper, = (cells for cells in others if "Zhang" in cells["core"])
    assert core["time_ms"].median == pytest.approx(paper["time_ms"], rel=0.06)


def test_only_measured_multipliers_of_256_bits_have_a_time():
    found = here(measured(seed=1), measured(seed=2), measured(width=64),
                 measured(arch="beta", status="timeout"),
                 measured(arch="gamma", kind="exponentiator"), measured(width=512))
    assert [(cells["core"], cells["curve"]) for cells in found] == [("alpha", "P-256")]


def test_cores_for_scalar_multiplication_need_no_estimate():
    engine, other = (measured(kind="scalar_multiplication", params={"curve": curve},
                              cycles_compute=30_000, cycles_interval=30_400,
                              cycles_initiation=30_400)
                     for curve in ("P-256", "secp256k1"))
    found, estimate, koblitz = here(engine, other, measured(lut=2000))
    assert found["per_s_per_dsp"] is None
    assert (estimate["figure"], found["figure"]) == ("estimate", "measured")
    assert (estimate["core"], found["core"]) == ("alpha", "scalar_multiplication.alpha curve=P-256")
    assert (found["curve"], estimate["curve"], koblitz["curve"]) == ("P-256", "P-256", "secp256k1")
    assert found["time_ms"] == Range(*[pytest.approx(0.3)] * 3)
    assert found["per_s"].median == pytest.approx(100e6 / 30_400)
    assert estimate["per_s"].median == pytest.approx(100e6 / (3827 * 100))
    assert estimate["per_s_per_klut"].median == pytest.approx(100e6 / (3827 * 100) / 2)
    alone, = here(engine)
    assert alone == {**found, "core": alone["core"]}


@pytest.mark.parametrize(("kind", "width", "curve"), [
    ("key_agreement", 255, "Curve25519"), ("key_agreement", 448, "Curve448"),
    ("scalar_multiplication", 256, "P-256"), ("scalar_multiplication", 521, "P-521")])
def test_a_curve_without_a_name_is_that_of_the_width(kind, width, curve):
    found, = here(measured(kind=kind, width=width, params={"curve": ""}))
    assert found["curve"] == curve


@pytest.mark.parametrize("kind", ["ecdsa_verification", "key_agreement"])
def test_operations_do_not_wait_for_each_other(kind):
    engine = measured(kind=kind, params={"curve": "P-256"}, cycles_compute=60_000,
                      cycles_interval=60_400, cycles_initiation=40_000)
    found, = here(engine)
    assert found["core"].startswith(f"{kind}.alpha")
    assert found["time_ms"].median == pytest.approx(0.6)
    assert found["per_s"].median == pytest.approx(2500)


def test_the_fastest_is_first_and_published_times_stand_beside():
    found = times(*(
        measured(seed=seed, fmax_usable_mhz=mhz, cycles_compute=clocks, arch=arch)
        for arch, clocks in (("slow", 40), ("fast", 20))
        for seed, mhz in ((1, 100.0), (2, 80.0), (3, 125.0))))
    fast, slow = (cells for cells in found if cells["target"] == "ecp5-85k")
    others = [cells for cells in found if cells["figure"].startswith("published")]
    assert (fast["core"], slow["core"]) == ("fast", "slow")
    assert {0.76, 6.70089, 0.139} <= {cells["time_ms"] for cells in others}
    assert {cells["curve"] for cells in (fast, slow, *others)} == {"P-256"}
    assert fast["time_ms"] == Range(*(pytest.approx(3827 * us / 1000)
                                         for us in (0.2, 0.16, 0.25)))
    assert fast["per_s"] == Range(*(pytest.approx(mhz * 1e6 / (3827 * 100))
                                    for mhz in (100.0, 80.0, 125.0)))
    caption = rates.curves(medians(tidy([measured()]))).caption
    assert "3827 multiplications (3533 with a window of 4 bits)" in caption


def test_a_device_of_the_same_cells_answers_if_there_is_room():
    engine = measured(kind="scalar_multiplication", params={"curve": "P-256"}, dsp=65, bram=10)
    found = [cells["target"] for cells in times(engine, measured(target="ecp5-45k"),
                                                targets=["ecp5-45k", "ecp5-25k"])]
    assert sorted(name for name in found if "ecp5" in name) == [
        "ecp5-25k, as measured on ecp5-45k", "ecp5-45k", "ecp5-45k, as measured on ecp5-85k"]
    with pytest.raises(ValueError, match="on ecp5-85k-8"):
        times(engine, targets=["ecp5-85k-8"])


@pytest.mark.parametrize(("widths", "curves", "others"), [
    ((), {"Curve25519", "Curve448", "P-256"}, True), ((256,), {"Curve25519", "P-256"}, True),
    ((255,), {"Curve25519"}, True), ((448,), {"Curve448"}, False)])
def test_256_bits_include_those_of_curve25519(widths, curves, others):
    rows = [measured(width, kind=kind, params={"curve": curve}) for width, kind, curve in (
        (255, "key_agreement", "Curve25519"), (448, "key_agreement", "Curve448"),
        (256, "scalar_multiplication", "P-256"))]
    assert {cells["curve"] for cells in times(*rows, widths=widths)} == curves
    caption = rates.curves(medians(tidy(rows)), widths=widths).caption
    assert ("as published" in caption) == others
    assert ("X25519" in caption) == ("Curve25519" in curves or "Curve448" in curves)
    assert "estimate" not in caption


def test_table_of_nothing():
    with pytest.raises(ValueError, match=r"^P-256 needs .* but none of 2 points "):
        rates.curves(medians(tidy([measured(width=64), measured(status="no_fit")])))
