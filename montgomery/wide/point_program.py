"""What the engine does with a scalar and a point: listings, and the order they are done in."""

import functools
import itertools

from amaranth.lib import data, enum

from ..blocks.program import Flow, Loop, Program, Step
from ..core import ceil_div
from ..points.assembler import Timing
from ..points.listing import evaluate, parse
from ..points.microcode import Index, Microcode, Place, Segment
from ..points.weierstrass import ADD, DOUBLE, ON_CURVE
from .adder import DigitAdder
from .core import WideCore
from .held import HeldNumber
from .model import CLOCKS
from .primes import DIGITS
from .ranges import BASE
from .scalar_digits import WINDOW, ScalarDigits

__all__ = ["ENTRIES", "LONGEST", "MULTIPLES", "PLACES", "TIMING", "Memory", "PointProgram", "Until",
           "build"]

#: Operands are in registers a clock after they were read. Results are written as they come.
TIMING = Timing(interval=CLOCKS, product=1 + WideCore.LATENCY + 1, sum=1 + DigitAdder.LATENCY + 1,
                memory=3, store=2, zero=1 + HeldNumber.COMPARED, registers=16)

#: Most turns of a segment.
LONGEST = 128
#: Multiples of the point in the memory: 0 to 16.
MULTIPLES = (1 << WINDOW - 1) + 1
#: Entries of the memory: the multiples, constants, and the point as it comes.
ENTRIES = MULTIPLES + 2

_CONSTANTS, _INPUTS = range(MULTIPLES, ENTRIES)
#: Numbers in the memory. Entry 0 is the point at infinity, (0 : 1 : 0).
PLACES = {"one": Place(1)}
PLACES |= {f"first_{part}": Place(index, 1) for index, part in enumerate("xyz")}
PLACES |= {f"multiple_{part}": Place(index, index=Index.TURN) for index, part in enumerate("xyz")}
PLACES |= {f"digit_{part}": Place(index, index=Index.DIGIT) for index, part in enumerate("xyz")}
PLACES |= {name: Place(index, _CONSTANTS)
           for index, name in enumerate(("b", "b3", "square", "unit"))}
PLACES |= {f"in_{part}": Place(index, _INPUTS) for index, part in enumerate("xy")}

#: Registers of numbers that stay from one segment to another.
_POINT = {"X": 0, "Y": 1, "Z": 2, "b3": 3}
_OTHER = {"P": 13, "Q": 14, "R": 15}
_POWERS = {"t": 4, "n2": 5, "n4": 6, "n8": 7, "n30": 8, "n32": 9}

_ENTER = f"""
x = [in_x]
y = [in_y]
s = [square]
b = [b]
b3 = [b3]
x = x * s
y = y * s
Z = [one]
{ON_CURVE}
e = e * Z
zero e              # a product, of which 0 is the only multiple of p
X = x
Y = y
[first_x] = X
[first_y] = Y
[first_z] = Z
P = X
Q = Y
R = Z
"""
_STORE = "".join(f"[multiple_{part}] = {part.upper()}\n" for part in "xyz")
_LOAD_DIGIT = "{X} = [digit_x]\n{Y} = [digit_y] signed\n{Z} = [digit_z]\n"
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

#: 1/Z = Z**(p - 2), where p = 2**256 - 2**224 + 2**192 + 2**96 - 1: number n of ones in a row
#: times others. Each is how often to square, what to multiply by, and what to keep the power as.
_INVERSION = ((1, "Z", "n2"), (2, "n2", "n4"), (4, "n4", "n8"), (8, "n8", ""), (8, "n8", ""),
              (4, "n4", ""), (2, "n2", "n30"), (2, "n2", "n32"), (32, "Z", ""), (128, "n32", ""),
              (32, "n32", ""), (30, "n30", ""), (2, "Z", ""))


class Until(enum.IntEnum):
    """How often a segment is repeated: as often as a step says, or until nothing is held."""

    TURNS, IDLE = range(2)


def _segments():
    def of(name, text, inputs, outputs, **options):
        return Segment(name, parse(text), inputs, outputs, **options)

    late = ScalarDigits.LATENCY
    digit = _LOAD_DIGIT.format(**{name: name for name in "XYZ"})
    other = _LOAD_DIGIT.format(X="P", Y="Q", Z="R")
    yield of("enter", _ENTER, {}, _POINT | _OTHER)
    yield of("next", ADD + _STORE, _POINT | _OTHER, _POINT | _OTHER)
    yield of("first", digit, {"b3": _POINT["b3"]}, _POINT, loads_from=late)
    yield of("window", DOUBLE * WINDOW + other + ADD, _POINT, _POINT, loads_from=late)
    power = _POINT | _POWERS
    yield of("begin", "t = Z", _POINT, _POINT | {"t": _POWERS["t"]})
    yield of("square", "t = t * t", power, power)
    for factor, kept in dict.fromkeys((factor, kept) for _, factor, kept in _INVERSION):
        yield of(f"times {factor} {kept}", f"t = t * {factor}\n" + f"{kept} = t\n" * bool(kept),
                 power, power)
    yield of("leave", _LEAVE, power, {"X": 0, "Y": 1})
    yield of("send x", "send X", {"X": 0, "Y": 1}, {"Y": 1})
    yield of("send y", "send Y", {"Y": 1}, {})
    yield of("wait", "", {"Y": 1}, {"Y": 1})


class PointProgram:
    """Microcode, and the program of its segments.

    Fields of a step are the number of the first word, the turns, until when there are turns, and
    whether the next digit is made.

    Attributes
    ----------
    microcode : :class:`~..points.microcode.Microcode`
    program : :class:`~..blocks.program.Program`
    """

    def __init__(self):
        segments = list(_segments())
        self.microcode = Microcode(segments, TIMING, PLACES, ENTRIES)
        self._segments = {self.microcode.starts[each.name]: each for each in segments}
        layout = data.StructLayout({
            "start": range(len(self.microcode.words)), "turns": range(1, LONGEST + 1),
            "until": Until, "digit": 1})
        self.program = Program(layout, self._steps(), {
            "multiple": Loop(range(2, MULTIPLES)),
            "window": Loop(range(1, ceil_div(DIGITS * BASE, WINDOW)))})

    def _steps(self):
        def step(name, turns=1, until=Until.TURNS, digit=0, **flow):
            return Step(fields={"start": self.microcode.starts[name], "turns": turns,
                                "until": until, "digit": digit}, **flow)

        yield step("enter")
        yield step("next", label="next", flow=Flow.REPEAT, loop="multiple", to="next")
        yield step("first", digit=1)
        yield step("window", digit=1, label="window", flow=Flow.REPEAT, loop="window", to="window")
        yield step("begin")
        for squarings, factor, kept in _INVERSION:
            yield step("square", squarings)
            yield step(f"times {factor} {kept}")
        yield step("leave")
        for name in ("send x", "send y"):
            yield step(name)
            yield step("wait", until=Until.IDLE)

    def walk(self):
        """Yield each segment that is done, whether it begins with a digit, and turns of loops."""
        for step, turns in self.program.walk():
            for _ in range(step.fields["turns"]):
                yield self._segments[step.fields["start"]], step.fields["digit"], turns

    @property
    def clocks(self):
        """Clocks of all segments before the first that sends."""
        names = itertools.takewhile(lambda name: not name.startswith("send"),
                                    (segment.name for segment, _, _ in self.walk()))
        return sum(self.microcode.clocks[name] for name in names)

    def run(self, memory, product, modulus):
        """Do it on integers; return what must be 0, and what is sent.

        Parameters
        ----------
        memory, product, modulus : see :func:`~..points.listing.evaluate`
            ``memory.turn`` is set to the number of the multiple, and ``memory.next()`` is called
            for the next digit.
        """
        numbers, zeros, sent = {}, [], []
        for segment, digit, turns in self.walk():
            memory.turn = turns["multiple"]
            if digit:
                memory.next()
            found = evaluate(segment.lines, numbers, memory, product, modulus)
            zeros += found[0]
            sent += found[1]
        return zeros, sent


class Memory:
    """The memory on integers, by entry and part.

    Parameters
    ----------
    contents : :class:`dict` from :class:`str` to :class:`int`
        Numbers by the names of their places; all others are 0.
    digits : sequence of :class:`int`
        Those of the scalar, the highest one first.
    """

    def __init__(self, contents, digits):
        self._digits, self._digit, self.turn = iter(digits), 0, 0
        self._contents = {}
        for name, number in contents.items():
            self.store(name, number)

    def next(self):
        """Go to the next digit."""
        self._digit = next(self._digits)

    def load(self, name, signed):
        """Return a number, or minus it if it is signed and the digit is negative."""
        number = self._contents.get(self._at(name), 0)
        return -number if signed and self._digit < 0 else number

    def store(self, name, number):
        """Replace a number."""
        self._contents[self._at(name)] = number

    def _at(self, name):
        place = PLACES[name]
        entries = {Index.FIXED: place.entry, Index.DIGIT: abs(self._digit), Index.TURN: self.turn}
        return entries[place.index], place.part


@functools.cache
def build():
    """Return the :class:`PointProgram`, which is the same for all cores."""
    return PointProgram()
