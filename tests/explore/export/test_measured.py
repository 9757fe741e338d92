"""What an exported document says of measurements is what rows say."""

import json
import statistics

import pytest
from exports import point

from explore.data.rows import DATASET
from explore.export import measured as module
from explore.export.measured import measured
from montgomery.bus import BUSES, RegisterMap

pytestmark = pytest.mark.real_cores

ROWS = [json.loads(line) for line in DATASET.read_text().splitlines()]

TWO_ROWS = {"dsp_placement": "two_rows"}


def rows_of(arch, width, target, **params):
    like = point(arch, width, target, **params)
    return [row for row in ROWS if row["status"] == "ok" and module._like(row, like)
            and row["target"] == target]


@pytest.mark.parametrize(("arch", "width", "params", "chosen", "options"), [
    ("wide", 256, {}, "ecp5-85k", TWO_ROWS),
    ("wide", 256, {}, "ecp5-45k", TWO_ROWS),
    ("single_dsp", 256, {"word_width": 8}, "ecp5-25k", {}),
    ("rsa_crt.dsp_systolic", 2048, {"arrays": 2}, "ecp5-85k",
     {"dsp_placement": "rows", "placer": "static"}),
    ("key_agreement.wide", 255, {}, "ecp5-45k", TWO_ROWS)])
def test_it_is_the_median_of_the_rows_on_a_device_with_the_same_blocks(
        arch, width, params, chosen, options):
    rows = [row for row in rows_of(arch, width, "ecp5-85k", **params)
            if options.items() <= row["options"].items()]
    assert rows
    device = " -o ".join(["ecp5-85k", *map("=".join, options.items())])
    line, = (line for line in measured(point(arch, width, chosen, **params), generic=False)
             if line.startswith(f"{device}: "))
    middle = {name: statistics.median(row[name] for row in rows)
              for name in ("lut", "ff", "dsp", "fmax_usable_mhz")}
    assert line.startswith(
        f"{device}: {middle['lut']:,.0f} LUT4, {middle['ff']:,.0f} registers, "
        f"{middle['dsp']:,.0f} DSP, ")
    assert f", {middle['fmax_usable_mhz']:.0f} MHz, " in line
    assert ("one seed" if len(rows) == 1 else f"median of {len(rows)} seeds") in line


def test_a_core_without_blocks_is_the_same_everywhere_and_others_are_not():
    lines = measured(point("mmm_mx_1d", 256, "ecp5-25k"), generic=True)
    assert {line.partition(":")[0] for line in lines} >= {"ecp5-85k", "ice40-hx8k"}
    assert not measured(point("wide", 256, "ecp5-85k"), generic=True)
    assert not measured(point("wide", 256, "xc7"), generic=False)
    assert not measured(point("mmm_mx_1d", 255, "ecp5-25k"), generic=True)


def test_a_row_of_an_earlier_core_is_marked(tmp_path, monkeypatch):
    rows = rows_of("mmm_mx_1d", 256, "ecp5-85k")
    for row in rows:
        row = row | {"versions": row["versions"] | {"core": "0" * 12}}
        monkeypatch.setattr(module, "_rows", lambda row=row: [row])
        line, = measured(point("mmm_mx_1d", 256, "ecp5-85k"), generic=True)
        assert "†" in line


def test_an_export_on_a_bus_says_what_registers_take_and_how_long_an_operation_takes(
        run, tmp_path):
    result = run("export", "-a", "single_dsp", "-n", "256", "-p", "word_width=17", "-t",
                 "ecp5-85k", "--bus", "apb", "--vectors", "0", "--output", str(tmp_path / "core"))
    assert result.exit_code == 0, result.stderr
    lines = [line for line in result.stderr.splitlines() if "measured on ecp5-85k:" in line]
    core = point("single_dsp", 256, "ecp5-85k", word_width=17)
    registers = RegisterMap(core.parameters())
    of_bus, of_core = BUSES["apb"].clocks(registers)
    assert lines
    for line in lines:
        assert "LUT and 3 BRAM beside these are the registers on APB4" in line
        assert f"{of_bus} clocks of the bus at 225 MHz, and {of_core} of the core" in line
        assert " of 83,640 LUT (" in line
    text = (tmp_path / "core" / "single_dsp_256.md").read_text()
    assert all(line.removeprefix("measured on ") in text for line in lines)
    assert f"{of_bus} clocks of the bus and {of_core:,} of the core" in text
