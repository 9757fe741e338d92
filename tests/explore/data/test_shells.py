"""What registers on a bus take is what rows of today's registers say."""

import importlib.util
import json
import statistics
from pathlib import Path

import pytest
from cxxrtl import seeded

from explore.data.frame import rows_of
from explore.data.rows import DATASET
from explore.data.shells import SHELLS, Shell, _core, blocks, measured_shells
from explore.devices import target
from explore.netlist.harness import core_rtlil
from explore.store.artefacts import digest
from montgomery.technology import GENERIC

pytestmark = pytest.mark.real_cores

FILES = [SHELLS / "rows.jsonl", SHELLS / "clock" / "rows.jsonl"]
AREAS, PLACED = ([json.loads(line) for line in file.read_text().splitlines()] for file in FILES)
ROWS = [*AREAS, *(row for row in PLACED if row["seed"] == 1)]


def shell_of(row):
    return Shell(**{name: row["params"][name] for name in ("bus", "own_clock", "clear")})


def alone(row, rows):
    """Return the rows of the same core on no bus."""
    return [each for each in rows if each["params"]["bus"] == "none" and all(
        each[name] == row[name] for name in ("target", "width", "options"))
        and each["params"]["core"] == row["params"]["core"]]


@pytest.fixture(scope="module")
def on_bus():
    """Return the class of the designs that were measured."""
    # What makes them is beside the rows in a checkout, and no part of the program.
    path = Path(__file__).parents[3] / "results" / "shells" / "on_bus.py"
    spec = importlib.util.spec_from_file_location("montgomery.on_bus", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Parameters


@pytest.mark.parametrize("rows", [AREAS, PLACED], ids=["area", "clock"])
def test_rows_are_of_the_registers_of_today(on_bus, rows, request):
    designs = {row["design"]: row for row in rows}
    for row in seeded(request).sample([*designs.values()], 3):
        core = on_bus(width=row["width"], **row["params"])
        assert digest(core_rtlil(core.create(), GENERIC).text) == row["design"], row["params"]


def test_blocks_are_those_that_were_measured_and_luts_are_few():
    behind = [row for row in ROWS if row["params"]["bus"] != "none"]
    for row in behind:
        core, (before,) = _core(row), alone(row, ROWS)
        registers = shell_of(row).registers(core)
        family = target(row["target"]).family.name
        assert row["bram"] - before["bram"] == blocks(registers, family), row["params"]
        if family == "ecp5" and core.word_width <= 32 and not row["params"]["clear"]:
            assert row["lut"] - before["lut"] <= 250


def test_an_area_is_a_range_of_what_was_measured():
    row = next(row for row in ROWS if row["params"]["bus"] == "axi-lite")
    area = shell_of(row).area(_core(row), target(row["target"]))
    low, high = area["lut"].low, area["lut"].high
    assert low <= row["lut"] - alone(row, ROWS)[0]["lut"] <= high
    assert low <= area["lut"].value <= high
    assert area["bram"].low == area["bram"].high
    # Nothing is said of what nobody measured.
    assert Shell(bus="axi-lite").area(_core(row), target("xc7")) is None
    assert {shell.bus for _, shell, _ in measured_shells()} == {"axi-lite", "wishbone", "apb"}


def test_a_core_behind_registers_is_nearly_as_fast_as_alone():
    for core in {row["params"]["core"] for row in PLACED}:
        clocks = {}
        for row in PLACED:
            if row["params"]["core"] == core:
                clocks.setdefault((row["params"]["bus"], row["params"]["own_clock"]), []).append(
                    row["fmax_usable_mhz"])
        assert clocks.keys() >= {("none", False), ("axi-lite", False)}
        assert {len(seeds) for seeds in clocks.values()} == {3}
        before = statistics.median(clocks["none", False])
        assert all(statistics.median(seeds) >= 0.8 * before for seeds in clocks.values())


def test_rows_of_registers_are_no_rows_of_cores():
    rows, _ = rows_of(DATASET)
    assert not any(row["arch"] == "on_bus" for row in rows)
