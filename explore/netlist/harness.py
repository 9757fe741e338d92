"""The scan chain around a core, which has three pins and a register at every port of the core.

A core has more ports than a package has pins, and pins have delays of their own. A register of a
shift chain that starts at pin ``si`` drives each input of the core, the reset included. A register
of a second chain, which ends at pin ``so``, takes each output. So no part of the core is without
effect, and no path begins or ends outside the clock domain.

The chain is the same for all targets. It is synthesised apart from the core, which is a black box
there; then the two netlists are joined. So the core that is placed is the core that is counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component, Signature

    from montgomery.technology import Technology

    from .hardware import Hardware

__all__ = ["CORE", "HARNESS", "core_rtlil", "harness_rtlil", "synthesis_script"]

#: Names of the two modules.
CORE, HARNESS = "core", "harness"


def core_rtlil(component: Component, technology: Technology | None = None) -> Hardware:
    """Return a core as RTLIL that depends on nothing but the hardware, and its names beside it.

    It is made for a technology or, without one, for simulation.
    """
    from .hardware import Hardware

    return Hardware(component, CORE, technology)


def harness_rtlil(signature: Signature) -> str:
    """Return the chain around a core of some signature as RTLIL; the core is an instance without
    contents, which also has a clock ``clk`` and a reset ``rst``.
    """
    from amaranth.back import rtlil
    from amaranth.hdl import Cat, ClockDomain, Instance, Module, Shape, Signal
    from amaranth.lib.wiring import In

    inputs, outputs = {"rst": 1}, {}
    for path, member, _value in signature.flatten(signature.create()):
        ports = inputs if member.flow == In else outputs
        ports["__".join(map(str, path))] = Shape.cast(member.shape).width

    m = Module()
    # A reset here would be a fourth pin, and would move into the registers under test.
    m.domains.sync = domain = ClockDomain(reset_less=True)
    si = Signal()
    so = Signal()
    drive = Signal(sum(inputs.values()))
    capture = Signal(sum(outputs.values()))
    result = Signal(len(capture))
    m.d.sync += [
        drive.eq(Cat(si, drive)),
        capture.eq(Cat(drive[-1], capture) ^ result),
    ]
    m.d.comb += so.eq(capture[-1])
    m.submodules.core = Instance(CORE, i_clk=domain.clk, **_connect("i", inputs, drive),
                                 **_connect("o", outputs, result))
    return rtlil.convert(m, name=HARNESS, ports=[domain.clk, si, so], emit_src=False)


def _connect(prefix: str, ports: Mapping[str, int], bits) -> dict:
    connected, start = {}, 0
    for name, width in ports.items():
        connected[f"{prefix}_{name}"] = bits[start:start + width]
        start += width
    return connected


def synthesis_script(core_commands: list[str], harness_commands: list[str]) -> list[str]:
    """Return the yosys script from ``core.il`` and ``harness.il`` to ``netlist.json``.

    The commands map the core and the chain to the device, each for its own module. The script
    leaves the cell counts of the core, the chain and both together in ``core.json``,
    ``harness.json`` and ``netlist_stat.json``.
    """
    return [
        "read_rtlil core.il",
        *core_commands,
        "tee -q -o core.json stat -json",
        f"design -stash {CORE}",
        # Only the ports stay, for the chain.
        "read_rtlil core.il",
        f"blackbox {CORE}",
        "read_rtlil harness.il",
        *harness_commands,
        "tee -q -o harness.json stat -json",
        f"delete ={CORE}",
        f"design -copy-from {CORE} -as {CORE} {CORE}",
        f"hierarchy -top {HARNESS}",
        "flatten -noscopeinfo",
        "clean",
        "tee -q -o netlist_stat.json stat -json",
        "write_json netlist.json",
    ]
