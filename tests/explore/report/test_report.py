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
from explore.report import compose
from explore.report.rates import rsa


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
    assert on_ecp5["area_ratio"] is None
    assert on_xc7["area_ratio"] == 0.5
    assert on_ecp5["cycles_ratio"] == on_xc7["cycles_ratio"] == 2
    assert on_ecp5["time_ratio"] == pytest.approx(0.64 / 0.5)
    assert on_xc7["time_ratio"] is None
    assert on_xc7["device"] == "xc7 (area_only)"


def test_the_interval_is_compared_where_a_paper_counts_it():
    _, ours = table_of([figure(cycles_interval=36, latency_us=1.0)], [row(fmax=100.0)])
    assert ours["cycles"] == 72
    assert ours["cycles_ratio"] == 2
    assert ours["latency_us"] == pytest.approx(0.72)


def test_only_the_fastest_and_the_smallest_of_a_target_stand_beside_a_figure():
    ours = [row(lut=lut, fmax=fmax, params={"word": lut})
            for lut, fmax in ((100, 50.0), (200, 250.0), (300, 200.0))]
    found = table_of([figure(lut=400)], ours)
    assert [each["area"] for each in found] == [400, 200, 100]


def test_slices_of_the_same_family_are_estimated():
    theirs, on_ecp5, on_xc7 = table_of(
        [figure(slices=40)], [row(target="ecp5-85k", lut=300, fmax=100.0),
                              row(target="xc7", status="area_only", lut=200)])
    assert (theirs["area"], theirs["unit"]) == (40, "slices")
    assert on_ecp5["others"] is None
    assert on_xc7["others"] == "50 slices or more (estimate: all full)"
    assert on_xc7["area_ratio"] is None


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


@pytest.mark.parametrize(("kind", "width", "curve", "pipelined"), [
    ("scalar_multiplication", 256, "P-256", False), ("ecdsa_verification", 256, "P-256", True),
    ("key_agreement", 255, "Curve25519", True)])
def test_engines_stand_beside_those_of_others(kind, width, curve, pipelined):
    measured = [row("wide", width, seed=seed, lut=8000, fmax=fmax, params={"curve": curve}) | {
        "kind": kind, "dsp": 32, "cycles_compute": 39_000, "cycles_interval": 40_000,
        "throughput_mbps": width * fmax / 40_000,
        "throughput_pipelined_mbps": width * fmax / 40_000 if pipelined else None}
        for seed, fmax in enumerate((200.0, 180.0, 210.0), 1)]
    document = compose(tidy(measured))
    part, = (part for part in document.first if part.anchor == "p256")
    table, = part.tables
    names = [column.name for column in table.columns]
    found = [dict(zip(names, cells, strict=True)) for cells in table.rows]
    core, = (each for each in found if each["figure"] == "measured")
    assert core["core"] == f"{kind}.wide"
    assert (core["curve"], core["constant_time"]) == (curve, "yes")
    assert core["per_s"] == pytest.approx((5000, 4500, 5250))
    assert core["time_ms"].median == pytest.approx(0.195)
    assert (core["per_s_per_klut"].median, core["per_s_per_dsp"].median) == pytest.approx(
        (625, 156.25))
    others = {each["core"]: each for each in found if each is not core}
    if curve == "P-256":
        assert others["OpenTitan: OTBN"]["curve"] == "P-256"
    else:
        assert others["x25519-fpga"]["constant_time"] == "no"


def test_a_claim_has_the_figures_of_the_measurements(document, measured):
    table = next(part.tables[0] for part in document.papers if part.anchor == "zhang_multi_step")
    points = medians(measured)
    same = points[(points["arch"] == "multi_step") & (points["width"] == 256)
                  & (points["target"] == "ecp5-85k") & (points["status"] == "ok")
                  & (points["param_steps"] == 16)]
    assert same["latency_us"].min() in [row[2] for row in table.rows]


def test_nothing_measured_is_one_line(tmp_path):
    with pytest.raises(ValueError, match="There are no measurements to report on"):
        compose(tidy([]))


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
