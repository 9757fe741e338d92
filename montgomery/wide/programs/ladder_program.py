"""Multiples by first coordinates alone: listings, and the order in which they are done."""

import functools

from ...blocks.program import END, Loop
from ...core import ceil_div
from ...points.ladder import LADDER
from ...points.microcode import Microcode, Place
from ..datapath.primes import Prime
from ..units.held import ReducedNumber
from ..units.inverter import DigitInverter
from . import affine
from .affine import row
from .engine_program import (
    EngineProgram,
    Slots,
    Until,
    of_slot,
    repeated,
    segment,
    step,
    timing,
)

__all__ = ["build"]

#: Numbers in the memory: constants, the coordinate as it comes, and the quotient.
_PLACES = row(0, ("zero", "one", "k4", "square")) | {
    "unit": Place(0, 1), "in_x": Place(1, 1), "in_x_1": Place(3, 1), "quotient": Place(0, 2)}
_ENTRIES = 3

#: Registers of numbers that stay from one segment to another. One of the two is chosen where
#: numbers differ in the lowest bit.
_POINTS = {"X2": 0, "X3": 1, "Z2": 2, "Z3": 3}
_OPERATION, _QUOTIENT = _POINTS | {"u": 4, "k4": 5}, {"t": 6}
#: How many an operation has, and the names of what all operations share.
_REGISTERS = 8
_SHARED = ("zero", "one", "k4", "quotient")

_ENTER = """
X2 = [one]
Z2 = [zero]
X3 = [in_x]
Z3 = [one]
u = [in_x]
k4 = [k4]
"""
_LEAVE = """
t = t * t           # of which the sign does not matter
t = t * Z2
x = X2 * t
"""
#: The same where products are divided by R, which what comes in is multiplied by.
_ENTER_SCALED = _ENTER.replace("u = [in_x]\n", "").replace("X3 = [in_x]\n", """
s = [square]
u = [in_x]
u = u * s
X3 = u
""")
_LEAVE_SCALED = _LEAVE + "e = [unit]\nx = x * e\nzero x\n"


def _segments(slots, late, scaled):
    """Yield the segments: of both operations together, where there are two, and of each.

    With ``late`` lines of both operations go as late as they can. If numbers are ``scaled``,
    products are divided by R, also those that are short elsewhere.
    """
    enter, leave, dividend = ((_ENTER_SCALED, _LEAVE_SCALED, "square") if scaled else
                              (_ENTER, _LEAVE, "one"))
    ladder = LADDER.replace(" short", "") if scaled else LADDER
    names = Slots(slots, _REGISTERS, _SHARED)
    of_all = names.of_all(_OPERATION)
    if slots > 1:
        yield names.together("both", ladder, of_all, in_order=True, late=late)
    for slot in range(slots):
        yield from names.segments(slot, (
            segment("enter", enter, {}, _OPERATION),
            segment("begin", f"s = [{dividend}]\ndivide s by Z2", _POINTS, _POINTS),
            segment("take", "t = [quotient]", _POINTS, _POINTS | _QUOTIENT),
            segment("leave", leave, _POINTS | _QUOTIENT, {"x": 0}),
            segment("send", "send x", {"x": 0}, {}),
            segment("step", ladder, _OPERATION, _OPERATION, in_order=True, late=slots > 1)),
            _OPERATION)
    yield segment("turn", "", of_all, of_all)
    yield segment("wait", "", of_all, of_all)


def _steps(prime, slots):
    """Yield the steps. Where there are two operations, one goes through its ladder alone while the
    other one is divided, and while it is sent.
    """
    if slots == 1:
        yield from (step("enter", "enter"), repeated("step", "bit", digit=1),
                    *affine.division(prime), step("leave"), step("send"),
                    step("wait", until=Until.IDLE))
        return
    for slot in range(slots):
        sent = 1 - slot
        of = functools.partial(of_slot, slots=slots, shared=["both", "wait"], field=sent)
        yield from of([step("enter", "enter"), repeated("both", "bit", digit=1)], slot)
        yield from of([step("begin")], sent)
        yield from of([repeated("step", "divides", digit=1)], slot)
        yield from of([step("take"), step("leave"), step("send")], sent)
        yield from of([repeated("step", "sends", digit=1), step("wait", until=Until.IDLE)], slot)
        if slot < slots - 1:
            yield END


@functools.cache
def build(flow, slots=1):
    """Return the :class:`~.engine_program.EngineProgram` for scalars as long as a
    :class:`~.primes.FixedPrime`, at a :class:`~.dataflow.Dataflow`, for one operation at a time, or
    two.
    """
    prime = flow.prime
    # Two operations seldom wait for operands.
    clocks = timing(flow, quick=slots == 1)
    # Products that take eight clocks hide the difference, and numbers would need more registers.
    scaled = isinstance(prime, Prime)
    segments = list(_segments(slots, late=flow.interval < 8, scaled=scaled))
    bits, loops = prime.width, {}
    if slots > 1:
        turn = Microcode(segments, clocks, _PLACES, _ENTRIES).clocks["step"]
        divides, sends = (ceil_div(last, turn) for last in (
            DigitInverter.latency(prime), ReducedNumber.SENT))
        bits = (bits - divides - sends) // 2
        divides = prime.width - 2 * bits - sends
        loops = {"divides": Loop(range(divides)), "sends": Loop(range(sends))}
    return EngineProgram(flow, segments, _steps(prime, slots), {"bit": Loop(range(bits))} | loops,
                         clocks, _PLACES, _ENTRIES,
                         first=None if scaled else ReducedNumber.REDUCED + 1)
