"""Computes scalar multiplications on NIST's P-256, and counts their modular multiplications.

The computation uses Jacobian coordinates. An integer model (:meth:`montgomery.Parameters.compute`)
performs all multiplications. The count includes squarings, conversions into and out of the
Montgomery domain, and the inversion at the end.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Protocol

from montgomery.arithmetic import check_operand, montgomery_product

from ..lookup import known

__all__ = ["METHODS", "P256", "TYPICAL", "Curve", "Field", "count", "multiply"]

#: A point in affine coordinates; None is the point at infinity.
Point = tuple[int, int] | None
_Jacobian = tuple[int, int, int] | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Curve:
    """The curve y² = x³ - 3x + b over the integers modulo ``p``, and a point of order ``n``."""

    p: int
    b: int
    g: tuple[int, int]
    n: int


#: The curve P-256 of FIPS 186-4, D.1.2.3.
P256 = Curve(
    p=2**256 - 2**224 + 2**192 + 2**96 - 1,
    b=0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    g=(0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
       0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5),
    n=0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551)

#: A scalar of full length with about as many ones as zeros, which is the key of RFC 6979, A.2.5.
TYPICAL = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721


class Model(Protocol):
    """The interface of an integer model, which every :class:`montgomery.Parameters` has."""

    @property
    def r(self) -> int: ...

    def compute(self, x: int, y: int, modulus: int, /) -> int: ...


class _Golden:
    """An integer model that follows the definition of the Montgomery product; it is fast."""

    r = 1 << 256

    def compute(self, x: int, y: int, modulus: int) -> int:
        return montgomery_product(x, y, modulus, self.r)


class Field:
    """Integers modulo ``modulus`` in the Montgomery domain.

    Attributes
    ----------
    multiplications : int
        Number of multiplications so far.
    """

    def __init__(self, model: Model, modulus: int):
        self.model = model
        self.modulus = modulus
        self.multiplications = 0

    def multiply(self, x: int, y: int) -> int:
        self.multiplications += 1
        return self.model.compute(x, y, self.modulus)

    def square(self, x: int) -> int:
        return self.multiply(x, x)

    def reduce(self, x: int) -> int:
        """Return ``x``, a sum or a difference, reduced modulo ``modulus``."""
        return x % self.modulus

    def enter(self, value: int) -> int:
        """Return the element of the domain that stands for ``value``."""
        return self.multiply(value, self.model.r**2 % self.modulus)

    def leave(self, x: int) -> int:
        """Return the integer that ``x`` stands for."""
        return self.reduce(self.multiply(x, 1))

    def invert(self, x: int) -> int:
        """Return the inverse of ``x``, which is its power ``modulus - 2`` by Fermat's theorem."""
        power = x
        for bit in f"{self.modulus - 2:b}"[1:]:
            power = self.square(power)
            if bit == "1":
                power = self.multiply(power, x)
        return power


def _double(field: Field, point: _Jacobian) -> _Jacobian:
    """Return twice ``point``, in eight multiplications (for a = -3)."""
    if point is None:
        return None
    x, y, z = point
    delta, gamma = field.square(z), field.square(y)
    beta = field.multiply(x, gamma)
    alpha = 3 * field.multiply(field.reduce(x - delta), field.reduce(x + delta))
    x3 = field.square(field.reduce(alpha)) - 8 * beta
    z3 = field.square(field.reduce(y + z)) - gamma - delta
    y3 = (field.multiply(field.reduce(alpha), field.reduce(4 * beta - x3))
          - 8 * field.square(gamma))
    # The group has odd order, so only the point at infinity is its own opposite.
    return field.reduce(x3), field.reduce(y3), field.reduce(z3)


def _add(field: Field, point: _Jacobian, other: _Jacobian, *, affine: bool = False) -> _Jacobian:
    """Return the sum of two points in 16 multiplications, or 11 if z of ``other`` is 1."""
    if point is None or other is None:
        return point or other
    (x1, y1, z1), (x2, y2, z2) = point, other
    zz1 = field.square(z1)
    u2, s2 = field.multiply(x2, zz1), field.multiply(field.multiply(y2, z1), zz1)
    if affine:
        u1, s1, z = x1, y1, z1
    else:
        zz2 = field.square(z2)
        u1, s1 = field.multiply(x1, zz2), field.multiply(field.multiply(y1, z2), zz2)
        z = field.multiply(z1, z2)
    h, r = field.reduce(u2 - u1), field.reduce(s2 - s1)
    if h == 0:
        return _double(field, point) if r == 0 else None
    hh = field.square(h)
    hhh, v = field.multiply(h, hh), field.multiply(u1, hh)
    x3 = field.reduce(field.square(r) - hhh - 2 * v)
    y3 = field.multiply(r, field.reduce(v - x3)) - field.multiply(s1, hhh)
    return x3, field.reduce(y3), field.multiply(z, h)


def _double_and_add(field: Field, point: _Jacobian, scalar: int) -> _Jacobian:
    result = None
    for bit in f"{scalar:b}":
        result = _double(field, result)
        if bit == "1":
            result = _add(field, result, point, affine=True)
    return result


def _window(field: Field, point: _Jacobian, scalar: int) -> _Jacobian:
    multiples = [None, point, _double(field, point)]
    while len(multiples) < 16:
        multiples.append(_add(field, multiples[-1], point, affine=True))
    result = None
    for digit in f"{scalar:x}":
        for _ in range(4):
            result = _double(field, result)
        result = _add(field, result, multiples[int(digit, 16)])
    return result


#: The methods by name. The first processes one bit of the scalar at a time, the second four bits,
#: with 15 multiples in a table. Both skip digits that are 0, so their time depends on the scalar.
METHODS: dict[str, Callable[[Field, _Jacobian, int], _Jacobian]] = {
    "double-and-add": _double_and_add, "window": _window}


def multiply(model: Model, scalar: int, *, method: str = "double-and-add",
             point: tuple[int, int] = P256.g, curve: Curve = P256) -> tuple[Point, int]:
    """Return ``scalar`` times ``point``, and the number of modular multiplications.

    Raises
    ------
    TypeError, ValueError
        For a scalar that is not an integer from 0 to ``curve.n - 1``, for an unknown method, or for
        a model whose operands are too short for the curve.
    """
    check_operand("scalar", scalar, curve.n)
    run = METHODS[known("method", method, METHODS)]
    field = Field(model, curve.p)
    x, y = map(field.enter, point)
    result = run(field, (x, y, field.reduce(model.r)), scalar) if scalar else None
    if result is None:
        return None, field.multiplications
    x, y, z = result
    inverse = field.invert(z)
    square = field.square(inverse)
    affine = (field.leave(field.multiply(x, square)),
              field.leave(field.multiply(y, field.multiply(square, inverse))))
    return affine, field.multiplications


@functools.cache
def count(scalar: int = TYPICAL, method: str = "double-and-add") -> int:
    """Return the number of modular multiplications of a scalar multiplication on P-256."""
    return multiply(_Golden(), scalar, method=method)[1]
