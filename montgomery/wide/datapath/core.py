"""The multiplier for a fixed prime: digits in, digits out, a product every few clocks."""

import functools

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...blocks import values
from ...blocks.carry_chain import GatedSum
from ...blocks.multiply_add import mult18x18d
from ...blocks.values import signals
from ...technology import technology_of
from .from_above import FromAbove, Koblitz
from .from_below import FromBelow
from .primes import FoldedPrime, KoblitzPrime, Prime
from .ranges import BASE, DIGIT_BITS, RESULT_BITS

__all__ = ["FixedPrimeCore", "HeldProduct", "Signals", "dataflow"]

_FORMS = {Prime: FromBelow, FoldedPrime: FromAbove, KoblitzPrime: Koblitz}


@functools.cache
def dataflow(prime, per_clock):
    """Return the :class:`~.dataflow.Dataflow` for a prime, as its form is, and digits of x in a
    clock.
    """
    return _FORMS[type(prime)](prime, per_clock)


class FixedPrimeCore(wiring.Component):
    """A product modulo a prime by a :class:`~.dataflow.Dataflow`, in signed digits of weight 2**16,
    as many as the prime has.

    Digits of operands may be any that fit; those of a result are so small that a sum or difference
    of three results is an operand. No carry goes further than to the next digit. A register is
    between any two additions of two numbers.

    Latency: ``dataflow.latency`` clocks from ``start`` to ``valid``, or ``dataflow.short``.
    Throughput: a product in ``dataflow.interval`` clocks, or a short one in one. Nothing stops the
    core, and nothing but control is reset.
    """

    def __init__(self, dataflow):
        self.dataflow, self.prime = dataflow, dataflow.prime
        digits = self.prime.digits
        super().__init__({
            # Operands are there, in this clock. In all clocks until the next product there is none.
            "start": In(1),
            # With ``start``: the product is a short one; only if there are such.
            **({"short": In(1)} if dataflow.short else {}),
            # ``start`` for each digit of x, so that it may come from a register nearby.
            "loads": In(1).array(digits),
            "x": In(signed(DIGIT_BITS)).array(digits), "y": In(signed(DIGIT_BITS)).array(digits),
            "valid": Out(1),  # the result is there, in this clock
            "result": Out(signed(RESULT_BITS)).array(digits),
        })

    def elaborate(self, platform):
        m = Module()
        self.dataflow.describe(Signals(m, self))
        return m


class Signals:
    """What a dataflow is described with, see :class:`~.dataflow.Dataflow`, to make hardware."""

    any = staticmethod(lambda *bits: Cat(bits).any())
    high = staticmethod(lambda value: value[BASE:].as_signed())
    centred_low = staticmethod(lambda value: value[:BASE].as_signed())
    centred_high = staticmethod(lambda value: value[BASE:].as_signed() + value[BASE - 1])
    low_less_half = staticmethod(
        lambda value: Cat(value[:BASE - 1], ~value[BASE - 1]).as_signed())

    def __init__(self, m, core):
        self.m, self._core, self.start = m, core, core.start
        self.short = getattr(core, "short", None)

    @staticmethod
    def low(value, above=0):
        return Cat(value[:BASE], above).as_signed()

    @staticmethod
    def add_carry(number, below, sign=1):
        return values.add_carry(number, below[BASE:].as_signed(), below[BASE - 1], sign)

    @staticmethod
    def chosen(bit, value):
        return Mux(bit[0], value, 0)

    def products(self, order, step):
        """Return products by digit of x in a clock, and by digit of y.

        ``order`` has pairs of these digits, in the order in which their blocks get sites; four
        neighbours share an enable. ``step`` is the digits of x in a clock, negative if the highest
        ones go first.
        """
        m, core, digits = self.m, self._core, self._core.prime.digits
        queue = [Signal(signed(DIGIT_BITS), name=f"queue_{i}", reset_less=True)
                 for i in range(digits)]
        m.d.sync += [queue[i].eq(queue[i + step]) for i in range(digits) if 0 <= i + step < digits]
        for digit, x, loads in zip(queue, core.x, core.loads, strict=True):
            with m.If(loads):
                m.d.sync += digit.eq(x)
        y = [values.later(m, core.y[j], 1, f"y_{j}") for j in range(digits)]
        load = [self.owned(self.start, f"load_{group}") for group in range(len(order) // 4)]
        found = [[None] * digits for _ in range(abs(step))]
        first = queue[:step] if step > 0 else queue[step:]
        for index, (a, j) in enumerate(order):
            m.submodules[f"block_{a}_{j}"] = block = HeldProduct()
            m.d.comb += [block.x.eq(first[a]), block.y.eq(y[j]), block.load.eq(load[index // 4])]
            found[a][j] = block.p
        return found

    @staticmethod
    def times(number, a, b):
        first, second = (number << bits if (bits := abs(power).bit_length() - 1) else number
                         for power in (a, b))
        return first - second if b < 0 else first + second

    def register(self, *name, value=None):
        register = Signal(signed(self._core.dataflow.bounds[name].width),
                          name="_".join(map(str, name)), reset_less=True)
        if value is not None:
            self.set(register, value)
        return register

    def set(self, register, value, *, clocks=1):
        domain = self.m.d.sync if clocks else self.m.d.comb
        domain += register.eq(value)

    def replace(self, register, number, bit):
        with self.m.If(bit):
            self.m.d.sync += register.eq(number)

    def delays(self, bit, clocks, name, number=0):
        return values.delays(self.m, bit, clocks, name, reset_less=False, number=number)

    def later(self, value, clocks, name):
        return values.later(self.m, value, clocks, name).as_signed()

    def owned(self, bit, name):
        return values.owned(self.m, bit, name)

    def gated(self, name, a, b, gate, *, own=None, negate=False):
        self.m.submodules[name] = each = GatedSum(len(a), len(b), negate=negate)
        self.m.d.comb += [each.a.eq(a), each.b.eq(b),
                          each.gate.eq(self.owned(gate, own) if own else gate)]
        return each.total

    def valid(self, bit):
        self.m.d.comb += self._core.valid.eq(bit)

    def result(self, place, value):
        out = Signal(signed(RESULT_BITS), name=f"out_{place}", reset_less=True)
        self.set(out, value)
        self.m.d.comb += self._core.result[place].eq(out)

    def hold(self, register, ago):
        pass


class HeldProduct(wiring.Component):
    """``p = x * y`` of signed digits, in a block with all its registers, which keeps y.

    Latency: three clocks. Throughput: a product per clock.
    """

    def __init__(self):
        super().__init__({
            "x": In(signed(DIGIT_BITS)), "y": In(signed(DIGIT_BITS)),
            "load": In(1),  # take y; else the one before stays
            "p": Out(signed(2 * DIGIT_BITS)),
        })

    def elaborate(self, platform):
        m = Module()
        if technology_of(platform).name == "ecp5":
            m.submodules.block = mult18x18d(self.x, self.y, self.p, 1, 2, signed=1, load=self.load)
            return m
        x, y = (Signal(signed(DIGIT_BITS), name=f"{name}_kept", reset_less=True) for name in "xy")
        product, late = signals("product late", signed(2 * DIGIT_BITS), reset_less=True)
        m.d.sync += [x.eq(self.x), product.eq(x * y), late.eq(product)]
        with m.If(self.load):
            m.d.sync += y.eq(self.y)
        m.d.comb += self.p.eq(late)
        return m
