"""A unit that goes through numbers digit by digit, with one multiplier."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import enum, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .carry_save import gate
from .multiply_add import MultiplyAdd
from .values import later, signals

__all__ = ["Row", "RowUnit"]


class Row(enum.IntEnum):
    """What the unit for rows does with its number Z and a column B, digit by digit."""

    #: Z <- B
    COPY = 0
    #: Z <- Z + B
    ADD = 1
    #: Z <- Z - B; whether Z was at least B is kept.
    SUBTRACT = 2
    #: Z <- (Z + u B) / b, where u makes the lowest digit 0.
    REDUCE = 3
    #: Z <- floor((Z + h B) / b) for a digit h of the column ``exact``; the lowest digit is stored.
    MULTIPLY = 4


class RowUnit(wiring.Component):
    """Adds a multiple of a column B to a number Z, which it keeps; see :class:`Row`.

    Latency and throughput: a row is done, and the next one may start, :meth:`clocks` after
    ``start``.

    A digit has ``width`` bits; Z and B have so many ``digits``, 2 or more.
    """

    LATENCY = 4

    def __init__(self, width, digits):
        self.width, self.digits = width, digits
        places = range(digits)
        super().__init__({
            # Do a row, which is there a clock before, and stays until it is done.
            "start": In(1), "row": In(Row),
            "inverse": In(width),  # -1/m modulo b, of the column m for ``Row.REDUCE``
            "place": In(places),  # of the digit h for ``Row.MULTIPLY``
            # A digit of B is read; h is read, in the clock of ``start``.
            "asks": Out(1), "of_exact": Out(1), "index": Out(places),
            "q": In(width),  # the digit, LATENCY clocks after its ``index``
            # A digit of the new Z, or else with ``lowest`` that below it.
            "write": Out(1), "lowest": Out(1), "to": Out(places), "data": Out(width),
            # The Z of the last row is not 0; the last subtraction gave no negative number.
            "any": Out(1), "above": Out(1),
        })

    @classmethod
    def clocks(cls, digits):
        """Return the clocks of a row."""
        return digits + cls.LATENCY + 8

    def elaborate(self, platform):
        m = Module()
        width, n, starts = self.width, self.digits, self.start
        multiplies, reduces, shifts, negates = signals("multiplies reduces shifts negates")
        keeps = Signal(name="keeps")  # Z counts
        m.d.sync += [multiplies.eq(self.row == Row.MULTIPLY), reduces.eq(self.row == Row.REDUCE),
                     shifts.eq((self.row == Row.MULTIPLY) | (self.row == Row.REDUCE)),
                     negates.eq(self.row == Row.SUBTRACT), keeps.eq(self.row != Row.COPY)]

        def there(value, clocks, name):
            return later(m, value, clocks, name, reset_less=False)

        # -- The digit that B is multiplied by, which is there when the first one of B is. Both are
        # registered, since the multiplier may be far from the memory.
        factor, operand = signals("factor operand", width, reset_less=True)
        lowest = Signal(width, name="lowest_digit", reset_less=True)  # of Z
        m.submodules.multiplier = multiplier = MultiplyAdd(a_width=width, b_width=width)
        m.d.comb += [multiplier.a.eq(factor), multiplier.b.eq(operand)]
        m.d.sync += operand.eq(Mux(starts, self.inverse, self.q))
        product = Signal(2 * width, name="product", reset_less=True)
        # Then u is in ``product``, and h in ``operand``.
        found = there(starts, self.LATENCY + 1, "starts")
        with m.If(starts):
            m.d.sync += factor.eq(lowest)
        with m.Elif(found):
            m.d.sync += factor.eq(Mux(multiplies, operand, Mux(reduces, product[:width], 1)))

        # -- Digits of B and Z.
        count = Signal(range(n), name="count")
        m.d.comb += [self.of_exact.eq(starts & multiplies),
                     self.index.eq(Mux(starts, self.place, count))]
        last = self.asks & (count == n - 1)
        with m.If(starts):
            m.d.sync += [self.asks.eq(1), count.eq(0)]
        with m.Elif(self.asks):
            m.d.sync += [self.asks.eq(~last), count.eq(Mux(last, 0, count + 1))]
        assert multiplier.latency + 1 == self.LATENCY
        multiplied = self.LATENCY + multiplier.latency + 2  # until ``product`` is there
        asked = there(self.asks, multiplied - 1, "asked")  # the digit of Z is looked up
        summed = there(asked, 1, "summed")
        m.submodules.z = memory = Memory(shape=width, depth=n, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        z_index = Signal(range(n), name="z_index")
        z = Signal(width, name="z_digit", reset_less=True)
        with m.If(starts):
            m.d.sync += z_index.eq(0)
        with m.Elif(asked):
            m.d.sync += z_index.eq(z_index + 1)
        m.d.comb += read.addr.eq(z_index)
        m.d.sync += z.eq(gate(keeps, read.data))

        # -- Products of digits, and Z, in an addition without carry from digit to digit; then with.
        both = Signal(2 * width, name="both", reset_less=True)
        high = Signal(width, name="high", reset_less=True)
        total = Signal(width + 1, name="total", reset_less=True)
        m.d.sync += [
            product.eq(Cat(multiplier.p[:width] ^ negates.replicate(width), multiplier.p[width:])),
            both.eq(gate(summed, product + z)), high.eq(both[width:]),
        ]
        carried = there(summed, 1, "carried")
        first = carried & ~there(summed, 2, "carried_before")
        m.d.sync += total.eq(both[:width] + high + Mux(first, negates, total[width]))
        valid = there(carried, 1, "valid")
        after = there(valid, 1, "after")
        beyond = after & ~valid
        to = Signal(range(n), name="next_to")
        begun = Signal(name="begun")  # the lowest digit has passed
        m.d.comb += [
            self.data.eq(total),
            self.lowest.eq(valid & shifts & multiplies & ~begun),
            self.to.eq(Mux(self.lowest, self.place, to)),
            self.write.eq((valid & (begun | ~shifts)) | (beyond & shifts)),
            write.en.eq(self.write), write.addr.eq(to), write.data.eq(total),
        ]
        with m.If(starts):
            m.d.sync += [to.eq(0), self.any.eq(0), begun.eq(0)]
        with m.Else():
            with m.If(self.write):
                m.d.sync += [to.eq(to + 1), self.any.eq(self.any | self.data.any())]
                with m.If(to == 0):
                    m.d.sync += lowest.eq(total)
            with m.If(valid):
                m.d.sync += begun.eq(1)
        with m.If(beyond & negates):
            m.d.sync += self.above.eq(total[0])
        return m
