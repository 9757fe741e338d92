"""What brings the last product below the modulus."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.delay import later

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

    Latency and throughput: :meth:`clocks` until the first digit of the result, and then a digit
    every other clock.

    Members
    -------
    start : :py:`In(1)`
    done : :py:`Out(1)`
        The last digit is at ``digit``.
    asks : :py:`Out(1)`, index : :py:`Out(range(digits))`, of_modulus : :py:`Out(1)`
        A digit is read, and which one.
    q : :py:`In(width)`
    write : :py:`Out(1)`, place : :py:`Out(range(digits))`, data : :py:`Out(width)`
        Digit of V that is written.
    gives : :py:`Out(1)`, digit : :py:`Out(width)`
        There is a digit of the result.
    """

    def __init__(self, width, digits, halvings, latency):
        self.width, self.digits = width, digits
        self.halvings, self.latency = halvings, latency
        super().__init__({
            "start": In(1), "done": Out(1), "asks": Out(1), "index": Out(range(digits)),
            "of_modulus": Out(1),
            "q": In(width), "write": Out(1), "place": Out(range(digits)), "data": Out(width),
            "gives": Out(1), "digit": Out(width)})

    @staticmethod
    def clocks(digits, halvings, latency):
        """Return the clocks from ``start`` to the first digit of the result."""
        return (halvings + 1) * (2 * digits + latency + 2) + latency + 3

    def elaborate(self, platform):
        m = Module()
        halves = Signal(name="$signal")
        compares = Signal(name="$signal")
        sends = Signal(name="sends")
        left = Signal(range(self.halvings + 1), name="left")
        first, last = Signal(name="$signal", init=1), Signal(name="last")
        m.d.comb += last.eq(self.index == self.digits - 1)

        # Of each digit, that of V first.
        with m.If(self.asks):
            m.d.sync += self.of_modulus.eq(~self.of_modulus)
            with m.If(self.of_modulus):
                m.d.sync += [self.index.eq(Mux(last, 0, self.index + 1)), first.eq(last),
                             self.asks.eq(~last)]

        def there(value, name, clocks=self.latency):
            return later(m, value, clocks, name, reset_less=False)

        odd_known = there(self.asks & ~self.of_modulus & first, "odd_known")
        both = there(self.asks & self.of_modulus, "both")
        both_first, both_last = there(first, "both_first"), there(last, "both_last")
        digit = later(m, self.q, 1, "digit")
        adds = Signal(name="$signal")  # the modulus, or its complement
        carries = Signal(name="carries")  # and 1
        subtracts = compares | sends
        below = Signal(name="below")  # V < m
        with m.If(compares):
            m.d.sync += [adds.eq(1), carries.eq(1)]
        with m.Elif(sends):
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
        m.d.sync += flush.eq(summed & summed_last & ~sends)
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
            m.d.sync += [self.asks.eq(1), left.eq(self.halvings),
                         halves.eq(self.halvings > 0), compares.eq(self.halvings == 0)]
        with m.If(flush):
            m.d.sync += [self.asks.eq(1), left.eq(left - 1), halves.eq(halves & (left != 1)),
                         compares.eq(halves & (left == 1)), sends.eq(compares)]
        with m.If(compares & summed):
            m.d.sync += below.eq(~total[-1])

        with m.If(self.done):
            m.d.sync += sends.eq(0)
        m.d.comb += [self.gives.eq(sends & summed), self.digit.eq(total),
                     self.done.eq(sends & summed & summed_last)]
        return m
