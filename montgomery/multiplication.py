"""The operations of multipliers: edge cases, random ones, and their cycles."""

import dataclasses

from .arithmetic import montgomery_product
from .operations import Description, WholeOperation

__all__ = ["Multiplication", "Products"]


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


class Multiplication:
    """The part of :class:`montgomery.Parameters` that is the same for all architectures."""

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
            raise ValueError(f"Exponent must be 0 or more, not {exponent}")
        if not 0 <= base < modulus:
            raise ValueError(f"Base must be below the modulus, {modulus}, not {base}; reduce it "
                             f"first")
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

    def every_modulus(self):
        """Return all moduli of the core, in rising order."""
        return [modulus for modulus in range(3, 1 << self.width, 2)
                if self.usable_modulus(modulus) == modulus]

    def check_enumerable(self):
        if self.bound(3) > 6:
            raise ValueError(f"All operands are tried where they are below twice the modulus, not "
                             f"of a scaled one as in {self!r}")

    def every_operation(self, size):
        """Yield :class:`Products` of the largest modulus first, so that parallel work ends
        together; see :meth:`CoreParameters.every_operation`.
        """
        for modulus in reversed(self.every_modulus()):
            bound = self.bound(modulus)
            step = max(size // bound, 1)
            for first in range(0, bound, step):
                yield Products(modulus, first, min(first + step, bound), bound)

    def describe(self):
        bound = self._bound_text()
        power = self.r & (self.r - 1) == 0
        r = f"2^{self.r.bit_length() - 1}" if power else str(self.r)
        side_by_side = self.i_width != self.o_width
        order = ", each with its least significant word first" if self.positional else ""
        if side_by_side:
            sent = ("A word of port `i` is a whole multiplication: the operands side by side, the "
                    "first one in the lowest bits.")
        else:
            sent = (f"A multiplication is sent in {sum(words for _, words in self.operands)} words "
                    f"of {self.i_width} bits, the operands in this order{order}.")
        first = ", the least significant one first" if self.positional else ""
        received = (f"A result comes in {self.result_words} words of {self.o_width} bits{first}."
                    if self.result_words > 1 else f"A result is one word of {self.o_width} bits.")
        return Description(
            result=f"x y R⁻¹ mod m, as a number below {bound}. x and y must be below {bound} too, "
                   "so that results may be operands.",
            rules=[("R", r), ("operands and results are below", bound),
                   ("modulus m", self.moduli_text() + ("" if power else ", coprime to R"))],
            sent=sent, unit="bits" if side_by_side else "words",
            operands=[(name, words * self.o_width if side_by_side else words)
                      for name, words in self.operands],
            encoded=not self.positional, received=received, timed="every multiplication")

    def _bound_text(self):
        moduli = (3, 5, 7, (1 << self.width) - 1)
        factors = {divmod(self.bound(modulus), modulus) for modulus in moduli}
        if len(factors) == 1 and (found := factors.pop())[1] == 0:
            return "m" if found[0] == 1 else f"{found[0]} m"
        return "a bound that depends on the modulus (`bound` of its `Parameters`)"
