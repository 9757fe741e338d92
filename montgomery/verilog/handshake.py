# amaranth: UnusedElaboratable=no
"""Streams for a multiplier with wide ports."""

from amaranth.hdl import Cat, Module, Mux, Signal

from ..core import Core
from .ports import Ports

__all__ = ["Multiplier"]


class Multiplier(Core):
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
