"""Quantities by which cores are compared: named ones, and expressions over columns of a row.

An expression is evaluated for the figures of one point, for arrays of many points, or for
:class:`Span`, an interval of numbers. Intervals give proofs: all figures but the frequency are
exact after synthesis, and the frequency is at most the limit of the clock network and of the
blocks in use. So the interval of an expression bounds what a placement can achieve.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import math
import re
from collections.abc import Mapping
from typing import Any

from ..errors import Refusal
from ..lookup import known
from .recommend import OBJECTIVES

__all__ = ["COUNTED", "NAMED", "Objective", "Span", "bounds", "figures", "objective", "objectives"]

#: Columns that are exact after verification and synthesis.
COUNTED = ("width", "lut", "ff", "dsp", "bram", "cycles_load", "cycles_compute", "cycles_unload",
           "cycles_interval", "cycles_initiation")
#: Columns that follow from these and the frequency.
_TIMED = ("fmax_usable_mhz", "latency_us", "interval_us", "lut_us", "throughput_mbps",
          "throughput_pipelined_mbps", "useful_mbps")
#: From the name of each objective to its expression, and whether larger values are better.
NAMED = {**OBJECTIVES, "blocks": ("dsp + bram", False), "ff": ("ff", False),
         "dsp": ("dsp", False), "bram": ("bram", False), "clock": ("fmax_usable_mhz", True)}


@dataclasses.dataclass(frozen=True)
class Span:
    """An interval of numbers, whose ends may be infinite."""

    low: float
    high: float

    def __add__(self, other: Span | float) -> Span:
        other = _span(other)
        return Span(self.low + other.low, self.high + other.high)

    __radd__ = __add__

    def __neg__(self) -> Span:
        return Span(-self.high, -self.low)

    def __sub__(self, other: Span | float) -> Span:
        return self + -_span(other)

    def __rsub__(self, other: float) -> Span:
        return _span(other) + -self

    def __mul__(self, other: Span | float) -> Span:
        other = _span(other)
        # An infinite end stands for numbers without a limit, so that its product with 0 is 0.
        ends = [0.0 if not a or not b else a * b
                for a in (self.low, self.high) for b in (other.low, other.high)]
        return Span(min(ends), max(ends))

    __rmul__ = __mul__

    def __truediv__(self, other: Span | float) -> Span:
        other = _span(other)
        if other.low < 0 < other.high or other.low == other.high == 0:
            return Span(-math.inf, math.inf)
        # An end at 0 is a limit from the side of the other end. Quotients are not made of
        # reciprocals, so that the bound is exactly what a point at its limit has.
        side = math.copysign(math.inf, other.low + other.high)
        ends = [0.0 if not a else a * side if not b else 0.0 if math.isinf(b) else a / b
                for a in (self.low, self.high) for b in (other.low, other.high)]
        return Span(min(ends), max(ends))

    def __rtruediv__(self, other: float) -> Span:
        return _span(other) / self

    def __pow__(self, power: float) -> Span:
        if power < 0:
            return 1 / self ** -power
        if power != int(power):
            return Span(max(self.low, 0.0) ** power, max(self.high, 0.0) ** power)
        ends = sorted((self.low ** power, self.high ** power))
        inside = power % 2 == 0 and power and self.low < 0 < self.high
        return Span(0.0 if inside else ends[0], ends[1])


def _span(value: Span | float) -> Span:
    return value if isinstance(value, Span) else Span(value, value)


def figures(counted: Mapping[str, Any], mhz: Any) -> dict[str, Any]:
    """Return all figures that an expression may name, from values of :data:`COUNTED`.

    A number may be an array, which fits the usable frequency, an array or a :class:`Span`.
    """
    compute, interval = counted["cycles_compute"], counted["cycles_interval"]
    initiation, width = counted["cycles_initiation"], counted["width"]
    latency = compute / mhz
    pipelined = width * mhz / initiation
    return {**{name: counted[name] for name in COUNTED}, "fmax_usable_mhz": mhz,
            "latency_us": latency, "interval_us": interval / mhz,
            "lut_us": counted["lut"] * latency, "throughput_mbps": width * mhz / interval,
            "throughput_pipelined_mbps": pipelined,
            "useful_mbps": pipelined}


@dataclasses.dataclass(frozen=True)
class Objective:
    """A quantity to compare by, as it was given.

    Its expression is over :data:`COUNTED` and the figures that follow from the frequency.
    """

    name: str
    expression: str
    largest: bool = False

    def cost(self, given: Mapping[str, Any]) -> Any:
        """Return what is to be made small, from figures of :func:`figures`."""
        # Expressions have nothing but what _check() allows.
        value = eval(self.expression, {"__builtins__": {}}, _FUNCTIONS | dict(given))
        return -value if self.largest else value

    @property
    def needs_clock(self) -> bool:
        """Whether it depends on the frequency, so that only a placement tells."""
        return any(isinstance(node, ast.Name) and node.id in _TIMED
                   for node in ast.walk(ast.parse(self.expression)))

    def value(self, cost: float) -> float:
        """Return the quantity for its cost."""
        return -cost if self.largest else cost


def objective(text: str) -> Objective:
    """Return a named objective, or an expression whose value is to be small.

    An expression has numbers, columns, ``+ - * /``, powers with constant exponents, and ``min``,
    ``max`` and ``sqrt``; a minus before it asks for large values.
    """
    text = text.strip()
    if text in NAMED:
        return Objective(text, *NAMED[text])
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Refusal(f"An objective must be {', '.join(NAMED)} or an expression such as "
                      f"'lut * latency_us', not {text[:60]!r}") from None
    if isinstance(tree, ast.Name) and tree.id not in (*COUNTED, *_TIMED):
        known("objective", text, [*NAMED, *COUNTED, *_TIMED])
    _check(tree, text)
    return Objective(text, text)


def objectives(text: str) -> tuple[Objective, ...]:
    """Return the objectives of a list with commas, of which none stands twice."""
    # A comma inside of parentheses parts the values of a function.
    found = tuple(map(objective, re.split(r",(?![^()]*\))", text)))
    if len({each.name for each in found}) < len(found):
        raise Refusal(f"Objectives must be different, unlike '{text}'; leave out what stands "
                      "twice")
    return found


def bounds(objective: Objective, counted: Mapping[str, Any], limit_mhz: float) -> Span:
    """Return the interval that holds the cost of a point, whatever its placement achieves.

    No core of the point runs faster than ``limit_mhz``.
    """
    spans = {name: _span(float(counted[name])) for name in COUNTED}
    return _span(objective.cost(figures(spans, Span(0.0, limit_mhz))))


# Expressions

def _check(node: ast.AST, text: str) -> None:
    """Refuse what no expression may have."""
    def refuse(what: str) -> ValueError:
        return Refusal(f"An objective must have columns, numbers, + - * / ** and "
                       f"{', '.join(_FUNCTIONS)} only, but '{text[:60]}' has {what}")

    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return
        case ast.Name(id=name):
            known("column in an objective", name, [*COUNTED, *_TIMED])
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _check(operand, text)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            _check(left, text)
            if _constant(right) is None:
                raise refuse("a power that is no constant from -9 to 9")
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            _check(left, text)
            _check(right, text)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            if (len(args) == 1) != (name == "sqrt"):
                raise refuse(f"{name} with {len(args)} values")
            for each in args:
                _check(each, text)
        case _:
            raise refuse(ast.unparse(node)[:40])


def _constant(node: ast.AST) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as value) if abs(value) <= 9:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value if value <= 9 else None
    return None


def _root(value: Any) -> Any:
    import numpy

    return value ** 0.5 if isinstance(value, Span) else numpy.sqrt(value)


def _extreme(name: str, *values: Any) -> Any:
    import numpy

    if any(isinstance(value, Span) for value in values):
        choose = min if name == "min" else max
        spans = list(map(_span, values))
        return Span(choose(each.low for each in spans), choose(each.high for each in spans))
    return functools.reduce(numpy.minimum if name == "min" else numpy.maximum, values)


_FUNCTIONS = {"min": functools.partial(_extreme, "min"), "max": functools.partial(_extreme, "max"),
              "sqrt": _root}
