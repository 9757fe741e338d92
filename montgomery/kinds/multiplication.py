"""The operations of multipliers: edge cases, random ones, and their cycles."""

import dataclasses
import math
import random

from ..arithmetic import montgomery_product, shown
from ..operations import Definition, Description, Example, Operand, WholeOperation, plural

__all__ = ["Multiplication", "Products"]

#: How often operands with a property are looked for.
_TRIES = 32
#: Bits of all moduli of digits at the ends of their range, and the fewest and the most of these.
_EXTREME_BITS, _FEWEST_EXTREMES, _MOST_EXTREMES = 6144, 4, 96

_CONVERSION = """\
Write mont(x, y) for the result of one multiplication by the core. Modulo m, it is x y R⁻¹. Compute
R² mod m once for each modulus, outside of the core.

**One product.** mont(mont(x, R² mod m), y) is x y modulo m: the first multiplication gives x R, and
the second one x R y R⁻¹.

**Many products.** Convert each operand once: x' = mont(x, R² mod m) is x R modulo m. The product of
converted numbers is a converted number: mont(x', y') is x y R modulo m. In the end, mont(z', 1) is
z modulo m.

"""

_USAGE = '''\
def product(x, y, modulus, multiply):
    """Return x * y % modulus, by two multiplications of the core.

    multiply is a function that sends a list of words to the core and returns the words that come.
    """
    first = decode(multiply(encode(x, R * R % modulus, modulus)))
    return decode(multiply(encode(first, y, modulus))) % modulus
'''

_KEYED_USAGE = '''\
def product(x, y, modulus, load, multiply):
    """Return x * y % modulus, by two multiplications of the core.

    load is a function that sends a list of words to port k, and multiply one that sends a list of
    words to port i and returns the words that come. For further products of the same modulus, load
    nothing.
    """
    load(encode_key(modulus))
    first = decode(multiply(encode(x, R * R % modulus)))
    return decode(multiply(encode(first, y))) % modulus
'''


@dataclasses.dataclass(frozen=True)
class Products:
    """All multiplications of one modulus by some first operands.

    Iteration yields x, y and the modulus of each, and the length is their number.

    Attributes
    ----------
    modulus : :class:`int`
    first, end : :class:`int`
        The range of x.
    bound : :class:`int`
        The end of the range of y, which begins with 0.
    """

    modulus: int
    first: int
    end: int
    bound: int

    def __len__(self):
        return (self.end - self.first) * self.bound

    def __iter__(self):
        return ((x, y, self.modulus) for x in range(self.first, self.end)
                for y in range(self.bound))


def _repeated(bits, word):
    """Return numbers of repeated bits and words: ones, one one at either end, every other bit or
    word, and ones but for the lowest word.
    """
    ones = (1 << bits) - 1
    pairs = sum(((1 << word) - 1) << low for low in range(0, bits, 2 * word)) & ones
    return [0, 1, ones, 1 << max(bits - 1, 0), ones // 3, ones - ones // 3, pairs, ones ^ pairs,
            ones ^ (1 << min(word, bits - 1)) - 1]


def _extreme(rng, bits, word):
    """Return a number whose digits are close to the ends of their range, mostly to the upper one.

    Products of two such digits make long carries at once.
    """
    number = 0
    for low in range(0, bits, word):
        near = rng.randrange(6)
        size = min(word, bits - low)
        number |= (near if rng.random() < 0.25 else ~near) % (1 << size) << low
    return number


class Multiplication:
    """The part of :class:`~montgomery.kinds.multiplier.Multiplier` that says what is computed."""

    def golden(self, x, y, modulus):
        """See :meth:`CoreParameters.golden`."""
        return montgomery_product(x, y, modulus, self.r)

    def contradiction(self, result, x, y, modulus):
        """Results may be any numbers below the bound; see :meth:`CoreParameters.contradiction`."""
        bound = self.bound(modulus)
        if not 0 <= result < bound:
            return f"results must be below bound(modulus) = {bound:#x}"
        return super().contradiction(result % modulus, x, y, modulus)

    def edge_operands(self):
        """The smallest and the largest operands of the smallest modulus, of one of all ones and of
        one with but two ones, and operands whose bits alternate; see
        :meth:`CoreParameters.edge_operands`.
        """
        width = self.width
        vectors = []
        for modulus in map(self.usable_modulus, (3, (1 << width) - 1, (1 << (width - 1)) + 1)):
            top = self.bound(modulus) - 1
            vectors += [(0, 0, modulus), (1, top, modulus), (modulus - 1, modulus - 1, modulus),
                        (top, top, modulus)]
        modulus = self.usable_modulus((1 << width) - 1)
        odd, even = modulus // 3, modulus - modulus // 3
        vectors += [(odd, even, modulus), (even, odd, modulus), (top, 0, vectors[-1][2])]
        return vectors

    def multiple(self, modulus):
        """Return the multiple of the modulus that the quotient is multiplied by."""
        return modulus

    def solved_operands(self):
        """Operands for quotients and for results of repeated digits, for the least and the largest
        results, and for products that the modulus divides; numbers of digits close to the ends of
        their range, and of digits whose products end in ones; see
        :meth:`CoreParameters.solved_operands`.
        """
        rng = random.Random(f"{self!r} solved")
        half, word = self.width // 2, min(self.o_width, self.width)
        top = (1 << self.width) - 1
        hollow = top ^ (((1 << word) - 1) << half & top >> 1 & ~1)
        vectors = []
        for modulus in dict.fromkeys(map(self.usable_modulus, (top, hollow))):
            for quotient in _repeated(self.r.bit_length() - 1, word) if self._r_is_power else ():
                vectors.append(self._giving_quotient(rng, quotient, modulus))
            for result in (1, modulus - 1, self.r % modulus,
                           *(number % modulus for number in _repeated(self.width - 1, word))):
                vectors += self._giving_result(rng, result, modulus)
        for _ in range(_TRIES):
            left, right = (rng.getrandbits(bits) | 1 << (bits - 1) | 1
                           for bits in (self.width - half, half))
            modulus = left * right
            if 1 not in (left, right) and self.usable_modulus(modulus) == modulus:
                vectors += [(left * rng.randrange(1, right), right * rng.randrange(1, left),
                             modulus) for _ in range(3)]
                break
        vectors += self._giving_ones(rng, word)
        count = min(max(_EXTREME_BITS // self.width, _FEWEST_EXTREMES), _MOST_EXTREMES)
        for index in range(count):
            modulus = self.usable_modulus(_extreme(rng, self.width, word) | 3)
            if index % 2 and self._r_is_power:
                quotient = _extreme(rng, self.r.bit_length() - 1, word)
                vectors.append(self._giving_quotient(rng, quotient, modulus))
            else:
                bound = self.bound(modulus)
                vectors.append((*(_extreme(rng, (bound - 1).bit_length(), word) % bound
                                  for _ in range(2)), modulus))
        return vectors

    def _giving_ones(self, rng, word):
        """Return operands of which one digit times each of another number ends in ones.

        The first digit of x and all of y, or of y and all of x; or all of the quotient and of the
        modulus. What is added to such a product carries through all of its lower half.
        """
        base = 1 << word
        modulus = self.usable_modulus((1 << self.width) - 1)
        bound, vectors = self.bound(modulus), []

        def digits(digit, bits):
            return sum(digit << low for low in range(0, bits, word)) & ((1 << bits) - 1)

        bits = bound.bit_length() - 1
        for _ in range(2):
            first = rng.randrange(1, base, 2)
            one = (rng.randrange(bound) >> word << word | first) % (1 << bits)
            other = digits(-pow(first, -1, base) % base, bits)
            vectors += [(one, other, modulus), (other, one, modulus)]
            if self._r_is_power:
                divisor = self.usable_modulus(digits(-pow(first, -1, base) % base, self.width) | 3)
                vectors.append(self._giving_quotient(
                    rng, digits(first, self.r.bit_length() - 1), divisor))
        return vectors

    def _giving_quotient(self, rng, quotient, modulus):
        """Return operands whose quotient is a number: x y + quotient modulus is a multiple of R.

        Where x would be too large, the lower bits of the quotient are those of the number.
        """
        bound = self.bound(modulus)
        for _ in range(_TRIES):
            y = rng.randrange(1, bound, 2)
            x = -quotient * self.multiple(modulus) * pow(y, -1, self.r) % self.r
            if x < bound:
                break
        else:
            x %= 1 << (bound.bit_length() - 1)
        return x, y, modulus

    def _giving_result(self, rng, result, modulus):
        """Return up to one pair of operands: the product is congruent to the result."""
        for _ in range(_TRIES):
            x = rng.randrange(1, modulus)
            if math.gcd(x, modulus) == 1:
                return [(x, result * self.r * pow(x, -1, modulus) % modulus, modulus)]
        return []

    def random_operands(self, rng, *, shorter=False):
        modulus = self.random_modulus(rng, shorter=shorter)
        bound = self.bound(modulus)
        return rng.randrange(bound), rng.randrange(bound), modulus

    def whole_operation(self, rng):
        modulus = self.random_modulus(rng)
        base = rng.randrange(modulus)
        exponent = rng.getrandbits(self.width) | 1 << (self.width - 1)
        operations, result = self.exponentiation(base, exponent, modulus)
        return WholeOperation(
            inputs={"base": base, "exponent": exponent, "modulus": modulus},
            operations=operations, result=result, golden=pow(base, exponent, modulus),
            exponent_bits=exponent.bit_length())

    def exponentiation(self, base, exponent, modulus):
        """Return the multiplications of an exponentiation by squaring, and its result.

        From left to right, as a processor around one multiplier would do them, each depending on
        the one before: into the Montgomery domain, a square for each bit and a product for each
        one, and out of it.

        Parameters
        ----------
        base, exponent : :class:`int`
            Not negative; the base below the modulus.

        Returns
        -------
        vectors : list of (x, y, modulus)
        result : :class:`int`
            ``base ** exponent % modulus``, computed by :meth:`compute` alone.

        Raises
        ------
        ValueError
            If the base or the exponent is out of range, or the modulus not one of the core's.
        """
        if exponent < 0:
            raise ValueError(f"The exponent must be 0 or more, not {shown(exponent)}")
        if not 0 <= base < modulus:
            raise ValueError(f"The base must be below the modulus {shown(modulus)}, not "
                             f"{shown(base)}; reduce it modulo the modulus first")
        vectors = []

        def product(x, y):
            vectors.append((x, y, modulus))
            return self.compute(x, y, modulus)

        square_of_r = self.r * self.r % modulus
        power = product(1, square_of_r)
        base = product(base, square_of_r)
        for bit in f"{exponent:b}":
            power = product(power, power)
            if bit == "1":
                power = product(power, base)
        return vectors, product(power, 1) % modulus

    def dependent_operations(self, rng, count):
        """Return multiplications of one modulus, each of the result before, and their results.

        Results are squared, and multiplied from both sides.

        Returns
        -------
        vectors : list of (x, y, modulus)
        results : list of int
        """
        x, y, modulus = self.random_operands(rng)
        vectors, results = [(x, y, modulus)], [self.compute(x, y, modulus)]
        for index in range(count):
            last, other = results[-1], rng.randrange(self.bound(modulus))
            pair = ((last, last), (last, other), (other, last))[index % 3]
            vectors.append((*pair, modulus))
            results.append(self.compute(*vectors[-1]))
        return vectors, results

    def every_modulus(self):
        """Return all moduli of the core, in rising order."""
        return [modulus for modulus in range(3, 1 << self.width, 2)
                if self.usable_modulus(modulus) == modulus]

    def check_enumerable(self):
        if self.bound(3) > 6:
            raise ValueError(f"All operands can be tried only of a core whose operands are below "
                             f"twice the modulus; those of this {self.name()} are below "
                             f"{self.bound(3)} for modulus 3")

    def every_operation(self, size):
        """Yield :class:`Products` of the largest modulus first, so that parallel work ends
        together; see :meth:`CoreParameters.every_operation`.
        """
        for modulus in reversed(self.every_modulus()):
            bound = self.bound(modulus)
            step = max(size // bound, 1)
            for first in range(0, bound, step):
                yield Products(modulus, first, min(first + step, bound), bound)

    @property
    def bound_definition(self):
        """:meth:`~montgomery.Parameters.bound` as a :class:`~montgomery.operations.Definition`.

        Where it is no fixed multiple of the modulus, the architecture defines it.
        """
        moduli = (3, 5, 7, (1 << self.width) - 1)
        factors = {divmod(self.bound(modulus), modulus) for modulus in moduli}
        (factor, rest), *others = factors
        if others or rest:
            raise NotImplementedError(f"{self.name()} must define bound_definition, since its "
                                      f"bound is no fixed multiple of the modulus")
        if factor == 1:
            return Definition("bound", "m", "modulus")
        return Definition("bound", f"{factor} m", f"{factor} * modulus")

    @property
    def symbols(self):
        """Pairs of a symbol in the text of definitions, beside m and R, and its meaning."""
        return []

    @property
    def r_definition(self):
        """R as a :class:`~montgomery.operations.Definition`."""
        if not self._r_is_power:
            return Definition("R", str(self.r), str(self.r))
        bits = self.r.bit_length() - 1
        return Definition("R", f"2^{bits}", f"2**{bits}")

    @property
    def _r_is_power(self):
        return self.r & (self.r - 1) == 0

    def example(self, rng):
        """Return the two multiplications that give x y mod m; see
        :meth:`montgomery.CoreParameters.example`.
        """
        x, y, modulus = self.random_operands(rng)
        x, y = x % modulus, y % modulus
        first = x, self.r * self.r % modulus, modulus
        second = self.compute(*first), y, modulus
        return Example(
            inputs={"x": x, "y": y, "modulus": modulus},
            operations=[("mont(x, R² mod m)", first),
                        ("mont(t, y), where t is the result of the first multiplication", second)],
            result=self.compute(*second) % modulus, formula="x y mod m")

    def describe(self):
        bound = self.bound_definition
        return Description(
            result=f"x y R⁻¹ mod m, as a number below {bound.meaning}. R⁻¹ is the inverse of R "
                   f"modulo m: R R⁻¹ mod m is 1. x and y must be below {bound.meaning} too, so "
                   "that a result may be an operand of the next multiplication.",
            rules=[("R", self.r_definition.meaning),
                   ("bound of x, y and the result", bound.meaning), *self.symbols,
                   ("modulus m", self.moduli_text() + ("" if self._r_is_power else
                                                       ", with no factor in common with R"))],
            definitions=[self.r_definition], constants=self.definitions, key_sent=self._key_sent(),
            key_operands=self._described_key(), sent=self._sent(),
            operands=self._described_operands(), side_by_side=self._words_side_by_side,
            received=self._received(), conversion=_CONVERSION + self._reduction(),
            usage=_KEYED_USAGE if self.key_inputs else _USAGE, timed="every multiplication")

    @property
    def _words_side_by_side(self):
        return self.operands[0][1] if self.i_width != self.o_width else 0

    def _key_sent(self):
        if not self.key_inputs:
            return ""
        total = sum(words for _, words in self.key_operands)
        return (f"A key is sent to port k in {plural(total, 'word')} of {self.k_width} bits, its "
                "parts in this order, each with its lowest word first.")

    def _sent(self):
        words = self._words_side_by_side
        if words:
            count = (f"one word of {self.i_width} bits" if words == 1 else
                     f"sent in {words} words of {self.i_width} bits, the lowest ones first")
            kept = (" An operand that is the result of the multiplication before need not be sent."
                    if self.chains else "")
            return (f"A multiplication is {count}: the operands side by side, the first one in the "
                    f"lowest bits.{kept}")
        total = sum(words for _, words in self.operands)
        order = ", each with its lowest word first" if self.positional else ""
        return (f"A multiplication is sent in {plural(total, 'word')} of {self.i_width} bits, the "
                f"operands in this order{order}.")

    def _received(self):
        if self.result_words == 1:
            return f"A result is one word of {self.o_width} bits."
        first = ", the lowest word first" if self.positional else ""
        return f"A result comes in {self.result_words} words of {self.o_width} bits{first}."

    def _meaning(self, name):
        below = f"below {self.bound_definition.meaning}"
        meanings = {"x": f"the first factor x, {below}", "y": f"the second factor y, {below}",
                    "modulus": "the modulus m"}
        meanings |= {constant.name: constant.meaning for constant in self.definitions}
        if name not in meanings:
            raise NotImplementedError(f"{self.name()} must define the constant {name} in its "
                                      f"definitions, beside constants()")
        return meanings[name]

    def _described_key(self):
        return [Operand(name, words, self._meaning(name), f"split({name}, {words}, bits=K_WIDTH)")
                for name, words in self.key_operands]

    def _described_operands(self):
        """Return each :class:`~montgomery.operations.Operand`, of numbers that are digits."""
        meanings = {name: self._meaning(name) for name, _ in self.operands}
        if self.i_width == self.o_width:
            return [Operand(name, words, meanings[name], f"split({name}, {words})")
                    for name, words in self.operands]
        if self.parallel:
            found = [Operand(name, self.o_width, meanings[name], f"split({name}, {words})")
                     for name, words in self.operands]
            if self.chains:
                found.append(Operand(
                    "kept", 2, "in the first word: the lower bit is 1 if x, and the higher bit if "
                    "y is the result of the multiplication before, which the core has kept; its "
                    "words are then not read. If both bits are 1, the multiplication is this one "
                    "word", "0"))
            return found
        sizes = [words * self.o_width for _, words in self.operands]
        sizes[-1] = self.i_width - sum(sizes[:-1])
        return [Operand(name, size, meanings[name], name)
                for (name, _), size in zip(self.operands, sizes, strict=True)]

    def _reduction(self):
        bound = self.bound_definition.meaning
        if bound == "m":
            return "Results are below m, so there is nothing to reduce."
        if bound == "2 m":
            return ("**Final reduction.** Results are below 2 m. If a last result is m or more, "
                    "subtract m once.")
        return (f"**Final reduction.** Results are below {bound}. Reduce a last result modulo m, "
                "outside of the core.")
