"""What brings the last product below the modulus."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from .element import later

__all__ = ["Reducer"]


class Reducer(wiring.Component):
    """Passes over the digits of a number V and of the modulus m, in a memory, with one adder.

    Each of some first passes makes V / 2 modulo m of V: V + m is halved where V is odd. One more
    finds whether V < m, and in the last V, or V - m, is sent.

    Parameters
    ----------
    width : :class:`int`
        Bits of a digit.
    digits : :class:`int`
        Digits of V and of the modulus.
    halvings : :class:`int`
        Number of passes that halve.
    latency : :class:`int`
        Clocks from ``index`` to ``q``, 2 or more; what is written may be read as many clocks later.

    Members
    -------
    start : :py:`In(1)`
    done : :py:`Out(1)`
        The last digit has been taken.
    index : :py:`Out(range(digits))`, of_modulus : :py:`Out(1)`
        Digit that is read.
    q : :py:`In(width)`
    write : :py:`Out(1)`, place : :py:`Out(range(digits))`, data : :py:`Out(width)`
        Digit of V that is written.
    o : :py:`Out(stream.Signature(width))`
        Digits of the result.
    """

    def __init__(self, width, digits, halvings, latency):
        self.width, self.digits = width, digits
        self.halvings, self.latency = halvings, latency
        super().__init__({
            "start": In(1), "done": Out(1), "index": Out(range(digits)), "of_modulus": Out(1),
            "q": In(width), "write": Out(1), "place": Out(range(digits)), "data": Out(width),
            "o": Out(stream.Signature(width))})

    @staticmethod
    def clocks(digits, halvings, latency):
        """Return the clocks from ``start`` to the first digit, and from a digit to the next."""
        turn = latency + 4
        return (halvings + 1) * (2 * digits + latency + 2) + turn, turn

    def elaborate(self, platform):
        m = Module()
        halves = Signal(name="$signal")
        compares = Signal(name="$signal")
        gives = Signal(name="gives")
        left = Signal(range(self.halvings + 1), name="left")
        asks = Signal(name="asks")
        first, last = Signal(name="$signal", init=1), Signal(name="last")
        m.d.comb += last.eq(self.index == self.digits - 1)

        # Of each digit, that of V first.
        with m.If(asks):
            m.d.sync += self.of_modulus.eq(~self.of_modulus)
            with m.If(self.of_modulus):
                m.d.sync += [self.index.eq(Mux(last, 0, self.index + 1)), first.eq(last),
                             asks.eq(~last & ~gives)]

        def there(value, name, clocks=self.latency):
            return later(m, value, clocks, name, reset_less=False)

        odd_known = there(asks & ~self.of_modulus & first, "odd_known")
        both = there(asks & self.of_modulus, "both")
        both_first, both_last = there(first, "both_first"), there(last, "both_last")
        digit = later(m, self.q, 1, "digit")
        adds = Signal(name="$signal")  # the modulus, or its complement
        carries = Signal(name="carries")  # and 1
        subtracts = compares | gives
        below = Signal(name="below")  # V < m
        with m.If(compares):
            m.d.sync += [adds.eq(1), carries.eq(1)]
        with m.Elif(gives):
            m.d.sync += [adds.eq(~below), carries.eq(~below)]
        with m.Elif(odd_known):
            m.d.sync += [adds.eq(self.q[0]), carries.eq(0)]
        total, before = (Signal(self.width + 1, name="total", reset_less=True),
                         Signal(self.width, name="before", reset_less=True))
        addend = gate(adds, self.q ^ subtracts.replicate(self.width))
        with m.If(both):
            m.d.sync += total.eq(digit + addend + Mux(both_first, carries, total[-1]))
        summed, summed_first, summed_last = (there(both, "summed", 1),
                                             there(both_first, "summed_first", 1),
                                             there(both_last, "summed_last", 1))

        # A digit of half the sum is known with the sum's next digit.
        flush = Signal(name="flush")
        m.d.sync += flush.eq(summed & summed_last & ~gives)
        with m.If(summed):
            m.d.sync += before.eq(total[:-1])
        m.d.comb += [
            self.write.eq(halves & ((summed & ~summed_first) | flush)),
            self.data.eq(Cat(before[1:], Mux(flush, 0, total[0]))),
        ]
        with m.If(self.write):
            m.d.sync += self.place.eq(Mux(flush, 0, self.place + 1))

        # The passes.
        with m.If(self.start):
            m.d.sync += [asks.eq(1), left.eq(self.halvings),
                         halves.eq(self.halvings > 0), compares.eq(self.halvings == 0)]
        with m.If(flush):
            m.d.sync += [asks.eq(1), left.eq(left - 1), halves.eq(halves & (left != 1)),
                         compares.eq(halves & (left == 1)), gives.eq(compares)]
        with m.If(compares & summed):
            m.d.sync += below.eq(~total[-1])

        given_last = Signal(name="given_last", reset_less=True)
        with m.If(gives & summed):
            m.d.sync += [self.o.valid.eq(1), self.o.payload.eq(total), given_last.eq(summed_last)]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += [self.o.valid.eq(0), asks.eq(~given_last), gives.eq(~given_last)]
            m.d.comb += self.done.eq(given_last)
        return m
