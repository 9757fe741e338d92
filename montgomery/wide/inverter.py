"""Quotients modulo a prime by division steps, on all digits at once."""

from amaranth.hdl import C, Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.delay import later
from .cells import OwnRegister
from .chains import LoadedSum, OptionalSum
from .core import RESULT_BITS
from .ranges import BASE, centred_high, centred_low

__all__ = ["DigitInverter", "division_steps"]

#: Digits that share what controls them.
_GROUP = 2


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
    the prime, with the sign that e does not have, so that no number is twice as large as the prime.
    Signs of numbers are those of their highest digits.

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
        In three clocks in a row: the divisor is there, once more, and then the dividend.
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
            "quotient": Out(signed(RESULT_BITS + 1)).array(prime.digits)})

    @classmethod
    def latency(cls, prime):
        """Return the clocks from the divisor until the quotient may be asked for."""
        return 2 * _steps(prime) + 1

    def elaborate(self, platform):
        m = self.m = Module()
        first, ones, shift = _half(self.prime)
        # Where the prime is added digits have one more bit.
        widths = [RESULT_BITS + abs(one) for one in ones]
        # f or d, and the same a clock later; g or e, and the sum of which that is half.
        still, moving, changing, total = (
            [Signal(signed(width + more), name=f"{name}_{place}", reset_less=True)
             for place, width in enumerate(widths)]
            for name, more in (("still", 0), ("moving", 0), ("changing", 0), ("total", 1)))
        will_add, will_move, clears, of_quotient, will_show = self._control(
            changing[0][1], still[0][1])
        signs = self._signs(total, shift, first & 1, of_quotient, will_add & moving[0][0])
        plus, minus = signs[0]
        below, carry = (Mux(plus, C(first, RESULT_BITS), 0)
                        | Mux(minus, C(1 - first, RESULT_BITS), 0)).as_signed(), C(0, 1)
        digits = _centred(self.prime.value, len(ones))
        for place, one in enumerate(ones):
            if place % _GROUP == 0:
                adds, moves, cleared, keeps, shut, shown = (
                    self._own(value, f"{name}_{place}") for name, value in (
                        ("adds", will_add), ("moves", will_move), ("cleared", clears),
                        ("keeps", ~self.will_take), ("shut", ~(self.gives | self._given)),
                        ("shown", will_show)))
            m.submodules[f"sum_{place}"] = each = OptionalSum(len(total[place]))
            m.submodules[f"half_{place}"] = half = LoadedSum(len(changing[place]))
            m.d.comb += [
                each.a.eq(still[place]), each.b.eq(changing[place]), each.has_a.eq(adds),
                each.negative.eq(moves), half.b.eq(below), half.carry.eq(carry),
                half.keeps.eq(keeps), half.other.eq(self.number[place])]
            m.d.sync += [total[place].eq(each.total), changing[place].eq(half.total),
                         moving[place].eq(Mux(moves, changing[place], still[place])),
                         still[place].eq(moving[place])]
            with m.If(cleared):
                m.d.sync += [total[place].eq(0), moving[place].eq(digits[place])]
            with m.If(shut):
                m.d.sync += self.quotient[place].eq(0)
            with m.Elif(shown):
                m.d.sync += self.quotient[place].eq(still[place])
            plus, minus = signs[place][::one] if one else (0, 0)
            if place == len(ones) - 1:
                highest = total[place][1 + shift:].as_signed() + plus - minus
                m.d.comb += half.a.eq(Cat(total[place][1:1 + shift],
                                          highest[:len(half.a) - shift]).as_signed())
                break
            # What counts 2**15 in half the sum; of it the next digit gets -1, 0 or 1.
            odd = ~cleared & (changing[place + 1][0] ^ (still[place + 1][0] & adds))
            above = each.total[BASE:].as_signed() + odd
            less, more = above <= -2, above >= 1
            rest = above + 2 * less - 2 * more
            rest = Cat(self._own(rest[bit], f"rest_{place}_{bit}") for bit in range(1 + abs(one)))
            if one:
                rest = (rest.as_signed() + plus - minus)[:3]
            m.d.comb += half.a.eq(Cat(total[place][1:BASE], rest).as_signed())
            below, carry = self._own(less, f"less_{place}").as_signed(), self._own(
                more, f"more_{place}")
        return m

    def _own(self, value, name):
        """Return a value a clock later, in a register of its own."""
        self.m.submodules[name] = register = OwnRegister()
        self.m.d.comb += register.d.eq(value)
        return register.q

    def _control(self, g, f):
        """Return what is true in the next clock: f or d is added; it is subtracted, and takes the
        place of g or e; all is cleared. Then whether d and e are added in this clock, and in the
        next one.

        The second bits of f and g tell a step before whether g will be odd.
        """
        m = self.m
        taken, self._given = (later(m, value, 1, name, reset_less=False) for name, value in (
            ("taken", self.take), ("given", self.gives)))
        runs, adds, moves, of_quotient, will_run = (Signal(name=name) for name in (
            "runs", "adds", "moves", "of_quotient", "will_run"))
        decides = Signal(init=1)  # d and e are added, or nothing is
        delta = Signal(signed(1 + _steps(self.prime).bit_length()))  # less 1/2
        first, odd = self.take & self.number[0][0], g ^ (adds & (f ^ ~moves))
        m.d.comb += will_run.eq((runs | (self.take & taken)) & ~self._given)
        m.d.sync += [runs.eq(will_run), decides.eq(~(will_run & decides)),
                     of_quotient.eq(runs & ~decides)]
        with m.If(~runs):
            m.d.sync += [adds.eq(first), moves.eq(first)]
        with m.Elif(~decides):
            m.d.sync += [adds.eq(odd), moves.eq(odd & ~delta[-1])]
        with m.If(~will_run):
            m.d.sync += delta.eq(0)
        with m.Elif(decides):
            m.d.sync += delta.eq((delta ^ moves.replicate(len(delta)).as_signed()) + 1)
        return adds, moves, ~will_run, of_quotient, runs & ~decides

    def _signs(self, total, shift, first, of_quotient, adds_one):
        """Return by place, if half the prime has a digit there: whether the prime is added to a sum
        that is odd, or subtracted.

        The sum of d and e is known to be odd two clocks before it is halved: from the lowest bit of
        e, which is made then, and of what is added. The highest digit tells the sign of e.

        Parameters
        ----------
        shift, first : :class:`int`
            See :func:`_half`; of the first digit the lowest bit.
        """
        odd, negative = Signal(name="odd"), Signal(name="negative")
        found = {place: tuple(self._own(of_quotient & odd & sign, f"{name}_{place}")
                              for name, sign in (("plus", negative), ("minus", ~negative)))
                 for place, one in enumerate(_half(self.prime)[1]) if one or not place}
        plus, minus = found[len(total) - 1]
        self.m.d.sync += [
            odd.eq(total[0][1] ^ found[0][first ^ 1] ^ adds_one ^ (self.take & self.number[0][0])),
            negative.eq(total[-1][shift + 1:shift + 4].as_signed() + plus < minus)]
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
    """Return half of one more than a prime: the first digit; by place how often there is 2**15; and
    the power of two at the highest place, which counts as one.
    """
    number = prime.value + 1 >> 1
    highest = BASE * (prime.digits - 1)
    top = number + (1 << highest - 1) >> highest
    lowest = (number + (1 << BASE - 2)) % (1 << BASE - 1) - (1 << BASE - 2)
    ones = _centred(number - (top << highest) - lowest >> BASE - 1, prime.digits)
    if top & top - 1 or any(abs(one) > 1 for one in ones):
        raise ValueError(f"The digits of half the prime {prime.value:#x} must be single bits")
    return lowest, [*ones[:-1], 1], top.bit_length() - 1
