"""Quotients modulo a prime by division steps, on all digits at once."""

from amaranth.hdl import C, Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.delay import later
from .cells import OwnRegister
from .chains import LoadedSum, OptionalSum
from .core import RESULT_BITS
from .held import GROUP
from .ranges import BASE, centred_high, centred_low

__all__ = ["DigitInverter", "division_steps"]

#: Bits of the highest digit.
_TOP = RESULT_BITS + 1


def division_steps(bits):
    """Return how many steps with the first delta of 1/2 end with 0, for f and g of so many bits.

    Two are for a negative g; see ``benchmarks/division_steps.py``.

    Source: Wuille, Maxwell: Bounds on divsteps iterations in safegcd, generic formula for
    hddivsteps.
    """
    return (45907 * bits + 30179) // 19929 + 2


class DigitInverter(wiring.Component):
    """``quotient = ± dividend / divisor`` modulo a prime, in signed digits of weight 2**16.

    There are two pairs of numbers: f and g, which are the prime and the divisor at first, and d and
    e, a multiple of the prime and the dividend. A step halves g if that is even; else the sum or
    difference of f and g, and then g may take the place of f. The same is done to d and e modulo
    the prime. So f is 1 or -1 in the end, as g is 0, and d is the quotient with this sign.

    Each pair goes round through two rows of adders: one adds; the other one halves, and carries
    from each digit to the next one. The two pairs take turns at both. An odd number is made even by
    the prime, with the sign that e does not have, so that numbers do not grow. Signs of numbers are
    those of their highest digits.

    Latency: :meth:`latency` clocks from the divisor until ``gives`` may be 1, and :attr:`GIVES`
    from there to the quotient. Throughput: a quotient at a time.

    Source: Bernstein, Yang: Fast constant-time gcd computation and modular inversion, section 8,
    with the first delta of 1/2.

    Parameters
    ----------
    prime : object
        With the attributes ``value`` and ``digits`` of :class:`~.primes.Prime`.

    Members
    -------
    will_take : :py:`In(1)`
        In the next clock there is a number, if that clock has ``take``. It may be so without it.
    take : :py:`In(1)`
        In two clocks in a row: the divisor is there, and then the dividend.
    number : :py:`In(signed(RESULT_BITS)).array(digits)`
        Digits almost within 16 bits: up to 2**15 + 2**13. The divisor is between plus and minus
        2**(16 * digits + 1), the dividend between the prime and minus that.
    gives : :py:`In(1)`
        Give the quotient, :attr:`GIVES` clocks later, and end.
    quotient : :py:`Out(signed(RESULT_BITS + 1)).array(digits)`
        It is 0 in all other clocks, but may be there a clock earlier.
    """

    #: Clocks from ``gives`` to the quotient.
    GIVES = 3

    def __init__(self, prime):
        self.prime = prime
        super().__init__({
            "will_take": In(1), "take": In(1),
            "number": In(signed(RESULT_BITS)).array(prime.digits), "gives": In(1),
            "quotient": Out(signed(_TOP)).array(prime.digits)})

    @classmethod
    def latency(cls, prime):
        """Return the clocks from the divisor until the quotient may be asked for."""
        return 2 * _steps(prime)

    def elaborate(self, platform):
        m = self.m = Module()
        count = self.prime.digits
        widths = [RESULT_BITS] * (count - 1) + [_TOP]
        # f or d, and the same a clock later; g or e, and what that is before it is halved.
        still, moving, changing, total = (
            [Signal(signed(width + more), name=f"{name}_{place}", reset_less=True)
             for place, width in enumerate(widths)]
            for name, more in (("still", 0), ("moving", 0), ("changing", 0), ("total", 1)))
        given = later(m, self.gives, 1, "given", reset_less=False)
        will_add, will_move, clears, of_quotient, odd = self._control(
            given, still, changing, total)
        halves = self._halves(total, of_quotient & odd, changing[-1][-1])
        digits = _centred(self.prime.value, count)
        for place in range(count):
            if place % GROUP == 0:
                adds, moves, cleared, keeps, shut = (
                    self._own(value, f"{name}_{place}") for name, value in (
                        ("adds", will_add), ("moves", will_move), ("cleared", clears),
                        ("keeps", ~self.will_take), ("shut", ~(self.gives | given))))
            m.submodules[f"sum_{place}"] = each = OptionalSum(len(total[place]))
            m.submodules[f"half_{place}"] = half = LoadedSum(len(changing[place]))
            a, b, carry = halves[place]
            m.d.comb += [
                each.a.eq(still[place]), each.b.eq(changing[place]), each.has_a.eq(adds),
                each.negative.eq(moves), half.a.eq(a), half.b.eq(b), half.carry.eq(carry),
                half.keeps.eq(keeps), half.other.eq(self.number[place])]
            m.d.sync += [total[place].eq(each.total), changing[place].eq(half.total),
                         moving[place].eq(Mux(moves, changing[place], still[place])),
                         still[place].eq(moving[place])]
            with m.If(cleared):
                m.d.sync += [total[place].eq(0), moving[place].eq(digits[place])]
            with m.If(shut):
                m.d.sync += self.quotient[place].eq(0)
            with m.Elif(of_quotient):
                m.d.sync += self.quotient[place].eq(still[place])
        return m

    def _own(self, value, name):
        """Return a value a clock later, in a register of its own."""
        self.m.submodules[name] = register = OwnRegister()
        self.m.d.comb += register.d.eq(value)
        return register.q

    def _control(self, ends, still, changing, total):
        """Return what is true in the next clock: f or d is added; it is subtracted, and takes the
        place of g or e; all is cleared. And in this one: d and e are added; their sum is odd.
        """
        m = self.m
        runs, adds, moves, of_quotient, will_run, will_add, will_move = (
            Signal(name=name) for name in ("runs", "adds", "moves", "of_quotient", "will_run",
                                           "will_add", "will_move"))
        decides = Signal(init=1)  # g is halved, and so the next step is known
        delta = Signal(signed(1 + _steps(self.prime).bit_length()))  # less 1/2
        m.d.comb += [
            will_run.eq((runs | self.take) & ~ends),
            will_add.eq(Mux(decides, total[0][1] | (self.take & self.number[0][0]), adds)),
            will_move.eq(Mux(decides, will_add & ~delta[-1], moves))]
        m.d.sync += [runs.eq(will_run), decides.eq(~(will_run & decides)), adds.eq(will_add),
                     moves.eq(will_move), of_quotient.eq(runs & ~decides)]
        with m.If(~runs):
            m.d.sync += delta.eq(0)
        with m.Elif(~decides):
            m.d.sync += delta.eq((delta ^ moves.replicate(len(delta)).as_signed()) + 1)
        return will_add, will_move, ~will_run, of_quotient, changing[0][0] ^ (adds & still[0][0])

    def _halves(self, total, odd, negative):
        """Return for each place two digits and a carry, whose sum is a digit of half the total.

        To an odd number the prime is added, or it is subtracted from one that is not negative.
        """
        m, (lowest, ones, shift) = self.m, _half(self.prime)
        found, below, more = [], None, C(0, 1)
        for place, digit in enumerate(total):
            if ones[place] or not place:
                adds, removes = (self._own(odd & sign, f"{name}_prime_{place}") for name, sign in (
                    ("adds", negative), ("removes", ~negative)))
            half = digit[1:].as_signed()
            if place == len(total) - 1:
                # A one by which the bit at the shift counts, and signs of what comes from below.
                b = Cat(below.replicate(shift), below ^ (adds | removes), removes | (below & ~adds))
                found.append((half, b.as_signed(), more))
                break
            b = below.as_signed() if place else (
                Mux(adds, C(lowest, RESULT_BITS), 0)
                | Mux(removes, C(1 - lowest, RESULT_BITS), 0)).as_signed()
            above, high = Signal(signed(4), name=f"above_{place}"), half[BASE - 1:].as_signed()
            value = high + total[place + 1][0]
            if ones[place]:
                plus, minus = (adds, removes)[::ones[place]]
                value = value + plus - minus
            less, exceeds = (Signal(name=f"{name}_{place}") for name in ("less", "exceeds"))
            m.d.comb += [above.eq(value), less.eq(above <= -2), exceeds.eq(above >= 1)]
            rest = above + 2 * less - 2 * exceeds
            rest = rest[:2 if ones[place] else 1]
            found.append((Cat(half[:BASE - 1], rest).as_signed(), b, more))
            below, more = less, exceeds
        return found


def _steps(prime):
    return division_steps(BASE * prime.digits + 1)


def _centred(number, count):
    """Return digits of a number, from -2**15 to 2**15 - 1 but for the highest one."""
    digits = []
    for _ in range(count - 1):
        digits.append(centred_low(number))
        number = centred_high(number)
    return [*digits, number]


def _half(prime):
    """Return half of one more than a prime: what there is at the lowest place; by place how often
    2**15 is; and which power of two it is at the highest place.
    """
    number = prime.value + 1 >> 1
    highest = BASE * (prime.digits - 1)
    top = number + (1 << highest - 1) >> highest
    lowest = (number + (1 << BASE - 2)) % (1 << BASE - 1) - (1 << BASE - 2)
    ones = _centred(number - (top << highest) - lowest >> BASE - 1, prime.digits)
    if top & top - 1 or any(abs(one) > 1 for one in ones):
        raise ValueError(f"The digits of half the prime {prime.value:#x} must be single bits")
    return lowest, [*ones[:-1], 1], top.bit_length() - 1
