"""The multiplier: the array, and what gives it operands and takes its results."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.streams import adapt
from ..blocks.word_buffer import Pointer
from ..core import Signature
from .array import Array
from .queue import Queue

__all__ = ["Multiplier"]


class Multiplier(wiring.Component):
    """The systolic array of Figure 1, for one multiplication at a time.

    Each processing element (PE) has one multiplier block, and holds one or more digits of y and of
    the modulus. For each digit of x, a slot of some clocks, the array adds the product of the digit
    and y, adds the multiple of the modulus that makes the lowest digit of the sum 0, and moves the
    sum down by a digit. Operands, digits and control signals pass from PE to PE; nothing but the
    reset is broadcast.

    The first PE is the paper's IPE (Figure 2); the PEs above it are its GPEs (Figure 3). The last
    PE is a GPE too; an adder behind it, for the digit that it carries, makes it the FPE (Figure 4).
    CU (Figure 5), in front of the first PE, finds the quotient digits. On a plain modulus it also
    multiplies them by the lowest digit of the modulus, which the IPE does in the paper. Counters
    and flags take the place of the MMC (Algorithm 4).

    A slot takes 3 clocks with one digit per PE, and 4 clocks with two. With k digits per PE, where
    k is 3 or more, it takes 2 k clocks, and at least 8 with ``quotient=plain``. The next
    multiplication is taken when the result has been sent.

    Parameters
    ----------
    params : :class:`montgomery.dsp_systolic.multiplier.Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(Signature(params.word_width))

    def elaborate(self, platform):
        m = Module()
        p = self.params
        m.submodules.digits = digits = _Digits(p.schedule, p.ratio)
        adapt(m, self, digits, width=p.digit_width, ratio=p.ratio)
        return m


class _Digits(wiring.Component):
    """The multiplier on streams of digits.

    Parameters
    ----------
    schedule : :class:`~.schedule.Schedule`
    ratio : :class:`int`
        Digits that are sent for the constant m', of which the first is it.

    Members
    -------
    i : :py:`In(stream.Signature(digit_width))`
        Digits of x, of m' unless the modulus is scaled, of the modulus, of y.
    o : :py:`Out(stream.Signature(digit_width))`
        Digits of the result.
    """

    def __init__(self, schedule, ratio):
        self.schedule, self.ratio = schedule, ratio
        signature = stream.Signature(schedule.digit_width)
        super().__init__({"i": In(signature), "o": Out(signature)})

    def elaborate(self, platform):
        m = Module()
        s = self.schedule
        m.submodules.array = array = Array(s)

        # -- Operands in: one register a state.
        taking_x = Signal(name="taking_x", init=1)
        taking_c = Signal(name="$signal")
        taking_m = Signal(name="$signal")
        taking_y = Signal(name="taking_y")
        valid = self.i.valid
        # Both of x and, later, of the result, which also share their places.
        m.submodules.queue = queue = Queue(s.digit_width, s.digits - 1)
        m.submodules.place = place = Pointer(s.digits)
        last_x = Signal(name="$signal")
        last_c = Signal(name="$signal")
        last_m = Signal(name="$signal")
        last_y = Signal(name="$signal")
        stores = Signal(name="stores")  # there is a digit of the result
        m.d.comb += [
            self.i.ready.eq(taking_x | taking_c | taking_m | taking_y),
            place.step.eq(((taking_x | taking_m | taking_y) & valid) | stores),
            queue.push.eq((taking_x & valid) | stores),
            queue.data.eq(Mux(taking_x, self.i.payload, array.result.digit)),
            last_x.eq(taking_x & valid & place.last),
            last_m.eq(taking_m & valid & place.last),
            last_y.eq(taking_y & valid & place.last),
        ]
        done = Signal(name="done")  # the last digit of the result has been handed over
        m.d.sync += [
            taking_x.eq((taking_x & ~last_x) | done),
            taking_m.eq((taking_m & ~last_m) | (last_x if s.scaled else last_c)),
            taking_y.eq((taking_y & ~last_y) | last_m),
        ]
        if not s.scaled:
            inverse = Signal(s.digit_width, name="inverse", reset_less=True)
            lowest = Signal(s.digit_width, name="lowest", reset_less=True)
            m.d.comb += [array.inverse.eq(inverse), array.lowest.eq(lowest)]
            with m.If(taking_m & valid & place.first):
                m.d.sync += lowest.eq(self.i.payload)
            sent = Signal(self.ratio, name="sent", init=1)
            m.d.comb += last_c.eq(taking_c & valid & sent[-1])
            m.d.sync += taking_c.eq((taking_c & ~last_c) | last_x)
            with m.If(taking_c & valid):
                m.d.sync += sent.eq(sent.rotate_left(1))
                with m.If(sent[0]):
                    m.d.sync += inverse.eq(self.i.payload)

        # m_0 of a plain modulus goes to CU alone.
        to_array = taking_y | (taking_m if s.scaled else taking_m & ~place.first)
        m.d.comb += [
            array.operand.digit.eq(self.i.payload), array.operand.load.eq(valid & to_array),
            array.operand.kind.eq(taking_m), array.operand.end.eq(last_m | last_y),
            array.begin.eq(last_y), array.last.eq(queue.alone),
        ]

        # -- The result.
        storing = Signal(name="storing")
        giving = Signal(name="giving")  # all of x has been used
        m.d.sync += [storing.eq((storing & ~(stores & place.last)) | array.leaves),
                     giving.eq((giving & ~done) | array.leaves)]
        m.d.comb += [
            stores.eq(array.result.valid & storing),
            array.x.payload.eq(queue.o.payload), array.x.valid.eq(queue.o.valid & ~giving),
            self.o.payload.eq(queue.o.payload), self.o.valid.eq(queue.o.valid & giving),
            queue.o.ready.eq(Mux(giving, self.o.ready, array.x.ready)),
            done.eq(self.o.valid & self.o.ready & queue.alone & ~storing),
        ]
        return m
