"""The datapath: digits in, digits out, a product every eight clocks."""

from amaranth.hdl import C, Cat, Module, Shape, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.delay import later
from . import model
from .cells import GatedSum, HeldProduct, OwnRegister, add_carry
from .model import CLOCKS, DIGIT_BITS, PER_CLOCK
from .primes import DIGITS
from .ranges import BASE

__all__ = ["RESULT_BITS", "WideCore"]

#: Bits of a signed digit of a result.
RESULT_BITS = 17


class WideCore(wiring.Component):
    """``result = x * y / 2**256`` modulo a prime, in 16 signed digits of weight 2**16.

    Digits of operands may be any that fit; those of a result are so small that a sum or difference
    of three results is an operand. No carry goes further than to the next digit.

    Two digits of x are multiplied by all of y in each clock. Products are cut into a lower and an
    upper half, so that columns are short. The columns move down while two of them are completed in
    each clock; each is a quotient digit as it is, and what its multiple of the prime adds comes
    down in columns of its own. A register is between any two additions of two numbers.

    Latency: :attr:`LATENCY` clocks from ``start`` to ``valid``. Throughput: a product in eight
    clocks. Nothing stops the core, and nothing but control is reset.

    Parameters
    ----------
    prime : :class:`~.primes.Prime`

    Members
    -------
    start : :py:`In(1)`
        Operands are there, in this clock. At least seven clocks without one follow.
    loads : :py:`In(1).array(DIGITS)`
        The same for each digit of x, so that it may come from a register nearby.
    x, y : :py:`In(signed(DIGIT_BITS)).array(DIGITS)`
    valid : :py:`Out(1)`
        The result is there, in this clock.
    result : :py:`Out(signed(RESULT_BITS)).array(DIGITS)`
    """

    #: Clocks from ``start`` to the first sums of columns: registers for x, three in the blocks, two
    #: levels of adders, and the columns themselves.
    _FIRST = 1 + 3 + 2 + 1
    #: And from the last sums to the result.
    _TAIL = 4
    LATENCY = _FIRST + CLOCKS - 1 + _TAIL

    def __init__(self, prime):
        self.prime = prime
        self.bounds = model.bounds(prime)
        super().__init__({
            "start": In(1), "loads": In(1).array(DIGITS), "x": In(signed(DIGIT_BITS)).array(DIGITS),
            "y": In(signed(DIGIT_BITS)).array(DIGITS), "valid": Out(1),
            "result": Out(signed(RESULT_BITS)).array(DIGITS)})

    def elaborate(self, platform):
        m = self.m = Module()
        # started[n] is ``start`` n clocks ago, which is all that there is of control.
        self.started = [self.start]
        for clock in range(1, self.LATENCY + 1):
            self.started.append(later(m, self.started[-1], 1, "started", number=clock,
                                      reset_less=False))
        m.d.comb += self.valid.eq(self.started[self.LATENCY])
        product = self._products()
        total = [self._tree(place, halves, product) for place, halves in
                 enumerate(model.leaves())]
        acc = [self._register("acc", k) for k in range(DIGITS + PER_CLOCK)]
        for k, column in enumerate(acc):
            above = self._unless(total[k], acc[k + PER_CLOCK], (self._FIRST - 2,),
                                 f"keep_{k}") if k < DIGITS else total[k]
            m.d.sync += column.eq(above)
        d = self._quotient(acc)
        # The highest column is computed a clock ahead of the others.
        early, top = self._register("early"), self._register("top")
        last = later(m, product[-1][-1][BASE:], 2, "last").as_signed()
        m.d.sync += [early.eq(d[3 * PER_CLOCK - 1] + last),
                     top.eq(acc[PER_CLOCK - 1] + early)]
        self._result(acc, d, top)
        return m

    def _register(self, *name, shape=None):
        """Return a register of data that is as wide as its bounds."""
        return Signal(shape or signed(self.bounds[name].width), name="_".join(map(str, name)),
                      reset_less=True)

    def _own(self, value, name):
        """Return a value a clock later, in a register of its own."""
        self.m.submodules[name] = register = OwnRegister()
        self.m.d.comb += register.d.eq(value)
        return register.q

    def _unless(self, a, b, clocks, name, negate=False):
        """Return ``b``, or 0 in the clocks after these ones from the start, plus or minus ``a``."""
        taken = self._own(~Cat(self.started[clock] for clock in clocks).any(), f"{name}_gate")
        self.m.submodules[name] = total = GatedSum(len(a), len(b), negate=negate)
        self.m.d.comb += [total.a.eq(a), total.b.eq(b), total.gate.eq(taken)]
        return total.total

    def _products(self):
        """Return products by digit of x in a clock, and by digit of y."""
        m = self.m
        queue = [Signal(signed(DIGIT_BITS), name=f"queue_{i}", reset_less=True)
                 for i in range(DIGITS)]
        m.d.sync += [queue[i].eq(queue[i + PER_CLOCK]) for i in range(DIGITS - PER_CLOCK)]
        for digit, x, loads in zip(queue, self.x, self.loads, strict=True):
            with m.If(loads):
                m.d.sync += digit.eq(x)
        y = [later(m, self.y[j], 1, f"y_{j}") for j in range(DIGITS)]
        # Blocks get sites in the order in which they are added, half of them below the others.
        # Those whose products are added first, at one place, lie side by side. Quotient digits come
        # from the middle of the upper row, since they go to places on both sides and below. Four
        # neighbours share an enable.
        order = sorted(((a, j) for j in range(DIGITS) for a in range(PER_CLOCK)),
                       key=lambda each: (sum(each) + DIGITS // 4) % DIGITS)
        load = [self._own(self.start, f"load_{group}") for group in range(len(order) // 4)]
        found = [[None] * DIGITS for _ in range(PER_CLOCK)]
        for index, (a, j) in enumerate(order):
            m.submodules[f"block_{a}_{j}"] = block = HeldProduct()
            m.d.comb += [block.x.eq(queue[a]), block.y.eq(y[j]), block.load.eq(load[index // 4])]
            found[a][j] = block.p
        return found

    def _tree(self, place, halves, product):
        """Return the sum of halves of products, by a tree of registers."""
        level = [product[a][j][BASE:].as_signed() if half else
                 Cat(product[a][j][:BASE], C(0, 1)).as_signed() for a, j, half in halves]
        for depth in (1, 2):
            following = []
            for index in range(0, len(level), 2):
                pair, name = level[index:index + 2], ("tree", depth, place, index // 2)
                shape = None if name in self.bounds else Shape.cast(pair[0].shape())
                node = self._register(*name, shape=shape)
                self.m.d.sync += node.eq(sum(pair[1:], pair[0]))
                following.append(node)
            level = following
        return level[0]

    def _quotient(self, acc):
        """Return the columns of what multiples of the prime add, for quotient digits."""
        t = [self._register("t", r) for r in range(PER_CLOCK)]
        d = [self._register("d", place) for place in range(DIGITS)]
        first = self._FIRST
        for r, digit in enumerate(t):
            self.m.d.sync += digit.eq(self._unless(acc[r], d[PER_CLOCK + r], (first - 1, first),
                                                   f"quotient_{r}"))
        for place, column in enumerate(d):
            addends = [(t[r], sign) for at, sign in self.prime.ones for r in range(PER_CLOCK)
                       if r + at - PER_CLOCK == place]
            above = d[place + PER_CLOCK] if place + PER_CLOCK < DIGITS else None
            if above is None:
                (digit, sign), = addends
                total = digit if sign > 0 else -digit
            elif addends:
                (digit, sign), = addends
                total = self._unless(digit, above, (first,), f"chain_{place}", negate=sign < 0)
            else:
                total = above
            self.m.d.sync += column.eq(total)
            if above is not None and not addends:
                with self.m.If(self._own(self.started[first], f"clear_{place}")):
                    self.m.d.sync += column.eq(0)
        return d

    def _result(self, acc, d, top):
        """Join both columns, fold what leaves the highest one, and carry to the next digit."""
        m, sign_of = self.m, dict(self.prime.carry)
        up, half = top[BASE:].as_signed(), top[BASE - 1]
        h = [self._register("h", k) for k in range(DIGITS)]
        for k in range(DIGITS - 1):
            column, late = later(m, acc[PER_CLOCK + k], 1, f"upper_{k}"), self._register("late", k)
            column = column.as_signed()
            m.d.sync += [
                late.eq(add_carry(column, up, half, sign_of[k]) if k in sign_of else column),
                h[k].eq(late + d[k])]
        m.d.sync += h[-1].eq(later(m, top[:BASE], 1, "top_low").as_signed())
        for k, column in enumerate(h):
            digit = column[:BASE].as_signed()
            out = Signal(signed(RESULT_BITS), name=f"out_{k}", reset_less=True)
            m.d.sync += out.eq(
                add_carry(digit, h[k - 1][BASE:].as_signed(), h[k - 1][BASE - 1]) if k else digit)
            m.d.comb += self.result[k].eq(out)
