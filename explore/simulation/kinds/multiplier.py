"""Multiplications: operands to try."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from typing import Any

from montgomery.core import name_of, traits
from montgomery.core.fixed_modulus import FixedModulus
from montgomery.kinds.multiplier import longest

from .base import Adapter as Base
from .base import Example, Vector
from .solved import solved

__all__ = ["Adapter", "Products"]


@dataclasses.dataclass(frozen=True)
class Products:
    """All multiplications of one modulus by the first operands from ``first`` to before ``end``.

    The second operands are below the ``bound``. Iteration yields x, y and the modulus of each, and
    the length is their number.
    """

    modulus: int
    first: int
    end: int
    bound: int

    def __len__(self) -> int:
        return (self.end - self.first) * self.bound

    def __iter__(self) -> Iterator[Vector]:
        return ((x, y, self.modulus) for x in range(self.first, self.end)
                for y in range(self.bound))


class Adapter(Base):
    """The operations of a multiplier."""

    def golden(self, x: int, y: int, modulus: int) -> int:
        return x * y * pow(self.params.r, -1, modulus) % modulus

    def constants(self) -> dict[str, int]:
        return {"r": self.params.r}

    def longest(self) -> Vector:
        if self._only:
            return self.params.bound(self._only) - 1, self.params.bound(self._only) - 1, self._only
        return longest(self.params)

    @property
    def _only(self) -> int | None:
        """The only modulus of a core that is built for one."""
        return self.params.only_modulus if isinstance(self.params, FixedModulus) else None

    def usable(self, modulus: int) -> int:
        return self._only or super().usable(modulus)

    def moduli(self) -> str:
        return f"{self._only:#x}, and no other" if self._only else super().moduli()

    def contradiction(self, result: int, x: int, y: int, modulus: int) -> str:
        bound = self.params.bound(modulus)
        if not 0 <= result < bound:
            return f"results must be below bound(modulus) = {bound:#x}"
        return super().contradiction(result % modulus, x, y, modulus)

    def edges(self) -> list[Vector]:
        """The smallest and the largest operands of the smallest modulus, of one of all ones and of
        one with but two ones, and operands whose bits alternate.
        """
        width = self.params.width
        vectors: list[Vector] = []
        for modulus in map(self.usable, (3, (1 << width) - 1, (1 << (width - 1)) + 1)):
            top = self.params.bound(modulus) - 1
            vectors += [(0, 0, modulus), (1, top, modulus), (modulus - 1, modulus - 1, modulus),
                        (top, top, modulus)]
        modulus = self.usable((1 << width) - 1)
        odd, even = modulus // 3, modulus - modulus // 3
        vectors += [(odd, even, modulus), (even, odd, modulus), (top, 0, vectors[-1][2])]
        return vectors

    def solved(self) -> list[Vector]:
        return solved(self)

    def sample(self, rng: random.Random, *, shorter: bool = False) -> Vector:
        modulus = self.modulus(rng, shorter=shorter)
        bound = self.params.bound(modulus)
        return rng.randrange(bound), rng.randrange(bound), modulus

    def whole(self, rng: random.Random) -> tuple[list[Vector], int]:
        modulus = self.modulus(rng)
        base = rng.randrange(modulus)
        exponent = rng.getrandbits(self.params.width) | 1 << (self.params.width - 1)
        return self.exponentiation(base, exponent, modulus)[0], exponent.bit_length()

    def exponentiation(self, base: int, exponent: int, modulus: int) -> tuple[list[Vector], int]:
        """Return the multiplications of an exponentiation by squaring, and its result.

        From left to right, as a processor around one multiplier would do them, each depending on
        the one before: into the Montgomery domain, a square for each bit and a product for each
        one, and out of it. The result is computed by :meth:`compute` alone.
        """
        vectors: list[Vector] = []

        def product(x: int, y: int) -> int:
            vectors.append((x, y, modulus))
            return self.params.compute(x, y, modulus)

        square_of_r = self.params.r * self.params.r % modulus
        power = product(1, square_of_r)
        base = product(base, square_of_r)
        for bit in f"{exponent:b}":
            power = product(power, power)
            if bit == "1":
                power = product(power, base)
        return vectors, product(power, 1) % modulus

    def dependent(self, rng: random.Random, count: int) -> tuple[list[Vector], list[int]]:
        """Return multiplications of one modulus, each of the result before, and their results.

        Results are squared, and multiplied from both sides.
        """
        x, y, modulus = self.sample(rng)
        vectors: list[Vector] = [(x, y, modulus)]
        results = [self.params.compute(x, y, modulus)]
        for index in range(count):
            last, other = results[-1], rng.randrange(self.params.bound(modulus))
            pair = ((last, last), (last, other), (other, last))[index % 3]
            vectors.append((*pair, modulus))
            results.append(self.params.compute(*vectors[-1]))
        return vectors, results

    def check_enumerable(self) -> None:
        if traits(self.params).reach > 2:
            raise ValueError(f"All operands can be tried only of a core whose operands are below "
                             f"twice the modulus; those of this {name_of(self.params)} are below "
                             f"{self.params.bound(3)} for modulus 3")

    def every(self, size: int) -> Iterator[Products]:
        """Yield :class:`Products` of the largest modulus first, so that parallel work ends
        together.
        """
        for modulus in reversed(range(3, 1 << self.params.width, 2)):
            if self.usable(modulus) != modulus:
                continue
            bound = self.params.bound(modulus)
            step = max(size // bound, 1)
            for first in range(0, bound, step):
                yield Products(modulus, first, min(first + step, bound), bound)

    @property
    def _numbers(self) -> dict[str, str]:
        """What the numbers of the words mean, by name."""
        messages = (self.params.operands, self.params.key_operands)
        return {number.name: number.meaning for each in messages for number in each.numbers}

    def _bound(self) -> str:
        """Return the bound of operands and results, as text."""
        if "bound" in self._numbers:
            return self._numbers["bound"]
        factors = {divmod(self.params.bound(modulus), modulus)
                   for modulus in (3, 5, 7, (1 << self.params.width) - 1)}
        (factor, rest), *others = factors
        if others or rest:
            raise NotImplementedError(f"{name_of(self.params)} must have a number bound in its "
                                      "numbers, since its bound is no fixed multiple of the "
                                      "modulus")
        return "m" if factor == 1 else f"{factor} m"

    def example(self, rng: random.Random) -> Example:
        """Return the two multiplications that give x y mod m."""
        r = self.params.r
        x, y, modulus = self.sample(rng)
        x, y = x % modulus, y % modulus
        first = x, r * r % modulus, modulus
        second = self.params.compute(*first), y, modulus
        return Example(
            inputs={"x": x, "y": y, "modulus": modulus},
            operations=[("mont(x, R² mod m)", first),
                        ("mont(t, y), where t is the result of the first multiplication", second)],
            result=self.params.compute(*second) % modulus, formula="x y mod m")

    def words(self) -> dict[str, Any]:
        numbers, bound = self._numbers, self._bound()
        return {**super().words(), "R": numbers["R"], "s": numbers.get("s", ""), "bound": bound,
                "is_reduced": bound == "m", "is_double": bound == "2 m",
                "is_larger": bound not in ("m", "2 m"),
                "is_keyed": bool(self.params.k_words), "is_keyless": not self.params.k_words}
