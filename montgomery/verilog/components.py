# amaranth: UnusedElaboratable=no
"""Components around a multiplier in Verilog: its ports by name, streams for it, and its time."""

import contextlib
import functools
import hashlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from amaranth.hdl import Cat, ClockDomain, Const, Module, Mux, ResetSignal, Signal, Value
from amaranth.sim import Simulator

from ..core import Core, kind_of
from .netlist import Netlist

__all__ = ["HandshakeMultiplier", "Ports", "StreamsMultiplier", "measured"]


class Ports:
    """The ports of a netlist; each input has to be connected.

    The port ``reset``, if there is one, is driven by the reset of the domain ``sync``, and in the
    first clock as well, since registers of a core that relies on it begin with any value. ``ready``
    says whether the first clock is over.
    """

    def __init__(self, m: Module, netlist: Netlist, reset: str | None) -> None:
        self._m, self._netlist = m, netlist
        self._open = set(netlist.inputs)
        self.ready = Const(1, 1)
        if reset is not None:
            self.ready = Signal(name="was_reset", reset_less=True)
            m.d.sync += self.ready.eq(1)
            self.give(reset, ResetSignal("sync") | ~self.ready)

    def give(self, name: str, value: Value, bits: int = 1) -> None:
        """Drive an input, with ``!`` before the name the other way round.

        :exc:`ValueError` says that there is none of that name, or that it has fewer than ``bits``
        bits.
        """
        port = self._found(name, self._netlist.inputs, "input", bits)
        self._m.d.comb += port.eq(~value if name.startswith("!") else value)
        self._open.discard(name.removeprefix("!"))

    def take(self, name: str, bits: int = 1) -> Value:
        """Return an output, with ``!`` before the name the other way round; errors as above."""
        port = self._found(name, self._netlist.outputs, "output", bits)
        return ~port if name.startswith("!") else port

    def _found(self, name: str, ports, direction: str, bits: int):
        name = name.removeprefix("!")
        if name not in ports:
            raise ValueError(f"{self._netlist.name} has no {direction} {name}; it has "
                             f"{_some(sorted(ports))}")
        if len(ports[name]) < bits:
            raise ValueError(f"Port {name} of {self._netlist.name} has {len(ports[name])} bits, "
                             f"and must have at least {bits}")
        return ports[name]

    def check(self) -> None:
        """Refuse inputs that nothing drives."""
        if self._open:
            raise ValueError(f"Nothing drives the input {_some(sorted(self._open))} of "
                             f"{self._netlist.name}; say in [inputs] what it is, such as "
                             f'{min(self._open)} = "0"')


def _some(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


class HandshakeMultiplier(Core):
    """Collects the words of a key and of the operands, starts the core, and sends its result.

    The operands stay until the core is done. The latency is that of the core and two clocks more.
    The throughput is that of one multiplication at a time.
    """

    def elaborate(self, platform):
        m = Module()
        params, said = self.params, self.params._description["ports"]
        m.submodules.core = netlist = params.netlist()
        ports = Ports(m, netlist, said.get("reset"))
        word, words = params.word_width, params.result_words
        operands = Signal(word * params.i_words)
        result = Signal(word * words)
        self._connect(ports, params.inputs["i"], operands)
        start, done = Signal(), Signal()
        ports.give(said["start"], start)
        for port, value in params.constants.items():
            ports.give(port, value, max(value.bit_length(), 1))
        m.d.comb += done.eq(ports.take(said["done"])[0])
        given = ports.take(said["result"], params.result_bits)
        idle, has_key = Signal(), Signal()
        count = Signal(range(max(params.i_words, words)))
        if params.k_words:
            self._take_key(m, ports, has_key, idle & (count == 0))
        else:
            m.d.comb += has_key.eq(1)
        m.d.comb += self.i.ready.eq(idle & ((count != 0) | has_key))
        ports.check()
        with m.FSM():
            with m.State("LOAD"):
                m.d.comb += idle.eq(ports.ready)
                with m.If(self.i.valid & self.i.ready):
                    m.d.sync += [operands.eq(Cat(operands, self.i.payload)[word:]),
                                 count.eq(count + 1)]
                    with m.If(count == params.i_words - 1):
                        m.d.sync += count.eq(0)
                        m.next = "START"
            with m.State("START"):
                m.d.comb += start.eq(1)
                m.next = "RUN"
            with m.State("RUN"), m.If(done):
                m.d.sync += result.eq(given)
                m.next = "UNLOAD"
            with m.State("UNLOAD"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(result)]
                with m.If(self.o.ready):
                    m.d.sync += [result.eq(result >> word), count.eq(count + 1)]
                    with m.If(count == words - 1):
                        m.d.sync += count.eq(0)
                        m.next = "LOAD"
        return m

    def _take_key(self, m, ports, has_key, free):
        """Take keys while ``free``; with ``has_key`` an operation may begin."""
        params = self.params
        key = Signal(params.word_width * params.k_words)
        self._connect(ports, params.inputs["k"], key)
        left = Signal(range(params.k_words + 1), init=params.k_words)
        offered = Signal()  # in the clock before, so that the next key may follow
        whole = Signal()
        m.d.comb += [
            has_key.eq(whole & ~offered),
            # The first word of an operation goes before that of a key.
            self.k.ready.eq(free & ~(has_key & self.i.valid))]
        m.d.sync += offered.eq(self.k.valid)
        with m.If(self.k.valid & self.k.ready):
            m.d.sync += [key.eq(Cat(key, self.k.payload)[params.word_width:]),
                         left.eq(Mux(left == 1, params.k_words, left - 1)),
                         whole.eq(left == 1)]

    def _connect(self, ports, fields, register):
        """Give each port its words of a register."""
        at = 0
        for port, field in fields.items():
            bits = self.params.word_width * field.words
            ports.give(port, register[at:at + bits], self.params.bits[port])
            at += bits


class StreamsMultiplier(Core):
    """Connects the streams of the core by the names of its ports.

    Latency and throughput are those of the core.
    """

    def elaborate(self, platform):
        m = Module()
        said = self.params._description
        m.submodules.core = netlist = self.params.netlist()
        ports = Ports(m, netlist, said["ports"].get("reset"))
        for name, each in said["streams"].items():
            stream = getattr(self, name)
            bits = self.params.word_width
            if name == "o":
                m.d.comb += [stream.valid.eq(ports.take(each["valid"]) & ports.ready),
                             stream.payload.eq(ports.take(each["payload"], bits))]
                ports.give(each["ready"], stream.ready)
            else:
                ports.give(each["valid"], stream.valid & ports.ready)
                ports.give(each["payload"], stream.payload, bits)
                m.d.comb += stream.ready.eq(ports.take(each["ready"]) & ports.ready)
        ports.check()
        return m


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
    m, core = Module(), HandshakeMultiplier(params)
    m.domains.sync = ClockDomain()
    m.submodules.core = core
    most = params.bound(params._largest) - 1
    inputs = {"x": most, "y": most, "modulus": params._largest}
    limit = 64 * params.width + 1024
    clocks = []

    async def bench(ctx):
        for port, message in (("k", params.key_operands), ("i", params.operands)):
            for word in message.encode(inputs):
                stream = getattr(core, port)
                ctx.set(stream.payload, word)
                ctx.set(stream.valid, 1)
                await ctx.tick().until(stream.ready)
                ctx.set(stream.valid, 0)
        await ctx.tick()  # the core starts
        for clock in range(limit):
            *_, ended = await ctx.tick().sample(core.o.valid)
            if ended:
                clocks.append(clock)
                return

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    if not clocks:
        done, top = params._description["ports"]["done"], params._description["top"]
        raise ValueError(
            f"{done.removeprefix('!')} of {top} does not say within {limit} clocks that a "
            f"{kind_of(params).operation} is done; if it takes longer, say how long in clocks")
    return clocks[0]
