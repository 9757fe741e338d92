"""Models of buses that others made have cores on buses do operations, and find faults."""

import os
import re
import sys

import pytest
from exports import exported, needs_icarus, ran

from montgomery.bus import BUSES

pytest.importorskip("cocotb_tools.runner", reason="cocotb is not installed")
pytestmark = [pytest.mark.thorough, pytest.mark.real_cores, needs_icarus]

#: Buses, and what is wrong there: a signal, and what it always is.
FAULTS = [("axi-lite", "s_axi_bresp", "2'h0"), ("axi-lite", "s_axi_rvalid", "1'h0"),
          ("wishbone", "wb_err", "1'h0"), ("apb", "s_apb_pslverr", "1'h0")]


def checked(folder, transactions, **options):
    files = exported(folder, "mmm_mx_1d", 8, params={"word_width": 4, "pe_width": 4}, vectors=4,
                     **options)
    return files, lambda: ran(sys.executable, files["cocotb"].name, folder=folder,
                              env=os.environ | {"TRANSACTIONS": str(transactions)})


@pytest.mark.parametrize(("bus", "options"), [
    *((bus, {}) for bus in BUSES), ("axi-lite", {"own_clock": True, "clear": True})],
    ids=lambda value: value if isinstance(value, str) else " ".join(value))
def test_models_of_buses_find_nothing(bus, options, tmp_path):
    _, run = checked(tmp_path, 300 if options else 10_000, bus=bus, **options)
    done = run()
    assert done.returncode == 0, done.stdout
    assert re.search(r"TESTS=4 PASS=4 FAIL=0", done.stdout)
    print(*re.findall(r"\d+ accesses, \d+ operations", done.stdout))


@pytest.mark.parametrize(("bus", "signal", "value"), FAULTS)
def test_models_of_buses_find_a_fault(bus, signal, value, tmp_path):
    files, run = checked(tmp_path, 100, bus=bus)
    source, count = re.subn(f"(assign {signal} = ).*;", rf"\g<1>{value};",
                            files["verilog"].read_text())
    assert count == 1
    files["verilog"].write_text(source)
    done = run()
    assert done.returncode == 1
    assert "FAIL=0" not in done.stdout
