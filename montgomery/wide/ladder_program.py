"""Multiples by first coordinates alone: listings, and the order in which they are done."""

import functools

from ..blocks.program import Flow, Loop, Step
from ..points.ladder import INVERSION, LADDER
from ..points.listing import parse
from ..points.microcode import Place, Segment
from .engine_program import EngineProgram, Until, timing

__all__ = ["build"]

#: Numbers in the memory: constants, and the coordinate as it comes.
_PLACES = {name: Place(index) for index, name in enumerate(("zero", "one", "k4"))}
_PLACES |= {"in_x": Place(1, 1)}
_ENTRIES = 2

#: Registers of numbers that stay from one segment to another. One of the two is chosen where
#: numbers differ in the lowest bit.
_POINTS = {"X2": 0, "X3": 1, "Z2": 2, "Z3": 3}
_GIVEN = {"u": 4, "k4": 5}
_POWERS = {"X2": 0, "z": 2, "t": 1, "z2": 3, "z9": 4, "z11": 5, "n5": 6, "n10": 7, "n20": 8,
           "n50": 9, "n100": 10}

_ENTER = """
X2 = [one]
Z2 = [zero]
X3 = [in_x]
Z3 = [one]
u = [in_x]
k4 = [k4]
"""


def _segments():
    def of(name, text, inputs, outputs, **options):
        return Segment(name, parse(text), inputs, outputs, **options)

    yield of("enter", _ENTER, {}, _POINTS | _GIVEN)
    yield of("step", LADDER, _POINTS | _GIVEN, _POINTS | _GIVEN, in_order=True)
    yield of("begin", "t = Z2 * Z2\nz2 = t\nz = Z2", _POINTS,
             {name: _POWERS[name] for name in ("X2", "z", "t", "z2")})
    yield of("square", "t = t * t", _POWERS, _POWERS)
    for _, factor, kept in INVERSION:
        yield of(f"times {factor} {kept}", f"t = t * {factor}\n" + f"{kept} = t\n" * bool(kept),
                 _POWERS, _POWERS)
    yield of("leave", "x = X2 * t", _POWERS, {"x": 0})
    yield of("send", "send x", {"x": 0}, {})
    yield of("wait", "", {}, {})


def _steps():
    def step(name, **fields):
        return Step(fields={"segment": name} | fields)

    yield step("enter")
    yield Step(fields={"segment": "step", "digit": 1}, label="step", flow=Flow.REPEAT, loop="bit",
               to="step")
    yield step("begin")
    for squarings, factor, kept in INVERSION:
        if squarings:
            yield step("square", turns=squarings)
        yield step(f"times {factor} {kept}")
    yield step("leave")
    yield step("send")
    yield step("wait", until=Until.IDLE)


@functools.cache
def build(bits, interval, latency, short):
    """Return the :class:`~.engine_program.EngineProgram` for scalars of so many bits; see
    :func:`~.engine_program.timing`.
    """
    return EngineProgram(list(_segments()), list(_steps()), {"bit": Loop(range(bits))},
                         timing(interval, latency, quick=True, short=short),
                         _PLACES, _ENTRIES)
