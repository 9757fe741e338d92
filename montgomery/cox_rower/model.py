"""What the Rowers do for a key and for a message, as integers."""

import math

from ..blocks.windows import digits_of
from ..core import ceil_div, from_words, to_words
from .microcode import Adds, Digits, Run
from .rns import Residues

__all__ = ["RowerModel", "correct", "remainder"]


def remainder(dividend, divisor, r):
    """Return ``dividend % divisor`` by the division of :class:`~.divider.Divider`.

    The upper words of the dividend are below the divisor; bits of the others follow one by one.
    """
    dividend_words, divisor_words = (ceil_div(each.bit_length(), r) for each in (dividend, divisor))
    left = r * max(dividend_words - divisor_words + 1, 0)
    rest = dividend >> left
    for index in reversed(range(left)):
        # rest < divisor
        rest = 2 * rest + (dividend >> index & 1)
        difference = rest - divisor
        rest = rest if difference < 0 else difference
    return rest


def correct(value, modulus, multiples):
    """Return ``value - c modulus`` below the modulus, for a value below ``multiples`` times it.

    Each multiple of a power of two is subtracted, and the difference taken if it is not negative.
    """
    for power in reversed(range((multiples - 1).bit_length())):
        difference = value - (modulus << power)
        value = value if difference < 0 else difference
    return value


class RowerModel:
    """The numbers in the memories of the Rowers, while these go through the microcode."""

    def __init__(self, params, factors):
        self.params, self.at, self.factors = params, params.places, factors
        self.rns = params.sets[params.index_of(factors)]
        # By place. Lists of digits where these have been loaded.
        self.memory = {}
        self._bit, self._digits, self._result = self.rns.bases.r, [], None

    def run(self, message, exponents, bits, public=1):
        """Return the message raised to the exponents, or None if it has not passed the check.

        There is an exponent of so many bits for each factor, and a public one for the check.
        """
        at, n, r = self.at, self.rns.bases.n, self.rns.bases.r
        digits = [digits_of(each, bits, self.params.window) for each in exponents]
        results = [message]
        for walk in self.params.walks(self.factors, bits, public):
            for step, turns in walk:
                factor = turns.get("factor", 0)
                match step.label.removeprefix("single "):
                    case "key":
                        self.memory[at.unit] = self.rns.residues(1)
                        self.memory |= {place: to_words(number, r, n) for place, number in
                                        enumerate(self._numbers(factor), at.unit + 1)}
                    case "message" | "check":
                        self.memory[at.digits] = to_words(results[-1], r, (1 + at.crt) * n)
                self._do(step, turns, digits[factor])
                if step.fields["run"] is Run.TO_DIGITS:
                    results.append(correct(from_words(self._result, r), math.prod(self.factors),
                                           4 if at.crt else 2))
        return None if self.params.checks and results[-1] != message else results[1]

    def _numbers(self, index):
        """Return the numbers that are loaded for a factor: B and B**2 are divided by it."""
        factor, b, r = self.factors[index], self.rns.bases.b_product, self.rns.bases.r
        numbers = [factor, remainder(b, factor, r), remainder(b ** 2, factor, r)]
        if len(self.factors) > 1:
            numbers.append(pow(self.factors[1 - index], -1, factor))
        return numbers

    def _do(self, step, turns, digits):
        """Do a step, with the digits of the exponent of the current factor."""
        rns, memory, fields = self.rns, self.memory, step.fields
        q = turns.get("factor", 0)
        target, x, y = (self._place(fields[name], q, turns) for name in ("target", "x", "y"))
        a, b, key = rns.bases.a, rns.bases.b, self.at.key + q
        x, y = memory[x], memory[y]
        match fields["run"]:
            case Run.MULTIPLICATION:
                memory[target] = rns.product(x, y, memory[key])
            case Run.TO_RNS | Run.MESSAGE_TO_RNS:
                memory[target] = rns.from_digits(x)
            case Run.TO_DIGITS:
                self._result = rns.to_digits(x, y if self.at.crt else None)
            case Run.INVERSION:
                # All square at the same time, and multiply where their own exponent has a one.
                self._bit = (self._bit or rns.bases.r) - 1
                chosen = (n if exponent >> self._bit & 1 else 1 for n, exponent in
                          zip(memory[key].b, rns.exponents, strict=True))
                memory[target] = Residues((), rns.each(b, rns.each(b, x.b, y.b), chosen))
            case Run.KEY:
                memory[target] = Residues(rns.each(a, memory[target].a, rns.s_to_xi),
                                          rns.each(b, x.b, rns.negated_inverse_of_b_j))
            case Run.PRODUCT:
                memory[target] = Residues(rns.each(a, x.a, y.a), rns.each(b, x.b, y.b))

        match fields["digits"]:
            case Digits.REWIND:
                self._digits = digits
            case Digits.NEXT:
                self._digits = self._digits[1:]

    def _place(self, field, q, turns):
        at, place = self.at, field["place"]
        match field["adds"]:
            case Adds.NOTHING:
                return place
            case Adds.FACTOR:
                return place + q
            case Adds.ENTRY:
                return place + turns["entry"]
            case Adds.RESULT if not self._digits:
                return at.y
        digit = self._digits[0]
        return at.powers + digit if digit else at.one + q
