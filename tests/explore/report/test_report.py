"""The report: what it says of made-up measurements, and its form in Markdown."""

import re

import pytest
from click.testing import CliRunner
from measurements import row

from explore.cli import cli
from explore.data.frame import medians, tidy
from explore.data.trends import fronts, growth, pareto
from explore.papers import Published, published
from explore.papers._claims import claims
from explore.papers._compare import same_family, tabulate
from explore.report import compose, rates
from explore.report.rates import rsa
from explore.table import Range


def figure(**figures):
    return Published(source="A paper", table="Table 1", core="alpha", kind="multiplier", width=64,
                     device="Xilinx Artix-7", figures=figures)


def table_of(figures, measured):
    table = tabulate("A paper", figures, medians(tidy(measured)))
    names = [column.name for column in table.columns]
    return [dict(zip(names, found, strict=True)) for found in table.rows]


def test_ratios_are_of_what_may_be_compared():
    ours = [row(target="ecp5-85k", lut=300, fmax=100.0),
            row(target="xc7", status="area_only", lut=200)]
    theirs, on_ecp5, on_xc7 = table_of([figure(lut=400, cycles_compute=32, latency_us=0.5)], ours)
    assert theirs["area"] == 400
    assert (on_ecp5["area_ratio"], on_xc7["area_ratio"]) == (None, 0.5)
    assert on_ecp5["cycles_ratio"] == on_xc7["cycles_ratio"] == 2
    assert on_ecp5["time_ratio"] == pytest.approx(0.64 / 0.5)
    assert (on_xc7["time_ratio"], on_xc7["device"]) == (None, "xc7 (area_only)")
    # Slices of the same family are estimated.
    theirs, on_ecp5, on_xc7 = table_of([figure(slices=40)], ours)
    assert (theirs["area"], theirs["unit"]) == (40, "slices")
    assert (on_ecp5["others"], on_xc7["others"], on_xc7["area_ratio"]) == (
        None, "50 slices or more (estimate: all full)", None)
    # The interval is compared where a paper counts it.
    _, ours = table_of([figure(cycles_interval=36, latency_us=1.0)], [row(fmax=100.0)])
    assert (ours["cycles"], ours["cycles_ratio"]) == (72, 2)
    assert ours["latency_us"] == pytest.approx(0.72)


def test_only_the_fastest_and_the_smallest_of_a_target_stand_beside_a_figure():
    ours = [row(lut=lut, fmax=fmax, params={"word": lut})
            for lut, fmax in ((100, 50.0), (200, 250.0), (300, 200.0))]
    found = table_of([figure(lut=400)], ours)
    assert [each["area"] for each in found] == [400, 200, 100]


def test_devices_of_papers_have_a_family():
    assert same_family("Xilinx XC6VLX240T-1, ISE 11.4") == "xc6v"
    assert same_family("0.25 µm CMOS") is None


def test_pareto_by_hand():
    points = medians(tidy([row(lut=lut, fmax=fmax, params={"word": index})
                           for index, (lut, fmax) in enumerate(((10, 100.0), (20, 200.0),
                                                                (30, 150.0), (20, 180.0)))]))
    assert sorted(pareto(points, ("lut", "latency_us"))["lut"]) == [10, 20]
    assert [found[2] for found in fronts(points, 64).rows] == [20, 10]
    assert fronts(points, 512) is None


def test_growth_is_the_exponent():
    measured = [row(width=width, lut=width ** 2) for width in (32, 64, 128)]
    (found,) = growth(medians(tidy(measured))).rows
    assert found[2:4] == [32, 128]
    assert found[4:] == pytest.approx([2, 0, 1, 3])
    assert growth(medians(tidy(measured[:2]))) is None


def operations(measured):
    """Return the rows of the table of RSA as dictionaries."""
    table = rsa(medians(tidy(measured)))
    names = [column.name for column in table.columns]
    return [dict(zip(names, found, strict=True)) for found in table.rows]


def here(measured):
    return [each for each in operations(measured) if not each["figure"].startswith("published")]


def test_times_of_rsa():
    found = {each["kind"]: (each["time_ms"].median, each["figure"]) for each in here(
        [row(width=1024, fmax=100.0), *(row(width=1024, fmax=100.0) | {
            "kind": kind, "cycles_compute": 1_000_000} for kind in ("exponentiator", "hash"))])}
    assert found == {"exponentiator": (pytest.approx(10), "measured"),
                     "multiplier": (pytest.approx(2050 * 1032 / 100_000), "estimate")}


def _cox_rower(kind, width, clocks, fmax):
    made = row("cox_rower", width=width, fmax=fmax, params={"rowers": 11},
               options={"placer_weight": 30}) | {
        "kind": kind, "cycles_compute": clocks, "latency_us": clocks / fmax}
    return made | {"dsp": 88, "bram": 50}


def test_rsa_with_crt_is_told_from_rsa_without():
    measured = [_cox_rower("exponentiator", 1024, 300_000, 60.0),
                _cox_rower("exponentiator", 2048, 2_000_000, 50.0),
                _cox_rower("rsa_crt", 2048, 600_000, 50.0)]
    points, own = medians(tidy(measured)), here(measured)
    assert [(each["bits"], each["kind"], each["time_ms"].median) for each in own] == [
        (1024, "exponentiator", 5.0), (2048, "rsa_crt", 12.0), (2048, "exponentiator", 40.0)]
    figures = [figure for figure in published()["nozaki_cox_rower"] if figure.width == 2048]
    without, ours, with_crt, ours_with_crt = table_of(figures, measured)
    assert (without["latency_us"], with_crt["latency_us"]) == (29200, 8900)
    assert ours["cycles_ratio"] == pytest.approx(2_000_000 / 2_336_000)
    assert ours_with_crt["cycles_ratio"] == pytest.approx(600_000 / 712_000)
    assert [row[1:3] for row in claims("nozaki_cox_rower", points).rows
            if row[0] == "RSA of 2048 bits with CRT, clocks"] == [[712_000, 600_000]]


def _signer(kind, width, fmax, seed=1, **changes):
    made = _cox_rower(kind, width, 999_000, fmax) | {
        "cycles_interval": 1_000_000, "throughput_mbps": width * fmax / 1_000_000,
        "throughput_pipelined_mbps": None, "seed": seed}
    return made | changes


def test_signatures_stand_beside_those_of_others():
    measured = [*(_signer("rsa_crt", 2048, fmax, seed) for seed, fmax in
                  enumerate((130.0, 120.0, 150.0), 1)),
                _signer("exponentiator", 1024, 100.0), _signer("rsa_crt", 512, 100.0),
                _signer("multiplier", 2048, 100.0),
                _signer("rsa_crt", 4096, 100.0, status="timeout")]
    found = operations(measured)
    assert [(each["bits"], each["kind"], each["per_s"]) for each in here(measured)
            if each["kind"] != "multiplier"] == [
        (1024, "exponentiator", pytest.approx((100, 100, 100))),
        (2048, "rsa_crt", pytest.approx((130, 120, 150)))]
    # 149 signatures, 130, and 116, in this order by their times.
    names = [each["core"] for each in found if each["bits"] == 2048]
    places = [names.index(name) for name in (
        "Cryptech: modexpng, 32 multipliers", "rsa_crt.cox_rower", "Cryptech: board with modexpng")]
    assert places == sorted(places)
    assert "OpenTitan: OTBN" in names


def test_no_signer_no_table():
    assert "rsa" not in {part.anchor for part in compose(tidy([row()])).first}


def test_a_claim_has_the_figures_of_the_measurements(document, measured):
    table = next(part.tables[0] for part in document.papers if part.anchor == "zhang_multi_step")
    points = medians(measured)
    same = points[(points["arch"] == "multi_step") & (points["width"] == 256)
                  & (points["target"] == "ecp5-85k") & (points["status"] == "ok")
                  & (points["param_steps"] == 16)]
    assert same["latency_us"].min() in [row[2] for row in table.rows]


def test_markdown(tmp_path, saved_registry):
    result = CliRunner().invoke(cli, ["report", "--from", str(saved_registry), "--format",
                                      "markdown", "--output", str(tmp_path)])
    assert result.exit_code == 0, result.stderr
    text = (tmp_path / "report.md").read_text()
    for picture in re.findall(r"\]\((.*?\.svg)\)", text):
        assert (tmp_path / picture).is_file()
    assert "| Table 1: multi_step" in text
    assert text.index("## What to choose") < text.index("## RSA") < text.index("## All points of ")


def test_names_are_no_html_in_markdown(hostile_report):
    text = (hostile_report / "report.md").read_text()
    assert "PWNED" in text
    assert not re.search(r"<(script|img|/script)", text)
    assert r"a\|b\`c\`" in text
    for table in re.findall(r"(?m)(?:^\|.*\n)+", text):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


def timed(width=256, **changes):
    made = {**row(width=width, fmax=100.0), "cycles_compute": 16, "cycles_interval": 100, **changes}
    clocks = changes.get("cycles_initiation", made["cycles_interval"])
    return made | {"throughput_pipelined_mbps": made["width"] * made["fmax_usable_mhz"] / clocks}


def of_curves(*rows, **options):
    """Return the cells of each row of the table, by the names of the columns."""
    found = rates.curves(medians(tidy(rows)), **options)
    names = [column.name for column in found.columns]
    return [dict(zip(names, cells, strict=True)) for cells in found.rows]


def on_ecp5(*rows, **options):
    """Return those that were measured here, on one target."""
    return [cells for cells in of_curves(*rows, **options) if cells["target"] == "ecp5-85k"]


def test_the_figure_of_the_paper():
    # 0.76 ms for 16 clocks at 76.8 MHz: some 3,650 multiplications.
    *others, core = sorted(of_curves(timed(fmax_usable_mhz=76.8)),
                           key=lambda cells: cells["target"] == "ecp5-85k")
    paper, = (cells for cells in others if "Zhang" in cells["core"])
    assert core["time_ms"].median == pytest.approx(paper["time_ms"], rel=0.06)


def test_only_measured_multipliers_of_256_bits_have_a_time():
    found = on_ecp5(timed(seed=1), timed(seed=2), timed(width=64),
                 timed(arch="beta", status="timeout"),
                 timed(arch="gamma", kind="exponentiator"), timed(width=512))
    assert [(cells["core"], cells["curve"]) for cells in found] == [("alpha", "P-256")]


def test_cores_for_scalar_multiplication_need_no_estimate():
    engine, other = (timed(kind="scalar_multiplication", params={"curve": curve},
                              cycles_compute=30_000, cycles_interval=30_400,
                              cycles_initiation=30_400)
                     for curve in ("P-256", "secp256k1"))
    found, estimate, koblitz = on_ecp5(engine, other, timed(lut=2000))
    assert found["per_s_per_dsp"] is None
    assert (estimate["figure"], found["figure"]) == ("estimate", "measured")
    assert (estimate["core"], found["core"]) == ("alpha", "scalar_multiplication.alpha curve=P-256")
    assert (found["curve"], estimate["curve"], koblitz["curve"]) == ("P-256", "P-256", "secp256k1")
    assert found["time_ms"] == Range(*[pytest.approx(0.3)] * 3)
    assert found["per_s"].median == pytest.approx(100e6 / 30_400)
    assert estimate["per_s"].median == pytest.approx(100e6 / (3827 * 100))
    assert estimate["per_s_per_klut"].median == pytest.approx(100e6 / (3827 * 100) / 2)
    alone, = on_ecp5(engine)
    assert alone == {**found, "core": alone["core"]}


@pytest.mark.parametrize(("kind", "width", "curve"), [
    ("key_agreement", 255, "Curve25519"), ("key_agreement", 448, "Curve448"),
    ("scalar_multiplication", 256, "P-256"), ("scalar_multiplication", 521, "P-521")])
def test_a_curve_without_a_name_is_that_of_the_width(kind, width, curve):
    found, = on_ecp5(timed(kind=kind, width=width, params={"curve": ""}))
    assert found["curve"] == curve


@pytest.mark.parametrize("kind", ["ecdsa_verification", "key_agreement"])
def test_operations_do_not_wait_for_each_other(kind):
    engine = timed(kind=kind, params={"curve": "P-256"}, cycles_compute=60_000,
                      cycles_interval=60_400, cycles_initiation=40_000)
    found, = on_ecp5(engine)
    assert found["core"].startswith(f"{kind}.alpha")
    assert found["time_ms"].median == pytest.approx(0.6)
    assert found["per_s"].median == pytest.approx(2500)


def test_the_fastest_is_first_and_published_times_stand_beside():
    found = of_curves(*(
        timed(seed=seed, fmax_usable_mhz=mhz, cycles_compute=clocks, arch=arch)
        for arch, clocks in (("slow", 40), ("fast", 20))
        for seed, mhz in ((1, 100.0), (2, 80.0), (3, 125.0))))
    fast, slow = (cells for cells in found if cells["target"] == "ecp5-85k")
    others = [cells for cells in found if cells["figure"].startswith("published")]
    assert (fast["core"], slow["core"], fast["constant_time"]) == ("fast", "slow", "yes")
    assert "OpenTitan: OTBN" in {cells["core"] for cells in others}
    assert {0.76, 6.70089, 0.139} <= {cells["time_ms"] for cells in others}
    assert {cells["curve"] for cells in (fast, slow, *others)} == {"P-256"}
    assert fast["time_ms"] == Range(*(pytest.approx(3827 * us / 1000)
                                         for us in (0.2, 0.16, 0.25)))
    assert fast["per_s"] == Range(*(pytest.approx(mhz * 1e6 / (3827 * 100))
                                    for mhz in (100.0, 80.0, 125.0)))
    caption = rates.curves(medians(tidy([timed()]))).caption
    assert "3827 multiplications (3533 with a window of 4 bits)" in caption


def test_a_device_of_the_same_cells_answers_if_there_is_room():
    engine = timed(kind="scalar_multiplication", params={"curve": "P-256"}, dsp=65, bram=10)
    found = [cells["target"] for cells in of_curves(engine, timed(target="ecp5-45k"),
                                                targets=["ecp5-45k", "ecp5-25k"])]
    assert sorted(name for name in found if "ecp5" in name) == [
        "ecp5-25k, as measured on ecp5-45k", "ecp5-45k", "ecp5-45k, as measured on ecp5-85k"]
    with pytest.raises(ValueError, match="on ecp5-85k-8"):
        of_curves(engine, targets=["ecp5-85k-8"])


@pytest.mark.parametrize(("widths", "curves", "others"), [
    ((), {"Curve25519", "Curve448", "P-256"}, True), ((256,), {"Curve25519", "P-256"}, True),
    ((255,), {"Curve25519"}, True), ((448,), {"Curve448"}, False)])
def test_256_bits_include_those_of_curve25519(widths, curves, others):
    rows = [timed(width, kind=kind, params={"curve": curve}) for width, kind, curve in (
        (255, "key_agreement", "Curve25519"), (448, "key_agreement", "Curve448"),
        (256, "scalar_multiplication", "P-256"))]
    found = of_curves(*rows, widths=widths)
    assert {cells["curve"] for cells in found} == curves
    assert {cells["constant_time"] for cells in found if cells["core"] == "x25519-fpga"} == (
        {"no"} if "Curve25519" in curves else set())
    caption = rates.curves(medians(tidy(rows)), widths=widths).caption
    assert ("as published" in caption) == others
    assert ("X25519" in caption) == ("Curve25519" in curves or "Curve448" in curves)
    assert "estimate" not in caption


def test_table_of_nothing():
    with pytest.raises(ValueError, match=r"^P-256 needs .* but none of 2 points "):
        rates.curves(medians(tidy([timed(width=64), timed(status="no_fit")])))
