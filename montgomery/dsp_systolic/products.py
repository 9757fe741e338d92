"""The multiplier: the array, and what gives it operands and takes its results."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.delay import later
from ..blocks.digit_queue import DigitQueue
from .array import create_array
from .quotient import DigitInverse

__all__ = ["Products"]


class Products(wiring.Component):
    """The multiplier on streams of digits.

    There is room for the operations that :class:`~.multiplier.DspSystolicMultiplier` lets in.

    Latency and throughput: see :meth:`.Slots.cycles`.

    Parameters
    ----------
    schedule : :class:`~.schedule.Slots`
    ratio : :class:`int`
        Digits that are sent for an operation that is sent no operands.

    Members
    -------
    i : :py:`In(stream.Signature(...))`
        A digit of x, of y, and two bits: x, or y, is the result before. These count with the first
        digits.
    k, o : :py:`In(stream.Signature(digit_width))`, :py:`Out(stream.Signature(digit_width))`
        Digits of the modulus; of the result.
    renew : :py:`In(1)`
        What is known of a key is not that of the next one.
    known : :py:`Out(1)`
        There is a key, and the array has all of it; low from the clock after the first word of
        another one.
    multiplies, storing, resting, begin : :py:`Out(1)`
        There are digits of x to multiply by; results of a product are on their way; the array is
        not ready for the next product yet; a product begins.
    """

    def __init__(self, schedule, ratio):
        self.schedule, self.ratio = schedule, ratio
        digit = schedule.digit_width
        pair = data.StructLayout({"x": digit, "y": digit, "kept": 2})
        super().__init__({"i": In(stream.Signature(pair)), "k": In(stream.Signature(digit)),
                          "o": Out(stream.Signature(digit)), "renew": In(1)}
                         | {name: Out(1) for name in ("known", "multiplies", "storing", "resting",
                                                      "begin")})

    def elaborate(self, platform):
        m = Module()
        s = self.schedule
        m.submodules.array = array = create_array(s)
        m.d.comb += [self.i.ready.eq(1), self.k.ready.eq(1), array.keep.eq(1)]

        def counter(name, step, depth=s.digits):
            """Return a number that goes round from 0, and whether it is the last one."""
            index = Signal(range(depth), name=name)
            last = Signal(name=f"{name}_last", init=depth == 1)
            if depth > 1:
                with m.If(step):
                    m.d.sync += [index.eq(Mux(last, 0, index + 1)), last.eq(index == depth - 2)]
            return index, last

        # -- The array, from product to product.
        idle = Signal(name="idle", init=1)  # a product with a result may begin, or y be given
        pause = Signal(range(s.restart), name="pause")
        wait = s.restart - s.period - s.lead + 1
        with m.If(array.done):
            m.d.sync += pause.eq(wait - 1)
        with m.Elif(pause != 0):
            # The next product may have begun.
            m.d.sync += [pause.eq(pause - 1), idle.eq((pause == 1) & ~self.multiplies)]
        with m.If(array.leaves):
            m.d.sync += self.multiplies.eq(0)
        with m.If(array.begin):
            m.d.sync += [idle.eq(0), self.multiplies.eq(1)]
        m.d.comb += [self.resting.eq(~self.multiplies & ~idle), self.begin.eq(array.begin)]

        # -- Operands: to a memory, and y to the array if it is idle. While it multiplies, there is
        # room for those of one operation more.
        pair, valid = self.i.payload, self.i.valid
        first = Signal(name="first_pair", init=1)
        held = Signal(2, name="held", reset_less=True)
        kept = Signal(2, name="kept")
        both = Signal(name="both")  # x is a result
        ready = Signal(name="ready_to_begin")  # all that is sent was received
        # y goes past the memory, since the array was idle when the operation came.
        bypass, bypasses = Signal(name="bypass"), Signal(name="bypasses", reset_less=True)
        reads_x, reads_y = Signal(name="reads_x"), Signal(name="reads_y")
        stored, skipped = valid & ~kept.all(), valid & kept.all()
        place, is_last = counter("written_pair", stored)
        _, is_last_skipped = counter("skipped", skipped, self.ratio)
        read, is_last_x = counter("read", reads_x)
        # A y that can be given while the array multiplies is not stored.
        m.submodules.operands = operands = BlockRam((1 if s.overlaps else 2) * s.digit_width,
                                                    2 << len(place))
        last = Signal(name="last_pair")
        direct = Signal(name="direct")  # a digit of y goes to the array
        to, of = Signal(name="to"), Signal(name="of")  # halves of the memory
        m.d.comb += [
            kept.eq(Mux(first, pair.kept, held)), direct.eq(valid & bypass),
            last.eq(valid & Mux(kept.all(), is_last_skipped, is_last)),
            operands.a.write.eq(stored), operands.a.address.eq(Cat(place, to)),
            operands.a.data.eq(Cat(Mux(kept[0], pair.y, pair.x), pair.y)),
        ]
        with m.If(valid):
            m.d.sync += [first.eq(last), held.eq(kept), bypasses.eq(bypass)]
        with m.If(stored):
            m.d.sync += to.eq(to ^ is_last)
        begins = Signal(name="begins")
        if s.overlaps:
            # One that takes no result follows the last slot of the one before.
            free = ~self.multiplies | array.leaves
            at_once = valid & is_last & (held == 0) & free  # not the first pair
            m.d.comb += [bypass.eq(kept == 0), begins.eq(ready & Mux(held == 0, free, idle)),
                         array.begin.eq(begins | at_once)]
            m.d.sync += ready.eq((ready & ~begins) | (last & ~at_once))
            with m.If(reads_x & is_last_x):
                m.d.sync += of.eq(of ^ ~both)
        else:
            m.d.comb += [bypass.eq(Mux(first, idle & (kept == 0), bypasses)),
                         begins.eq(idle & ready)]
            m.d.sync += ready.eq((ready & ~begins) | (last & ~bypass))
            with m.If(array.leaves):
                m.d.sync += of.eq(of ^ ~both)
            with m.If(begins & (held == 0)):
                m.d.sync += reads_y.eq(1)
            with m.Elif(is_last_x):
                m.d.sync += reads_y.eq(0)
        with m.If(array.begin):
            m.d.sync += both.eq(begins & held.all())
        gives = later(m, reads_y, BlockRam.LATENCY, "gives", reset_less=False)
        gives_last = later(m, reads_y & is_last_x, BlockRam.LATENCY, "gives_last", reset_less=False)
        # The first digit of x can be read three clocks after it came.
        direct_last = later(m, direct & is_last, int(s.digits < 3), "direct_last",
                            reset_less=False)
        if not s.overlaps:
            m.d.comb += array.begin.eq(direct_last | gives_last | (begins & (held != 0)))

        # -- The modulus.
        key = self.k.valid
        place_key, is_last_key = counter("place_key", key)
        is_lowest = key & (place_key == 0)
        to_array = key
        received = Signal(name="received")
        complete = key & is_last_key
        if self.ratio > 1:
            # The first word of the next key may come with the last digit of this one.
            complete &= ~self.renew
        with m.If(complete):
            m.d.sync += received.eq(1)
        with m.Elif(self.renew):
            m.d.sync += received.eq(0)
        if s.excess:
            m.d.comb += self.known.eq(received)
        else:
            # m_0 goes to CU alone.
            to_array = key & ~is_lowest
            lowest = Signal(s.digit_width, name="lowest", reset_less=True)
            with m.If(is_lowest):
                m.d.sync += lowest.eq(self.k.payload)
            m.submodules.inverse = inverse = DigitInverse(s.digit_width)
            m.d.comb += [
                inverse.start.eq(is_lowest), inverse.lowest.eq(lowest),
                array.lowest.eq(lowest), array.inverse.eq(inverse.inverse),
                self.known.eq(received & inverse.done),
            ]
        m.d.comb += [
            array.operand.digit.eq(Mux(key, self.k.payload,
                                       pair.y if s.overlaps else
                                       Mux(gives, operands.b.q[s.digit_width:], pair.y))),
            array.operand.load.eq(to_array | direct | gives), array.operand.is_modulus.eq(key),
            array.operand.last_operand.eq((key & is_last_key) | (direct & is_last) | gives_last),
        ]

        # -- The result: to a queue, and to a memory.
        m.submodules.results = results = DigitQueue(s.digit_width,
                                                     s.operations * s.digits - 1)
        stores = Signal(name="stores")  # there is a digit of the result
        m.d.comb += stores.eq(array.result.valid & self.storing)
        written, is_last_stored = counter("written", stores)
        m.d.sync += self.storing.eq((self.storing & ~(stores & is_last_stored)) | array.leaves)
        wiring.connect(m, results.o, wiring.flipped(self.o))

        m.submodules.memory = memory = BlockRam(s.digit_width, s.digits)
        m.d.sync += memory.a.write.eq(stores)
        m.d.comb += [memory.a.data.eq(later(m, array.result.digit, 1, "stored")),
                     memory.a.address.eq(later(m, written, 1, "address"))]
        if s.overlaps:
            # The queue is larger, and may be farther away.
            m.d.comb += [results.push.eq(memory.a.write), results.data.eq(memory.a.data)]
        else:
            m.d.comb += [results.push.eq(stores), results.data.eq(array.result.digit)]

        # -- What is read from both memories: y, then x.
        last_x = is_last_x
        if s.overlaps:
            m.d.comb += reads_x.eq(array.advance)
            last_x = later(m, last_x, 1, "last_x")
        else:
            m.d.comb += reads_x.eq(array.x.ready | reads_y)
        m.d.comb += [
            memory.b.address.eq(read), operands.b.address.eq(Cat(read, of)),
            array.last.eq(last_x), array.x.valid.eq(1),
            array.x.payload.eq(Mux(both, memory.b.q, operands.b.q[:s.digit_width])),
        ]
        return m
