"""The hardware of the generic exponentiator."""

import itertools
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring

from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..blocks.program import BASE, EXPONENT, FIXED, PRODUCT, SQUARE, Program
from ..blocks.walk import Run, Walk

__all__ = ["Exponentiator"]

class Exponentiator(wiring.Component):
    """Algorithm 5: square and multiply around any multiplier, from the highest bit of the exponent,
    as in Figure 6.

    The registers of the figure, S[0], S[1] and x̃, are parts of one memory: for the squares, the
    products, and the base. All words go through it: from port ``i``, to the multiplier and from it,
    and to port ``o``. A result is never moved: the next bit of the exponent tells in which of two
    parts it is found, that of the squares or that of the products. With ``method=always`` each bit
    takes the same time, and nothing but the place that is read depends on it.

    The last product is by 1, and at most the modulus. Where the multiplier does not subtract the
    modulus, the two are compared, and a product that equals the modulus becomes 0. That happens
    only if the modulus has a square factor.

    Parameters
    ----------
    params : :class:`~montgomery.generic.exponentiator.Parameters`

    Attributes
    ----------
    LATENCY : :class:`int`
        Clocks from the address of a word to the word at the multiplier.

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    LATENCY = 1 + BlockRam.LATENCY

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    def _runs(self):
        """Return by name the runs through the memory, and their parts where these are fixed."""
        p = self.params
        n, results = p.operand_words, p.result_words
        runs = {"header": (0, p.header_words, None)}
        start, fixed = 0, {}
        for name, count in p.fixed:
            fixed[name] = (start, count, FIXED)
            start += count
        runs |= {"fixed": (0, start, FIXED), "r": (0, n, SQUARE), "r2": (0, n, PRODUCT),
                 "base": (0, n, BASE), "exponent": (0, p.exponent_words, EXPONENT),
                 "fetch": (0, 1, EXPONENT)}
        runs |= {f"send_{name}": fixed.get(name, (0, count, None))
                 for name, count in p.inner.operands}
        runs["receive"] = (0, results, None)
        if p.reduces:
            runs["check"] = (0, p.check_clocks, None)
        runs["unload"] = (0, results, SQUARE)
        return runs

    def elaborate(self, platform):
        m = Module()
        p = self.params
        width = p.o_width
        m.submodules.multiplier = multiplier = p.inner.create()
        m.submodules.program = program = Program(p)
        runs = self._runs()
        m.submodules.walk = walk = Walk([Run(start, count) for start, count, _ in runs.values()])
        now = dict(zip(runs, walk.run, strict=True))
        loads = ["header", "fixed", "r", "r2", "base", "exponent"]
        sends = [name for name in runs if name.startswith("send_")]

        def within(*names):
            return reduce(or_, (now[name] for name in names))

        # The order of the runs.
        after = {name: Const(0, 1) for name in runs}
        for before, name in (*itertools.pairwise(loads), *itertools.pairwise([*sends, "receive"]),
                             (loads[-1], sends[0]), ("fetch", sends[0]), ("unload", loads[0])):
            after[name] |= now[before]
        after["fetch"] |= now["receive"] & program.fetch
        after[sends[0]] |= now["receive"] & ~program.fetch & ~program.ends
        if p.reduces:
            after["check"] |= now["receive"] & program.ends
            after["unload"] |= now["check"]
        else:
            after["unload"] |= now["receive"] & program.ends
        m.d.comb += walk.next.eq(Cat(after.values()))

        loading = within(*loads)
        reading = ~loading & ~now["receive"]
        moves = Signal(name="moves")  # the words that are read move on
        stored = Signal(name="stored")
        m.d.comb += [self.i.ready.eq(loading), multiplier.o.ready.eq(now["receive"]),
                     stored.eq((loading & self.i.valid) | (now["receive"] & multiplier.o.valid)),
                     walk.step.eq(stored | (reading & moves))]

        of_exponent = Signal(range(p.exponent_words + 1), name="of_exponent")  # the next word of it
        with m.If(now["header"]):
            m.d.sync += of_exponent.eq(0)
        with m.Elif(now["fetch"] & moves):
            m.d.sync += of_exponent.eq(of_exponent + 1)

        # The address.
        index = Mux(now["fetch"], of_exponent, walk.index)
        banks = [gate(now[name], Const(bank, 3)) for name, (_, _, bank) in runs.items() if bank]
        banks += [gate(now[name], value) for name, value in
                  (("send_x", program.x), ("send_y", program.y), ("receive", program.result))]
        if p.reduces:
            index = Mux(now["check"], walk.index[1:], index)
            banks.append(gate(now["check"] & walk.index[0], Const(FIXED, 3)))
        size = max(len(walk.index), len(of_exponent))
        address = Cat((index | Const(0, size))[:size], reduce(or_, banks))

        # The memory, and the words that are read from it.
        m.submodules.memory = memory = BlockRam(width, (EXPONENT << size) + p.exponent_words)
        m.d.sync += [memory.a.address.eq(address), memory.a.write.eq(stored & ~now["header"]),
                     memory.a.data.eq(Mux(loading, self.i.payload, multiplier.o.payload))]
        m.d.comb += memory.b.enable.eq(moves)
        with m.If(moves):
            m.d.sync += memory.b.address.eq(address)
        joined = len(sends) if p.inner.i_width > width else 1  # words in one of the multiplier
        latest = [memory.b.q]
        for age in range(1, max(joined, 1 + p.reduces)):
            latest.append(Signal(width, name=f"word_{age}", reset_less=True))
            with m.If(moves):
                m.d.sync += latest[age].eq(latest[age - 1])

        def later(name, value, age=0):
            """Return what ``value`` was when the address of the word of that age was given."""
            states = Signal(self.LATENCY + age, name=name)
            with m.If(moves):
                m.d.sync += states.eq(Cat(value, states))
            return states[-1]

        sent = later("sent", within(*sends) if joined == 1 else now[sends[-1]])
        given = later("given", now["unload"])
        m.d.comb += moves.eq(~(sent & ~multiplier.i.ready) & ~(given & ~self.o.ready))

        words = latest[:joined]
        age = joined - 1 - sends.index("send_y") if joined > 1 else 0
        is_1 = later("is_1", now["send_y"] & program.y_is_1, age)
        words[age] = Mux(is_1, later("first", walk.first, age), words[age])
        m.d.comb += [multiplier.i.valid.eq(sent), multiplier.i.payload.eq(Cat(reversed(words))),
                     self.o.valid.eq(given), self.o.payload.eq(latest[0])]
        if p.reduces:
            is_modulus = Signal(name="is_modulus")
            with m.If(now["receive"]):
                m.d.sync += is_modulus.eq(1)
            differing = Signal(width, name="differing", reset_less=True)
            m.d.sync += differing.eq(latest[0] ^ latest[1])
            compared = later("compared", now["check"] & walk.index[0], 1)
            with m.If(compared & differing.any()):
                m.d.sync += is_modulus.eq(0)
            m.d.comb += self.o.payload.eq(gate(~is_modulus, latest[0]))

        length = Signal(p.header_words * width, name="length")
        with m.If(now["header"] & self.i.valid):
            m.d.sync += length.eq(Cat(length, self.i.payload)[width:])
        m.d.comb += [program.start.eq(now["exponent"] & self.i.valid & walk.last),
                     program.bits.eq(length),
                     program.fetched.eq(later("fetched", now["fetch"])),
                     program.word.eq(latest[0]),
                     program.done.eq(now["receive"] & multiplier.o.valid & walk.last)]
        return m
