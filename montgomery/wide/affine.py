"""What programs for points end with: affine coordinates, and their way out."""

from ..blocks.program import Step
from ..points.listing import parse
from ..points.microcode import Segment
from ..points.weierstrass import ON_CURVE
from .engine_program import Until

__all__ = ["POINT", "segments", "steps"]

#: Registers of the numbers that the segments begin with, and that programs keep there.
POINT = {"X": 0, "Y": 1, "Z": 2, "b3": 3}

_LEAVE = f"""
b = [b]
x = X * t
y = Y * t
{ON_CURVE}
e = e * Z           # at infinity, (0, 0) is not on the curve
zero e
u = [unit]
X = x * u
Y = y * u
"""

#: By the name of a prime p, 1/Z = Z**(p - 2): powers of n ones in a row, times others. Each is how
#: often to square, what to multiply by, and what to keep the power as.
_INVERSIONS = {
    # 2**256 - 2**224 + 2**192 + 2**96 - 1
    "P-256": ((1, "Z", "n2"), (2, "n2", "n4"), (4, "n4", "n8"), (8, "n8", ""), (8, "n8", ""),
              (4, "n4", ""), (2, "n2", "n30"), (2, "n2", "n32"), (32, "Z", ""), (128, "n32", ""),
              (32, "n32", ""), (30, "n30", ""), (2, "Z", "")),
    # 2**384 - 2**128 - 2**96 + 2**32 - 1
    "P-384": ((1, "Z", "n2"), (2, "n2", "n4"), (4, "n4", "n8"), (8, "n8", ""), (8, "n8", ""),
              (4, "n4", ""), (2, "n2", "n30"), (2, "n2", "n32"), (32, "n32", "n64"),
              (64, "n64", ""), (64, "n64", ""), (32, "n32", ""), (30, "n30", ""), (1, "Z", ""),
              (33, "n32", ""), (94, "n30", ""), (2, "Z", "")),
}


def segments(prime):
    """Yield the segments that turn (X : Y : Z) into two numbers, and send these."""
    kept = dict.fromkeys(kept for _, _, kept in _INVERSIONS[prime.name] if kept)
    power = POINT | {name: len(POINT) + place for place, name in enumerate(("t", *kept))}
    yield Segment("begin", parse("t = Z"), POINT, POINT | {"t": power["t"]})
    yield Segment("square", parse("t = t * t"), power, power)
    for factor, kept in dict.fromkeys(each[1:] for each in _INVERSIONS[prime.name]):
        text = f"t = t * {factor}\n" + f"{kept} = t\n" * bool(kept)
        yield Segment(f"times {factor} {kept}", parse(text), power, power)
    yield Segment("leave", parse(_LEAVE), power, {"X": 0, "Y": 1})
    yield Segment("send x", parse("send X"), {"X": 0, "Y": 1}, {"Y": 1})
    yield Segment("send y", parse("send Y"), {"Y": 1}, {})
    yield Segment("wait", [], {"Y": 1}, {"Y": 1})


def steps(prime):
    """Yield the steps of these segments."""
    yield Step(fields={"segment": "begin"})
    for squarings, factor, kept in _INVERSIONS[prime.name]:
        yield Step(fields={"segment": "square", "turns": squarings})
        yield Step(fields={"segment": f"times {factor} {kept}"})
    yield Step(fields={"segment": "leave"})
    for name in ("send x", "send y"):
        yield Step(fields={"segment": name})
        yield Step(fields={"segment": "wait", "until": Until.IDLE})
