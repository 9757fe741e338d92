"""The hardware of the exponentiator."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring

from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..blocks.program import EXPONENT, FIXED, PRODUCT, SQUARE, Program
from ..blocks.walk import Run, Walk
from ..core import Signature
from .array import Array
from .element import later
from .reducer import Reducer

__all__ = ["Exponentiator"]


class Exponentiator(wiring.Component):
    """Algorithm 5: square and multiply always, from the highest bit of the exponent, around the
    systolic array of Figure 1, as in Figure 6.

    The second factor of a product stays in the array: each digit of a result is found where it is
    needed as a digit of y. All results go to a memory too, from which x is read, digit by digit,
    while the last digits of the result before are still on their way there. So a product begins
    soon after the one before it.

    After each square there is a product with the base. Where the bit of the exponent is 0, the
    array keeps the square as y, and x is read where the square is. Nothing else depends on the bit,
    and no time does.

    The registers S[0], S[1] and x̃ of Figure 6 are parts of that memory: for the squares, the
    products, and the base. S[0] <- S[e_i] of Algorithm 5 moves no number: it chooses the part that
    is read.

    Parameters
    ----------
    params : :class:`~montgomery.dsp_systolic.exponentiator.Parameters`

    Attributes
    ----------
    LATENCY : :class:`int`
        Clocks from the address of a word to the word.
    OVERHEAD : :class:`int`
        Clocks that are left, whatever is computed.

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    LATENCY = 1 + BlockRam.LATENCY
    OVERHEAD = 3

    def __init__(self, params):
        self.params = params
        super().__init__(Signature(params.word_width))

    def elaborate(self, platform):
        m = Module()
        p = self.params
        s, scaled = p.inner.schedule, p.inner.scaled
        n, width = s.digits, s.digit_width
        m.submodules.array = array = Array(s, keeps=True)
        m.submodules.program = program = Program(p)
        m.submodules.reducer = reducer = Reducer(width, n, p.halvings, self.LATENCY)

        # -- Runs through the words of an exponentiation, and of the memory.
        loads = {"header": p.header_words, **dict(p.fixed), "r": n, "r2": n, "base": n,
                 "exponent": p.exponent_words}
        parts = {"modulus": FIXED, "r": SQUARE, "r2": PRODUCT, "exponent": EXPONENT}
        runs = {**loads, "enter": 1, "reload": n, "power": 1, "collect": 1, "reduce": 1}
        m.submodules.walk = walk = Walk([Run(0, count) for count in runs.values()])
        now = dict(zip(runs, walk.run, strict=True))
        m.d.comb += walk.next.eq(Cat(now["reduce"], *walk.run[:-1]))
        loading = reduce(or_, (now[name] for name in loads))
        accepted = Signal(name="accepted")
        m.d.comb += [self.i.ready.eq(loading), accepted.eq(loading & self.i.valid)]

        # -- The products: decided, and begun some clocks later.
        done = Signal(name="done")  # the last slot of a product ends
        decided = Signal(name="decided")  # what is the next product is known with the next clock
        begins = s.restart - s.period - 1
        waiting = Signal(range(s.restart), name="waiting")
        waits = Signal(name="waits")
        storing = Signal(name="storing")  # digits of a result arrive
        collected = Signal(name="collected")  # all of the last one have
        m.d.comb += [
            done.eq(array.done), program.done.eq(done),
            program.start.eq(now["exponent"] & self.i.valid & walk.last),
            decided.eq(program.start | (done & now["power"] & ~program.ends)
                       | (now["reload"] & walk.last)),
            array.begin.eq(waits & (waiting == 0)), array.keep.eq(program.kept),
            walk.step.eq(accepted | (now["enter"] & done) | now["reload"]
                         | (now["power"] & program.ends & done) | collected | reducer.done),
        ]
        with m.If(decided):
            m.d.sync += [waits.eq(1), waiting.eq(begins - 1)]
        with m.Elif(waits):
            m.d.sync += [waiting.eq(waiting - 1), waits.eq(waiting != 0)]
        length = Signal(p.header_words * width, name="length")
        with m.If(now["header"] & accepted):
            m.d.sync += length.eq(Cat(length, self.i.payload)[width:])
        m.d.comb += program.bits.eq(length)

        # -- The memory: what is read.
        size = max(len(walk.index), (n - 1).bit_length(), (p.exponent_words - 1).bit_length())
        m.submodules.memory = memory = BlockRam(width, (EXPONENT << size) + p.exponent_words)
        index = Signal(size, name="$signal", reset_less=True)
        part = Signal(3, name="part", reset_less=True)
        of_exponent = Signal(range(p.exponent_words + 1), name="of_exponent")
        fetch = Signal(name="fetch")
        m.d.comb += [fetch.eq(done & program.fetch), memory.b.address.eq(Cat(index, part))]
        with m.If(program.start):
            m.d.sync += of_exponent.eq(0)
        with m.Elif(fetch):
            m.d.sync += of_exponent.eq(of_exponent + 1)
        with m.If(now["reload"]):
            m.d.sync += [index.eq(walk.index), part.eq(SQUARE)]
        with m.Elif(now["reduce"]):
            m.d.sync += [index.eq(reducer.index), part.eq(Mux(reducer.of_modulus, FIXED, SQUARE))]
        with m.Elif(fetch):
            m.d.sync += [index.eq(of_exponent), part.eq(EXPONENT)]
        with m.Elif(waits & (waiting == begins - 2)):
            m.d.sync += [index.eq(0), part.eq(program.y)]
        with m.Elif(array.x.ready):
            m.d.sync += index.eq(index + 1)
        m.d.comb += [reducer.q.eq(memory.b.q), program.word.eq(memory.b.q),
                     program.fetched.eq(later(m, fetch, self.LATENCY, "fetched",
                                              reset_less=False))]

        # -- Digits of x; in the last product a single one.
        is_last, is_factor, by_factor = (Signal(name=name, reset_less=True) for name in
                                         ("is_last", "is_factor", "by_factor"))
        m.d.sync += [is_last.eq(index == n - 1), is_factor.eq(index == int(scaled)),
                     by_factor.eq(program.y_is_1)]
        m.d.comb += [array.last.eq(is_last), array.x.valid.eq(1),
                     array.x.payload.eq(Mux(by_factor, is_factor, memory.b.q))]

        # -- Digits of y and m for the array.
        of_array = now["scaled" if scaled else "modulus"]
        loaded, loaded_last = (later(m, value, self.LATENCY, name, reset_less=False)
                               for value, name in ((now["reload"], "loaded"),
                                                   (now["reload"] & walk.last, "loaded_last")))
        first = Const(0, 1)
        if not scaled:
            # m_0 goes to CU alone.
            first = walk.first
            for name, run in (("inverse", now["inverse"]), ("lowest", now["modulus"] & first)):
                register = Signal(width, name=name, reset_less=True)
                with m.If(run):
                    m.d.sync += register.eq(self.i.payload)
                m.d.comb += getattr(array, name).eq(register)
        given = (of_array & ~first) | now["base"]
        m.d.comb += [
            array.operand.digit.eq(Mux(loaded, memory.b.q, self.i.payload)),
            array.operand.load.eq((given & self.i.valid) | loaded),
            array.operand.kind.eq(of_array),
            array.operand.end.eq(((of_array | now["base"]) & self.i.valid & walk.last)
                                 | loaded_last),
        ]

        # -- What is written to the memory.
        place = Signal(range(n), name="$signal", reset_less=True)
        target = Signal(2, name="target", reset_less=True)
        with m.If(array.leaves):
            m.d.sync += [storing.eq(1), place.eq(0), target.eq(program.result)]
        with m.Elif(storing & array.result.valid):
            m.d.sync += [storing.eq(place != n - 1), place.eq(place + 1)]
        m.d.comb += collected.eq(now["collect"] & ~storing)
        m.d.sync += reducer.start.eq(collected)
        writes = reduce(or_, (now[name] for name in parts))
        bank = reduce(or_, (gate(now[name], Const(value, 3)) for name, value in parts.items()))
        port = memory.a
        m.d.sync += [
            port.write.eq((writes & self.i.valid) | (storing & array.result.valid)
                          | reducer.write),
            port.data.eq(Mux(loading, self.i.payload,
                             Mux(storing, array.result.digit, reducer.data))),
            port.address.eq(Mux(loading, Cat(walk.index | Const(0, size), bank),
                                Mux(storing, Cat(place | Const(0, size), target),
                                    Cat(reducer.place | Const(0, size), Const(SQUARE, 3))))),
        ]
        wiring.connect(m, reducer.o, wiring.flipped(self.o))
        return m
