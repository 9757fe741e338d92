"""What an engine does from the first word that comes to the last: segments, and their order."""

import dataclasses
import itertools

from amaranth.lib import data, enum

from ..blocks.program import END, Program
from ..points.assembler import Timing
from ..points.listing import evaluate
from ..points.microcode import Index, Microcode
from .adder import DigitAdder
from .held import HeldNumber
from .primes import DIGITS

__all__ = ["EngineProgram", "Memory", "Until", "timing"]

#: Fields of every step.
_FIELDS = {"start", "turns", "until", "digit"}


class Until(enum.IntEnum):
    """How often a segment is repeated: as often as a step says, or until nothing is held."""

    TURNS, IDLE = range(2)


def timing(interval, latency, *, digits=DIGITS, quick=False, short=0,
           fetch=0):
    """Return the :class:`~..points.assembler.Timing` with a multiplier.

    Operands are in registers a clock after they were read. Results are written as they come.

    Parameters
    ----------
    interval, latency : :class:`int`
        Clocks from a product to the next one, and from operands to the result.
    digits : :class:`int`
        Digits of a number.
    quick : :class:`bool`
        Factors go to the multiplier as they are read, and sums are loose where they may be. This
        takes more LUTs, and is for multipliers that wait for operands.
    short : :class:`int`
        From operands to the result of short products.
    fetch : :class:`int`
        Clocks from an address to the number of a register.
    """
    read = fetch + (1 if quick else 2)
    return Timing(interval=interval, product=latency + read, short=short + read,
                  sum=fetch + 1 + DigitAdder.LATENCY + 1, loose=quick * (fetch + 3), direct=quick,
                  memory=3 + quick, store=fetch + 2,
                  zero=fetch + 1 + HeldNumber.compared(digits), registers=16, fetch=fetch)


class EngineProgram:
    """Microcode, and the program of its segments.

    Fields of a step are the number of the first word, the turns, until when there are turns,
    whether the next digit is made, and what else the steps name.

    Parameters
    ----------
    segments : list of :class:`~..points.microcode.Segment`
    steps : list of :class:`~..blocks.program.Step`
        With the name of a segment as their field ``segment``, and other fields but ``start``.
    loops : :class:`dict` from :class:`str` to :class:`~..blocks.program.Loop`
    timing : :class:`~..points.assembler.Timing`
    places : :class:`dict` from :class:`str` to :class:`~..points.microcode.Place`
        Numbers in the memory. If there is a ``quotient``, it has an entry of its own, which is 0.
    entries : :class:`int`
        Entries of the memory, of four numbers each.

    Attributes
    ----------
    microcode : :class:`~..points.microcode.Microcode`
    program : :class:`~..blocks.program.Program`
    timing, places, entries : as given
    """

    def __init__(self, segments, steps, loops, timing, places, entries):
        self.timing, self.places, self.entries = timing, places, entries
        self.microcode = Microcode(segments, timing, places, entries)
        self._segments = {self.microcode.starts[each.name]: each for each in segments}
        steps = [self._with_start(step) for step in steps]
        fields = [step.fields for step in steps if step is not END]
        layout = data.StructLayout({
            "start": range(len(self.microcode.words)),
            "turns": range(1, max(each["turns"] for each in fields) + 1),
            "until": Until, "digit": 1, **dict.fromkeys(sorted(set().union(*fields) - _FIELDS), 1)})
        self.program = Program(layout, steps, loops)

    def _with_start(self, step):
        if step is END:
            return step
        fields = {"turns": 1, "until": Until.TURNS, "digit": 0} | step.fields
        start = self.microcode.starts[fields.pop("segment")]
        return dataclasses.replace(step, fields={"start": start} | fields)

    def walk(self, entry=""):
        """Yield each segment that is done, whether it begins with a digit, and turns of loops.

        The first step is that with the label ``entry``.
        """
        for step, turns in self.program.walk(entry=entry):
            for _ in range(step.fields["turns"]):
                yield self._segments[step.fields["start"]], step.fields["digit"], turns

    @property
    def clocks(self):
        """Clocks of all segments before the first that sends."""
        names = itertools.takewhile(lambda name: not name.startswith("send"),
                                    (segment.name for segment, _, _ in self.walk()))
        return sum(self.microcode.clocks[name] for name in names)

    @property
    def turn(self):
        """Clocks of all segments of a run, which waits once."""
        return sum(self.microcode.clocks[segment.name] for segment, _, _ in self.walk())

    def run(self, contents, digits, product, modulus, memory=None):
        """Do it on integers; return what must be 0, and what is sent.

        Parameters
        ----------
        contents, digits : see :class:`Memory`
        product, modulus : see :func:`~..points.listing.evaluate`
        memory : callable
            What the memory is made by; :class:`Memory` if there is none.
        """
        memory = (memory or Memory)(self.places, contents, digits)
        numbers, zeros, sent = {}, [], []
        for segment, digit, turns in self.walk():
            memory.turns = turns
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
    places : :class:`dict` from :class:`str` to :class:`~..points.microcode.Place`
    contents : :class:`dict` from :class:`str` to :class:`int`
        Numbers by the names of their places; all others are 0.
    digits : sequence of pairs of :class:`int` and :class:`bool`
        Those of the scalar, the highest one first: the entry, and whether its number is negative.
        If there are places of a second scalar: those of both, by turns.
    """

    def __init__(self, places, contents, digits):
        self._places, self._digits, self.turns = places, iter(digits), {}
        self._digit = self._second = 0, False
        self._has_second = any(place.index is Index.SECOND for place in places.values())
        self._contents = {}
        for name, number in contents.items():
            self.store(name, number)

    def next(self):
        """Go to the next digit, or the next ones of both scalars."""
        self._digit = next(self._digits)
        if self._has_second:
            self._second = next(self._digits)

    def chooses(self):
        """Return whether the digit is 1."""
        return self._digit[0] == 1

    def load(self, name, signed):
        """Return a number, or minus it if it is signed and the digit is negative."""
        number = self._contents.get(self._at(name), 0)
        second = self._places[name].index is Index.SECOND
        _, negative = self._second if second else self._digit
        return -number if signed and negative else number

    def store(self, name, number):
        """Replace a number."""
        self._contents[self._at(name)] = number

    def _at(self, name):
        place = self._places[name]
        entries = {Index.FIXED: place.entry, Index.DIGIT: self._digit[0],
                   Index.SECOND: self._second[0], Index.TURN: self.turns.get("multiple", 0)}
        return entries[place.index], place.part
