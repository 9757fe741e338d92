"""The flow with the real tools, on cores that take seconds."""

import json
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest
import toy
from compiled_cores import netlist

from explore.devices import target, targets
from explore.netlist.harness import core_rtlil
from explore.pipeline.run import run
from explore.points.expand import expand
from explore.store import Store
from explore.tools.find import find

pytestmark = pytest.mark.thorough


@pytest.fixture
def store(shared_folder):
    """Return a store in which all of these tests find what they verified."""
    with Store(shared_folder / "store-of-the-real-flow") as opened:
        yield opened


def test_a_constraint_is_given_to_nextpnr(store, fakes):
    points = expand(["toy"], [6], {}, ["ice40-hx8k"], {"constraint_mhz": [0, 25, 400]})
    usual, low, high = run(dict.fromkeys(points, 1), store=store, jobs=1)
    for row, mhz in ((usual, "275"), (low, "25"), (high, "400")):
        arguments = row["arguments"]["nextpnr-ice40"]
        assert arguments[arguments.index("--freq") + 1] == mhz
        assert (row["status"], row["constraint_mhz"]) == ("ok", float(mhz))
    assert ("constraint_mhz" in usual["options"], low["options"]["constraint_mhz"]) == (False, 25)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["ice40-hx8k", "gowin-gw1nr-9c", "nexus-lifcl-40",
                                  "gatemate-a1", "ecp5-25k"])
def test_core_that_is_counted_is_placed(store, tmp_path, name):
    points = expand(["toy"], [6], {}, [name])
    row, = run(dict.fromkeys(points, 1), store=store, jobs=1)
    assert row["status"] == "ok", row["log"]
    assert 50 < row["fmax_mhz"] < 700
    assert row["fmax_usable_mhz"] <= row["constraint_mhz"]
    ends = re.fullmatch(r"(.*) to (.*): .* ns routing, \d+ levels", row["critical_path"]).groups()
    core = core_rtlil(toy.Toy(width=6).create())
    assert {*ends} & {*core.names.values()}

    # The cells of the core in the netlist that was placed are those that were counted.
    netlist = netlist_of(store, name)
    cells = Counter(cell["type"] for full_name, cell in netlist["cells"].items()
                    if full_name.startswith("core."))
    area = target(name).family.count(cells)
    assert {column: row[column] for column in area} == area
    assert set(netlist["ports"]) == {"clk", "si", "so"}

    # And the same core synthesised alone by the same command has just these. The commands of a
    # family are the same with and without the chain, so one of each kind of logic is enough.
    if name in ("ice40-hx8k", "ecp5-25k"):
        (tmp_path / "core.il").write_text(core.text)
        commands = target(name).synth_commands("core", row["options"])
        script = "\n".join(["read_rtlil core.il", *commands, "tee -q -o stat.json stat -json"])
        (tmp_path / "script.ys").write_text(script)
        subprocess.run([*find("yosys").command, "-q", "script.ys"], cwd=tmp_path, check=True)
        stat = json.loads((tmp_path / "stat.json").read_text())
        assert stat["design"]["num_cells_by_type"] == cells


@pytest.mark.sample(1)
# The commands of xc6v are those of xc7 but for the name.
@pytest.mark.parametrize(("name", "multipliers"), [
    (name, "logic" if name == "cyclonev" else "blocks") for name, device in targets().items()
    if device.placer is None and name != "xc6v"])
def test_area_of_a_family_without_a_placer(store, name, multipliers):
    points = dict.fromkeys(expand(["toy"], [6], {}, [name], {"multipliers": [multipliers]}), 3)
    row, = run(points, store=store, jobs=1)
    assert (row["status"], row["log"], row["dsp"], row["bram"]) == ("area_only", None, 0, 0)
    # Operands, sum and states of six bits; and every cell that is not wired in a slice is counted.
    assert row["ff"] > 25
    assert 20 < row["lut"] < 150
    netlist = netlist_of(store, name, multipliers=multipliers)
    cells = {cell["type"] for cell in netlist["cells"].values()}
    count = target(name).family.count
    assert {cell for cell in cells if not any(count({cell: 1}).values())} <= {
        "CARRY4", "MUXCY", "XORCY", "MUXF5", "MUXF6", "MUXF7", "MUXF8", "VCC", "GND", "$scopeinfo"}


def netlist_of(store, name, **options):
    device = target(name)
    options = {option: each.default for option, each in device.options.items()} | options
    with tempfile.TemporaryDirectory() as folder:
        placed = netlist(store, toy.Toy(width=6), device, options, Path(folder))
    return placed["modules"]["harness"]


def test_harness_registers_every_port(store):
    run(dict.fromkeys(expand(["toy"], [6], {}, ["ice40-hx8k"]), 1), store=store, jobs=1)
    netlist = netlist_of(store, "ice40-hx8k")
    # rst, i.payload, i.valid and o.ready go in; i.ready, o.payload and o.valid come out.
    chain = [cell["type"] for name, cell in netlist["cells"].items()
             if not name.startswith("core.")]
    assert chain.count("SB_DFF") == len(chain) - chain.count("SB_LUT4") == 11 + 10
    assert chain.count("SB_LUT4") == 10
