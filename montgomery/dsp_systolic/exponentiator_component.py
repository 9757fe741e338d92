"""The hardware of the exponentiator.

==============================  ================================================================
in the paper                    here
==============================  ================================================================
MMC, steps of Algorithm 5       :class:`~.steps.Steps`
S[0], of Figure 6               the last result, in the array and in a column of the memory
x̃, of Figure 6                  the table, with a window of one bit its second entry
S[0] <- S[e_i]                  a choice of the entry; with a window of one bit, whether the
                                product takes the place of the square, as S[1] does in Figure 6
IPE, GPE, FPE, CU               see :mod:`~montgomery.dsp_systolic.array`
==============================  ================================================================
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring

from ..blocks.block_ram import BlockRam
from .arrays import create_array
from .exponent import Exponent
from .inverse import Inverse
from .loader import Loader
from .queue import Queue
from .reader import MODULUS, R_SQUARED, RESULT, OperandReader
from .reducer import Reducer
from .steps import Steps

__all__ = ["Exponentiator"]


class Exponentiator(wiring.Component):
    """Algorithm 5 with windows around the systolic array of Figure 1, as in Figure 6.

    The second factor of a product stays in the array: each digit of a result is found where it is
    needed as a digit of y. Results go to memories too, from which x is read, digit by digit, while
    the last digits of the result before are still on their way there. So a product begins 10 or 11
    clocks after the last digit of x of the one before it, or two slots after it where these are
    longer.

    A table in a block RAM has the powers of the base from 0 to 2**window - 1, in the Montgomery
    domain. After ``window`` squares there is always a product, with the power that the digit of the
    exponent says, which for 0 is R. Its address depends on the digit, and nothing else does, and no
    time.

    With a window of one bit this is Algorithm 5 itself, with a product after each square: where the
    bit is 0 the square stays, and the product is thrown away.

    Latency: the products, some of them before the first bit, and the reduction of the result.
    Throughput: one exponentiation at a time; a base is accepted when the result before has been
    taken.

    Parameters
    ----------
    params : :class:`~montgomery.dsp_systolic.exponentiator.Parameters`

    Attributes
    ----------
    LATENCY : :class:`int`
        Clocks from the address of a word to the word.

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`
    """

    LATENCY = 1 + BlockRam.LATENCY

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        p = self.params
        s = p.inner.schedule
        n, width = s.digits, s.digit_width
        parts = {field.name: field.words for field in p.key_operands.fields}
        m.submodules.array = array = create_array(s)
        m.submodules.loader = loader = Loader(width, parts, n)
        m.submodules.steps = steps = Steps(p.window, p.most_digits)
        m.submodules.reader = reader = OperandReader(s, p.window)
        m.submodules.exponent = exponent = Exponent(width, parts["exponent"], p.window)
        m.submodules.reducer = reducer = Reducer(width, n, p.halvings, self.LATENCY)
        m.submodules.results = results = Queue(width, n - 1)
        of = loader.of

        wiring.connect(m, wiring.flipped(self.i), loader.i)
        wiring.connect(m, wiring.flipped(self.k), loader.k)
        wiring.connect(m, results.o, wiring.flipped(self.o))
        count = Signal(parts["digits"] * width, name="count")
        with m.If(of.digits):
            m.d.sync += count.eq(Cat(count, loader.word)[width:])
        storing = Signal(name="storing")  # digits of a result arrive
        m.d.comb += [
            loader.resting.eq(steps.resting), loader.known.eq(steps.known),
            loader.empty.eq(~results.o.valid & results.alone),
            exponent.write.eq(of.exponent), exponent.index.eq(loader.index),
            exponent.word.eq(loader.word), exponent.rewind.eq(steps.rewind),
            exponent.take.eq(steps.take), steps.digit.eq(exponent.digit),
            steps.count.eq(count), steps.keyed.eq(loader.keyed), steps.based.eq(loader.based),
            steps.renew.eq(loader.renew), steps.done.eq(array.done), steps.storing.eq(storing),
            steps.reloaded.eq(reader.reloaded), steps.reduced.eq(reducer.done),
            reader.start.eq(steps.start), reader.source.eq(steps.source),
            reader.reload.eq(steps.reload), array.begin.eq(reader.begin),
            reader.advance.eq(array.advance if s.overlaps else array.x.ready),
            array.last.eq(reader.last), array.keep.eq(steps.keep),
            reducer.start.eq(steps.reduce), results.push.eq(reducer.gives),
            results.data.eq(reducer.digit),
        ]
        wiring.connect(m, reader.x, array.x)
        self._give_operands(m, array, loader, reader, steps)

        # -- The memories: the table, and the columns of results, the modulus and R**2.
        m.submodules.memory = memory = BlockRam(width, n << 2)
        m.submodules.table = table = BlockRam(width, n << p.window)
        m.d.comb += [
            memory.b.address.eq(reader.address), table.b.address.eq(reader.table_address),
            reader.q.eq(memory.b.q), reader.table_q.eq(table.b.q), reducer.q.eq(memory.b.q),
            reader.reduces.eq(reducer.asks), reader.of_modulus.eq(reducer.of_modulus),
            reader.place.eq(reducer.index),
        ]
        place = Signal(range(n), name="place", reset_less=True)
        to_table, to_result = (Signal(name=name, reset_less=True)
                               for name in ("to_table", "to_result"))
        entry = Signal(p.window, name="entry", reset_less=True)
        stores = Signal(name="stores")
        m.d.comb += stores.eq(storing & array.result.valid)
        with m.If(array.leaves):
            m.d.sync += [storing.eq(1), place.eq(0), to_table.eq(steps.to_table),
                         to_result.eq(steps.to_result), entry.eq(steps.entry)]
        with m.Elif(stores):
            m.d.sync += [storing.eq(place != n - 1), place.eq(place + 1)]
        m.d.sync += [
            table.a.write.eq(stores & to_table), table.a.data.eq(array.result.digit),
            table.a.address.eq(Cat(entry, place)),
            memory.a.write.eq((stores & to_result) | reducer.write | of.modulus | of.r_squared),
            memory.a.data.eq(Mux(steps.resting, loader.word,
                                 Mux(storing, array.result.digit, reducer.data))),
            memory.a.address.eq(Mux(
                steps.resting, Cat(Mux(of.modulus, Const(MODULUS, 2), R_SQUARED), loader.index),
                Cat(Const(RESULT, 2), Mux(storing, place, reducer.place)))),
        ]
        return m

    def _give_operands(self, m, array, loader, reader, steps):
        """Connect what the array is given: the modulus, and y that is not a result."""
        p, of = self.params, loader.of
        scaled = p.inner.scaled
        of_modulus = of.scaled if scaled else of.modulus
        is_y = of.r_squared | of.base
        given = of_modulus | is_y
        if scaled:
            m.d.comb += steps.found.eq(1)
        else:
            # m_0 goes to CU alone.
            lowest = Signal(p.word_width, name="lowest", reset_less=True)
            start = of.modulus & loader.first
            given = (of.modulus & ~loader.first) | is_y
            with m.If(start):
                m.d.sync += lowest.eq(loader.word)
            m.submodules.inverse = inverse = Inverse(p.word_width)
            m.d.comb += [
                inverse.start.eq(start), inverse.lowest.eq(lowest), array.lowest.eq(lowest),
                array.inverse.eq(inverse.inverse), steps.found.eq(inverse.done),
            ]
        m.d.comb += [
            array.operand.digit.eq(Mux(reader.gives, reader.table_q, loader.word)),
            array.operand.load.eq(given | reader.gives), array.operand.is_modulus.eq(of_modulus),
            array.operand.last_operand.eq(((of_modulus | is_y) & loader.last)
                                          | reader.gives_last),
        ]
