"""Options for numbers: curves and moduli, by their names."""

from __future__ import annotations

import ast
import dataclasses
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ..errors import Refusal
from ..lookup import unknown

if TYPE_CHECKING:
    from montgomery.kinds import KnownKind

__all__ = ["Curve", "Modulus", "named_curves", "prime_text"]


#: Bits of the largest number that an expression may be.
_MOST_BITS = 100_000
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
              ast.Pow: operator.pow}


class Curve(click.ParamType):
    """The name of a curve, by any of those that people use."""

    name = "curve"

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> str:
        from montgomery.numbers.catalogue import called

        return called(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str
                       ) -> list[click.shell_completion.CompletionItem]:
        from montgomery.numbers.catalogue import CURVES

        return [click.shell_completion.CompletionItem(name) for curve in CURVES.values()
                if curve.aliases for name in (curve.name, *curve.aliases)
                if name.startswith(incomplete)]


class Modulus(click.ParamType):
    """The name of a curve, for its prime, or a number, also as powers of two."""

    name = "modulus"

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> int:
        from montgomery.numbers.catalogue import CURVES, called

        if isinstance(value, int):
            return value
        if curve := CURVES.get(called(value)):
            return curve.p
        try:
            found = _number(ast.parse(value.replace("^", "**"), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError, TypeError):
            self.fail(f"must be the name of a curve, such as P-256, or a number, such as 2^255-19, "
                      f"not '{value[:60]}'", param, ctx)
        if found < 3 or found % 2 == 0:
            self.fail(f"must be odd, and 3 or more, not {value[:60]}", param, ctx)
        return found


def _number(node: ast.expr) -> int:
    """Return the value of sums, products and powers of integers."""
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand)
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATORS:
            first, second = _number(left), _number(right)
            if isinstance(op, ast.Pow) and not 0 <= second * first.bit_length() <= _MOST_BITS:
                raise ValueError("too large")
            return _OPERATORS[type(op)](first, second)
    raise ValueError("not a number")


def prime_text(modulus: int) -> str:
    """Return what people call a modulus: the prime of a curve, or the number."""
    from montgomery.numbers.catalogue import of_prime

    name = of_prime(modulus)
    return f"the prime of {name}" if name else f"{modulus:#x}"


def named_curves(kind: KnownKind, bits: int | None, modulus: int | None, names: Sequence[str]
                 ) -> tuple[int, int | None, list[str]]:
    """Return the width, the modulus and the curves of what is asked for.

    For a kind whose cores are built for curves, the modulus is None; for others there are no
    curves, but their prime. A width names no curve, since there are many of 256 bits; but of those
    of RFC 7748, and of RFC 8032, there is one of a width.
    """
    from montgomery.numbers.catalogue import CURVES, WEIERSTRASS

    there = list(dict.fromkeys(
        name for core in kind.cores().values() for field in dataclasses.fields(core)
        if field.name == "curve" for name in field.metadata["choices"] or CURVES if name))
    for name in names:
        if name not in (there or CURVES):
            fix = "no core is built for it" if there else "give the prime of another as --modulus"
            raise Refusal(f"{unknown('curve', name, there or CURVES)}; {fix}")
        if bits is not None and name in CURVES and CURVES[name].width != bits:
            raise Refusal(f"{name} has {CURVES[name].width} bits, not {bits}; leave out -n")
    widths = {CURVES[name].width for name in names if name in CURVES}
    primes = {CURVES[name].p for name in names if name in CURVES}
    if names and modulus is not None and {modulus} != primes:
        raise Refusal(f"The modulus of {', '.join(names)} is another one; leave out --modulus")
    if not there:
        modulus = modulus or next(iter(primes), None)
    elif modulus is not None and not names:
        names = [name for name in there if name in CURVES and CURVES[name].p == modulus]
        if not names:
            raise Refusal(f"No {kind.noun} is built for {prime_text(modulus)}; "
                          f"there are {_listed(there)}")
    if modulus is not None:
        widths.add(modulus.bit_length())
    if bits is None and len(widths) == 1:
        bits, = widths
    if there and not names:
        names = [name for name in there if name in CURVES and CURVES[name].width == bits]
        if len(names) != 1 or names[0] in WEIERSTRASS:
            rule = ("and a width names none" if names else
                    f"and none has {bits} bits" if bits else "and none is named")
            example = _shown((names or there)[0])
            raise Refusal(f"Each {kind.noun} is built for one curve, {rule}: there are "
                          f"{_listed(names or there)}; name yours, as in: montgomery recommend "
                          f"--kind {kind.name} --curve {example}")
    if bits is None:
        raise click.UsageError("recommend needs a width; give -n, --modulus or --curve")
    if modulus is not None and modulus.bit_length() > bits:
        raise Refusal(f"The modulus has {modulus.bit_length()} bits, more than {bits}; leave out "
                      "-n")
    return bits, None if there else modulus, list(names) if there else []


def _shown(name: str) -> str:
    """Return what people call a curve: by the function that is computed, if it has a name."""
    from montgomery.numbers.catalogue import MONTGOMERY

    return MONTGOMERY[name].function if name in MONTGOMERY else name


def _listed(names: Sequence[str]) -> str:
    """Return curves with their widths, but for those that serve experiments alone."""
    from montgomery.numbers.catalogue import CURVES

    return ", ".join(f"{_shown(name)} ({CURVES[name].width} bits)" if name in CURVES else name
                     for name in names if not name.startswith("toy-") or len(names) == 1)
