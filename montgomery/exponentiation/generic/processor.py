"""The hardware of the generic exponentiator."""

import itertools
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...blocks.block_ram import BlockRam
from ...blocks.carry_save import gate
from .walk import Run, Walk

__all__ = ["Exponentiator", "Program"]

#: Parts of the memory: the squares, and R before the first one; the products, and before the first
#: one R**2; the base; what each multiplication is sent apart from x and y; the exponent.
_SQUARE, _PRODUCT, _BASE, _FIXED, _EXPONENT = range(5)


class Program(wiring.Component):
    """Says what is multiplied, and what comes afterwards.

    Parameters
    ----------
    params : :class:`~montgomery.exponentiation.generic.Parameters`

    Members
    -------
    bits : :py:`In(...)`, start : :py:`In(1)`
        Begin an exponentiation by an exponent of so many bits.
    word : :py:`In(i_width)`, fetched : :py:`In(1)`
        The next word of the exponent.
    done : :py:`In(1)`
        The result of a product was received. Not again for four clocks.
    x, y, result : :py:`Out(1)`, :py:`Out(2)`
        Parts of the memory with the operands, and for the result, of the current product.
    y_is_1 : :py:`Out(1)`
        The second operand is 1 instead: this is the last product.
    fetch, ends : :py:`Out(1)`
        When it is done, a word of the exponent is needed; the exponentiation is done.
    """

    def __init__(self, params):
        self.params = params
        super().__init__({
            "bits": In(range(params.width + 1)), "start": In(1),
            "word": In(params.i_width), "fetched": In(1), "done": In(1),
            "x": Out(2), "y": Out(2), "result": Out(2), "y_is_1": Out(1),
            "fetch": Out(1), "ends": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        p = self.params
        enter, square, multiply, last = (Signal(name=name) for name in
                                         ("enter", "square", "multiply", "last"))
        left = Signal.like(self.bits)  # bits of the exponent that are not done
        in_word = Signal(range(p.i_width))  # and those of them in ``exponent``, less one
        exponent = Signal(p.i_width)
        bit = exponent[-1]

        # What follows is decided while the product is under way.
        to_multiply, bit_done, more = Signal(), Signal(), Signal()
        m.d.comb += [to_multiply.eq(square & (bit if p.method == "binary" else 1)),
                     bit_done.eq(multiply | (square & ~to_multiply)),
                     more.eq(Mux(enter, left != 0, bit_done & (left != 1)))]
        then_multiply, then_square, then_last = (
            Signal(name=name) for name in ("then_multiply", "then_square", "then_last"))
        m.d.sync += [then_multiply.eq(to_multiply), then_square.eq(more),
                     then_last.eq((enter | bit_done) & ~more),
                     self.fetch.eq(more & (enter | (in_word == 0)))]

        with m.If(self.start):
            m.d.sync += [enter.eq(1), square.eq(0), multiply.eq(0), last.eq(0),
                         left.eq(self.bits), self.x.eq(_BASE), self.y.eq(_PRODUCT),
                         self.result.eq(_BASE)]
        with m.Elif(self.done):
            latest = Mux(multiply & bit, _PRODUCT, _SQUARE)
            m.d.sync += [
                enter.eq(0), square.eq(then_square), multiply.eq(then_multiply),
                last.eq(then_last),
                self.x.eq(Mux(then_multiply, _SQUARE, latest)),
                self.y.eq(Mux(then_multiply, _BASE, latest)),
                self.result.eq(Mux(then_multiply, _PRODUCT, _SQUARE)),
            ]
            with m.If(bit_done):
                m.d.sync += [left.eq(left - 1), in_word.eq(in_word - 1),
                             exponent.eq(exponent << 1)]
        with m.If(self.fetched):
            m.d.sync += [exponent.eq(self.word), in_word.eq(p.i_width - 1)]
        m.d.comb += [self.y_is_1.eq(last), self.ends.eq(last)]
        return m


class Exponentiator(wiring.Component):
    """Algorithm 5, left to right, as in Figure 6.

    The registers of the figure are parts of one memory, through which all words go: from port
    ``i``, to the multiplier and from it, to port ``o``. A result is never moved: the next bit of
    the exponent says in which of two parts, that of the squares or that of the products, it is
    found. Except with ``method="binary"`` each bit takes the same time, and where is read is all
    that depends on it.

    The last product, by 1, is at most the modulus. Where the multiplier does not subtract the
    modulus, the two are compared, and what is equal becomes 0, which can happen only if the modulus
    has a square factor.

    Parameters
    ----------
    params : :class:`~montgomery.exponentiation.generic.Parameters`

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
            fixed[name] = (start, count, _FIXED)
            start += count
        runs |= {"fixed": (0, start, _FIXED), "r": (0, n, _SQUARE), "r2": (0, n, _PRODUCT),
                 "base": (0, n, _BASE), "exponent": (0, p.exponent_words, _EXPONENT),
                 "fetch": (0, 1, _EXPONENT)}
        runs |= {f"send_{name}": fixed.get(name, (0, count, None))
                 for name, count in p.inner.operands}
        runs["receive"] = (0, results, None)
        if p.reduces:
            runs["check"] = (0, p.check_clocks, None)
        runs["unload"] = (0, results, _SQUARE)
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
        moves = Signal()  # the words that are read move on
        stored = Signal()
        m.d.comb += [self.i.ready.eq(loading), multiplier.o.ready.eq(now["receive"]),
                     stored.eq((loading & self.i.valid) | (now["receive"] & multiplier.o.valid)),
                     walk.step.eq(stored | (reading & moves))]

        of_exponent = Signal(range(p.exponent_words + 1))  # the next word of it
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
            banks.append(gate(now["check"] & walk.index[0], Const(_FIXED, 3)))
        size = max(len(walk.index), len(of_exponent))
        address = Cat((index | Const(0, size))[:size], reduce(or_, banks))

        # The memory, and the words that are read from it.
        m.submodules.memory = memory = BlockRam(width, (_EXPONENT << size) + p.exponent_words)
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
            is_modulus = Signal()
            with m.If(now["receive"]):
                m.d.sync += is_modulus.eq(1)
            differing = Signal(width, reset_less=True)
            m.d.sync += differing.eq(latest[0] ^ latest[1])
            compared = later("compared", now["check"] & walk.index[0], 1)
            with m.If(compared & differing.any()):
                m.d.sync += is_modulus.eq(0)
            m.d.comb += self.o.payload.eq(gate(~is_modulus, latest[0]))

        length = Signal(p.header_words * width)
        with m.If(now["header"] & self.i.valid):
            m.d.sync += length.eq(Cat(length, self.i.payload)[width:])
        m.d.comb += [program.start.eq(now["exponent"] & self.i.valid & walk.last),
                     program.bits.eq(length),
                     program.fetched.eq(later("fetched", now["fetch"])),
                     program.word.eq(latest[0]),
                     program.done.eq(now["receive"] & multiplier.o.valid & walk.last)]
        return m
