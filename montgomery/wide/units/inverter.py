"""Quotients modulo a prime by division steps, on all digits at once."""

from amaranth.hdl import C, Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...arithmetic import division_steps
from ...blocks.carry_chain import LoadedSum, OptionalSum
from ...blocks.values import later, owned, signals
from ..datapath.ranges import BASE, RESULT_BITS, centred_digits

__all__ = ["NEGATIVE", "DigitInverter"]

#: Steps more for a negative g; see ``division_steps.py`` of the tests.
NEGATIVE = 2
#: Digits that share what controls them.
_GROUP = 2


class DigitInverter(wiring.Component):
    """``quotient = ± dividend / divisor`` modulo a prime, in signed digits of weight 2**16.

    There are two pairs of numbers: f and g, which are the prime and the divisor at first, and d and
    e, a multiple of the prime and the dividend. A step halves g if that is even; else the sum or
    difference of f and g, and then g may take the place of f. The same is done to d and e modulo
    the prime. So f is 1 or -1 in the end, as g is 0, and d is the quotient with this sign.

    Each pair goes round in three clocks, through two rows of adders: one adds; the other one
    halves, and carries from each digit to the next one. The pairs take turns at both. An odd number
    is made even by the prime, with the sign that e does not have, so that no number is twice as
    large as the prime. Signs of numbers are those of their highest digits.

    Latency: :meth:`latency` clocks from the divisor to the quotient. Throughput: a quotient at a
    time.

    Source: Bernstein, Yang: Fast constant-time gcd computation and modular inversion, section 8,
    with the first delta of 1/2.
    """

    #: Clocks from ``ends`` until the next divisor may come.
    ENDS = 4

    def __init__(self, prime):
        self.prime = prime
        super().__init__({
            # In the next clock there is a number, if that clock has ``take``. It may be so without
            # it.
            "will_take": In(1),
            # In three clocks in a row: the divisor is there, once more, and then the dividend.
            "take": In(1),
            # Digits almost within 16 bits: up to 2**15 + 2**13. The divisor is between plus and
            # minus 2**(16 * digits + 1), the dividend between the prime and minus that.
            "number": In(signed(RESULT_BITS)).array(prime.digits),
            "ends": In(1),  # the quotient is no longer needed
            # Some number while there is none yet; 0 from ENDS clocks after the end.
            "quotient": Out(signed(RESULT_BITS + 1)).array(prime.digits),
        })

    @classmethod
    def latency(cls, prime):
        """Return the clocks from the divisor to the quotient."""
        return 3 * _steps(prime) + 7

    def elaborate(self, platform):
        m = self.m = Module()
        first, ones, shift = _half(self.prime)
        # Where the prime is added digits have one more bit.
        widths = [RESULT_BITS + abs(one) for one in ones]
        # moving: f or d; moved, still: the same one and two clocks later. changing: g or e, half of
        # total, or half of total and the prime.
        still, moved, moving, changing, total = (
            [Signal(signed(width + more), name=f"{name}_{place}", reset_less=True)
             for place, width in enumerate(widths)]
            for name, more in (("still", 0), ("moved", 0), ("moving", 0), ("changing", 0),
                               ("total", 1)))
        adds, moves, clears, of_quotient, shows = self._control(total[0][1])
        parity = Signal(name="parity")
        signs = self._signs(parity, adds & moved[0][0], of_quotient, changing[-1][-1])
        plus, minus = signs[0]
        below, carry = (Mux(plus, C(first, RESULT_BITS), 0)
                        | Mux(minus, C(1 - first, RESULT_BITS), 0)).as_signed(), C(0, 1)
        digits = centred_digits(self.prime.value, len(ones))
        for place, one in enumerate(ones):
            if place % _GROUP == 0:
                add, move, clear, keep, show = (
                    owned(self.m, value, f"{name}_{place}") for name, value in (
                        ("add", adds), ("move", moves), ("clear", clears),
                        ("keep", ~self.will_take), ("show", shows)))
            m.submodules[f"sum_{place}"] = each = OptionalSum(len(total[place]))
            m.submodules[f"half_{place}"] = half = LoadedSum(len(changing[place]))
            m.d.comb += [
                each.a.eq(still[place]), each.b.eq(changing[place]), each.has_a.eq(add),
                each.negative.eq(move), half.b.eq(below), half.carry.eq(carry),
                half.keeps.eq(keep), half.other.eq(self.number[place])]
            m.d.sync += [total[place].eq(each.total), changing[place].eq(half.total),
                         moving[place].eq(Mux(move, changing[place], still[place])),
                         moved[place].eq(moving[place]), still[place].eq(moved[place])]
            with m.If(clear):
                m.d.sync += [total[place].eq(0), moving[place].eq(digits[place]),
                             self.quotient[place].eq(0)]
            with m.Elif(show):
                m.d.sync += self.quotient[place].eq(still[place])
            plus, minus = signs[place][::one] if one else (0, 0)
            if place == len(ones) - 1:
                low, high = (later(m, part, 1, f"half_{place}") for part in (
                    total[place][1:1 + shift], total[place][1 + shift:]))
                m.d.comb += half.a.eq(Cat(low, (high.as_signed() + plus - minus)[:len(high)])
                                      .as_signed())
                break
            # What counts 2**15 in half the sum; of it the next digit gets -1, 0 or 1.
            above = total[place][BASE:].as_signed() + total[place + 1][0]
            less, more = above <= -2, above >= 1
            rest = (above + 2 * less - 2 * more)[:1 + abs(one)]
            low, rest, below, carry = (later(m, value, 1, f"{name}_{place}") for name, value in (
                ("half", total[place][1:BASE]), ("rest", rest), ("less", less), ("more", more)))
            if one:
                rest = (rest.as_signed() + plus - minus)[:3]
            m.d.comb += half.a.eq(Cat(low, rest).as_signed())
            if not place:
                m.d.comb += parity.eq(low[0])
            below = below.as_signed()
        return m

    def _control(self, odd):
        """Return what is true in the next clock: f or d is added; it is subtracted, and takes the
        place of g or e; all is cleared. Then whether d and e are added in this clock, and in the
        next one.

        ``odd`` says a clock after the sum of f and g whether half of that is odd.
        """
        m = self.m
        taken = later(m, self.take, 1, "taken", reset_less=False)
        runs, adds, moves, will_run = signals("runs adds moves will_run")
        # In turn the sum is there of f and g; of d and e; and of what does not count.
        turns = Signal(3)
        delta = Signal(signed(1 + _steps(self.prime).bit_length()))  # less 1/2
        first = self.take & self.number[0][0]
        m.d.comb += will_run.eq((runs | taken) & ~self.ends)
        m.d.sync += [runs.eq(will_run), turns.eq(Mux(runs, turns.rotate_left(1), Cat(0, 0, taken)))]
        with m.If(~runs):
            m.d.sync += [adds.eq(first), moves.eq(first)]
        with m.Elif(turns[0]):
            m.d.sync += [adds.eq(odd), moves.eq(odd & ~delta[-1])]
        with m.If(~runs):
            m.d.sync += delta.eq(0)
        with m.Elif(turns[2]):
            m.d.sync += delta.eq((delta ^ moves.replicate(len(delta)).as_signed()) + 1)
        return adds, moves, ~will_run, turns[0], turns[2]

    def _signs(self, parity, adds_one, of_quotient, negative):
        """Return by place, if half the prime has a digit there: whether the prime is added to the
        sum of d and e, or subtracted, since it is odd, and e is negative or not.

        ``parity`` is the lowest bit of half the sum, before it gets ``first`` or ``1 - first``. An
        odd f or d will be added to what it becomes if ``adds_one``. In this clock d and e are added
        if ``of_quotient``, and e may be ``negative``.
        """
        m, (first, ones, _) = self.m, _half(self.prime)
        odd, adds, removes = signals("odd adds_prime removes_prime")
        signs = {place: (owned(m, adds, f"plus_{place}"), owned(m, removes, f"minus_{place}"))
                 for place, one in enumerate(ones) if one or not place}
        m.d.sync += [
            odd.eq(parity ^ signs[0][first & 1 ^ 1] ^ adds_one ^ (self.take & self.number[0][0])),
            adds.eq(of_quotient & odd & negative), removes.eq(of_quotient & odd & ~negative)]
        return signs


def _steps(prime):
    return division_steps(BASE * prime.digits + 1) + NEGATIVE


def _half(prime):
    """Return ``first``, ``ones`` and ``shift`` for a prime p: (p + 1) / 2 is the sum of ``first``,
    of ``ones[k] * 2**(16 * k + 15)`` for all places but the highest, and of ``2**shift`` there.
    """
    number = prime.value + 1 >> 1
    highest = BASE * (prime.digits - 1)
    top = number + (1 << highest - 1) >> highest
    lowest = (number + (1 << BASE - 2)) % (1 << BASE - 1) - (1 << BASE - 2)
    ones = centred_digits(number - (top << highest) - lowest >> BASE - 1, prime.digits)
    if top & top - 1 or any(abs(one) > 1 for one in ones):
        raise ValueError(f"The digits of half the prime {prime.value:#x} must be single bits")
    return lowest, [*ones[:-1], 1], top.bit_length() - 1
