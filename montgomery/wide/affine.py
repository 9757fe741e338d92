"""What programs for points end with: affine coordinates, and their way out."""

from ..blocks.program import Step
from ..core import ceil_div
from ..points.listing import parse
from ..points.microcode import FETCH, Segment
from .engine_program import Until
from .inverter import DigitInverter

__all__ = ["POINT", "division", "segments", "steps"]

#: Registers of the numbers that the segments begin with, and that programs keep there.
POINT = {"X": 0, "Y": 1, "Z": 2, "b3": 3}
_QUOTIENT = {"t": 4}

_LEAVE = """
t = t * t           # of which the sign does not matter
t = t * Z
b = [b]
x = X * t
y = Y * t
{on_curve}
e = e * Z           # at infinity, (0, 0) is not on the curve
zero e
"""
_UNSCALED = """
u = [unit]
X = x * u
Y = y * u
"""


def segments(on_curve, *, scaled):
    """Yield the segments that turn (X : Y : Z) into two numbers, and send these.

    Parameters
    ----------
    on_curve : :class:`str`
        A listing for which e is 0 if (x, y) is on the curve.
    scaled : :class:`bool`
        Products are divided by a power of two, R: then ``[square]`` is its square, and numbers are
        R times those that are sent. Else ``[one]`` is 1.
    """
    # R² / (R Z) has the factor R, as the square and product that follow.
    yield Segment("begin", parse(f"s = [{'square' if scaled else 'one'}]\ndivide s by Z"),
                  POINT, POINT)
    yield Segment("turn", [], POINT, POINT)
    # Until the division has ended its number would be part of whatever else is loaded.
    yield Segment("take", parse("t = [quotient]"), POINT, POINT | _QUOTIENT)
    leave = _LEAVE.format(on_curve=on_curve) + (_UNSCALED if scaled else "X = x\nY = y")
    yield Segment("leave", parse(leave), POINT | _QUOTIENT, {"X": 0, "Y": 1})
    yield Segment("send x", parse("send X"), {"X": 0, "Y": 1}, {"Y": 1})
    yield Segment("send y", parse("send Y"), {"Y": 1}, {})
    yield Segment("wait", [], {"Y": 1}, {"Y": 1})


def division(prime):
    """Yield the steps from a division, in the segment ``begin``, to its quotient, which ``take``
    loads after turns of the empty segment ``turn``.
    """
    yield Step(fields={"segment": "begin"})
    yield Step(fields={"segment": "turn",
                       "turns": ceil_div(DigitInverter.latency(prime), FETCH + 1)})
    yield Step(fields={"segment": "take"})


def steps(prime):
    """Yield the steps of these segments."""
    yield from division(prime)
    yield Step(fields={"segment": "leave"})
    for name in ("send x", "send y"):
        yield Step(fields={"segment": name})
        yield Step(fields={"segment": "wait", "until": Until.IDLE})
