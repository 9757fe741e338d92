# amaranth: UnusedElaboratable=no
"""Measures how long a core in Verilog takes, in Amaranth's simulator."""

import contextlib
import functools
import hashlib
import os
import sys
from pathlib import Path

from amaranth.hdl import ClockDomain, Module, Signal
from amaranth.sim import Simulator

from ..core import kind_of
from .components import Ports

__all__ = ["measured"]


@functools.cache
def measured(params) -> int:
    """Return the clocks from ``start`` to ``done``, which other processes find beside the module.

    :exc:`ValueError` says that the core does not come to an end.
    """
    kept = Path(sys.modules[type(params).__module__].__file__).parent / (
        f"{hashlib.sha256(repr(params).encode()).hexdigest()[:16]}.clocks")
    with contextlib.suppress(OSError, ValueError):
        return int(kept.read_text())
    clocks = _simulated(params)
    with contextlib.suppress(OSError):
        partial = kept.with_suffix(f".{os.getpid()}")
        partial.write_text(str(clocks))
        partial.replace(kept)
    return clocks


def _simulated(params):
    said, netlist = params._description["ports"], params.netlist()
    m = Module()
    m.domains.sync = domain = ClockDomain()
    m.submodules.core = netlist
    ports = Ports(m, netlist, said.get("reset"))
    modulus = params._largest
    most = params.bound(modulus) - 1
    inputs = {"x": most, "y": most, "modulus": modulus}
    for name, message in (("i", params.operands), ("k", params.key_operands)):
        values = message.values(inputs)
        for port, field in params.inputs[name].items():
            ports.give(port, values[field.name], params.bits[port])
    for port, value in params.constants.items():
        ports.give(port, value)
    start, done = Signal(), Signal()
    ports.give(said["start"], start)
    ports.check()
    m.d.comb += done.eq(ports.take(said["done"])[0])
    limit = 64 * params.width + 1024
    clocks = []

    async def bench(ctx):
        ctx.set(domain.rst, 1)
        await ctx.tick()
        ctx.set(domain.rst, 0)
        await ctx.tick()
        ctx.set(start, 1)
        await ctx.tick()
        ctx.set(start, 0)
        for clock in range(1, limit):
            *_, ended = await ctx.tick().sample(done)
            if ended:
                clocks.append(clock)
                return

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    if not clocks:
        raise ValueError(
            f"{said['done'].removeprefix('!')} of {netlist.name} does not say within {limit} "
            f"clocks that a {kind_of(params).operation} is done; if it takes longer, say how long "
            "in clocks")
    return clocks[0]
