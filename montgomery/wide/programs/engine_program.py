"""What an engine does from the first word that comes to the last: segments, and their order."""

import dataclasses
import itertools

from amaranth.lib import data, enum

from ...blocks.program import END, Flow, Program, Step
from ...blocks.streams import Skid
from ...core import Cycles, ceil_div
from ...points.assembler import Timing
from ...points.listing import evaluate, parse
from ...points.microcode import FETCH, Index, Microcode
from ..units.adder import DigitAdder
from ..units.held import HeldNumber
from ..units.intake import PairedIntake

__all__ = ["SUFFIXES", "TURNS", "EngineProgram", "Memory", "Slots", "Until",
           "repeated", "step", "timing"]

#: By operation: what its names end with, and the label of the step with which its turn begins.
SUFFIXES, TURNS = ("", "_1"), ("enter", "enter_1")


class Slots:
    """What tells operations apart.

    There are ``count`` operations under way, with so many ``registers`` each; numbers with the
    names ``shared`` are those of all.
    """

    def __init__(self, count, registers, shared):
        self._count, self._registers, self._shared = count, registers, shared

    def lines(self, lines, slot):
        """Return lines with the names of an operation."""
        def named(name):
            return self._named(name, slot)

        return [dataclasses.replace(
                    line, target=named(line.target), a=named(line.a), b=named(line.b),
                    place=named(line.place), others=tuple(map(named, line.others)))
                for line in lines]

    def registers(self, numbers, slot):
        """Return registers, by names of an operation."""
        return {self._named(name, slot): number + self._registers * slot
                * (name not in self._shared) for name, number in numbers.items()}

    def of_all(self, numbers):
        """Return registers of all operations."""
        return self._of(numbers, range(self._count))

    def together(self, listing):
        """Return lines of all operations, which take turns."""
        of_each = (self.lines(parse(listing), slot) for slot in range(self._count))
        return list(itertools.chain(*zip(*of_each, strict=True)))

    def segments(self, slot, segments, kept):
        """Yield segments as those of an operation; in ``kept`` the others have numbers that stay.
        """
        stay = self._of(kept, (other for other in range(self._count) if other != slot))
        for each in segments:
            yield dataclasses.replace(
                each, name=each.name + SUFFIXES[slot], lines=self.lines(each.lines, slot),
                inputs=self.registers(each.inputs, slot) | stay,
                outputs=self.registers(each.outputs, slot) | stay)

    def _of(self, numbers, slots):
        return {name: number for slot in slots
                for name, number in self.registers(numbers, slot).items()}

    def _named(self, name, slot):
        return name + SUFFIXES[slot] if name and name not in self._shared else name


#: Fields of every step.
_FIELDS = {"start", "turns", "until", "digit"}


class Until(enum.IntEnum):
    """How often a segment is repeated: as often as a step says, or until nothing is held."""

    TURNS, IDLE = range(2)


def timing(flow, *, quick=False, fetch=0):
    """Return the :class:`~..points.assembler.Timing` with a multiplier.

    Operands are in registers a clock after they were read. Results are written as they come.

    If it is ``quick``, factors go to the multiplier as they are read, and sums are loose where they
    may be: this takes more LUTs, and is for multipliers that wait for operands. From an address to
    the number of a register there are ``fetch`` clocks.
    """
    read = fetch + (1 if quick else 2)
    return Timing(interval=flow.interval, product=flow.latency + read, short=flow.short + read,
                  sum=fetch + 1 + DigitAdder.LATENCY + 1, loose=quick * (fetch + 3), direct=quick,
                  memory=3 + quick, store=fetch + 2,
                  zero=fetch + 1 + HeldNumber.compared(flow.prime.digits), registers=16,
                  fetch=fetch)


def step(name, **fields):
    """Return a step that does a segment, with more fields."""
    return Step(fields={"segment": name} | fields)


def repeated(name, loop, **fields):
    """Return a step that does a segment in all turns of a loop."""
    return dataclasses.replace(step(name, **fields), label=name, flow=Flow.REPEAT, loop=loop,
                               to=name)


class EngineProgram:
    """Microcode, and the program of its segments.

    Fields of a step are the number of the first word, the turns, until when there are turns,
    whether the next digit is made, and what else the steps name.

    Steps have the name of a segment as their field ``segment``, and other fields but ``start``.
    ``places`` are those of numbers in the memory, of so many ``entries`` of four numbers; a
    ``quotient`` has an entry of its own, which is 0. Numbers have so many ``digits``. There are
    ``first`` clocks from a segment that sends a number to its first word; without it, one more than
    until a number was compared.

    Attributes
    ----------
    microcode : :class:`~..points.microcode.Microcode`
    program : :class:`~..blocks.program.Program`
    timing, places, entries : as given
    """

    def __init__(self, segments, steps, loops, timing, places, entries, *, digits,
                 first=None):
        self.timing, self.places, self.entries = timing, places, entries
        self._digits, self._first = digits, timing.zero + 1 if first is None else first
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

    def _count(self, *, sends=True):
        """Return the clocks of a run, and after how many of them its numbers are sent.

        If it ``sends``, what is sent is taken at once; else there was no operation to send.
        """
        # From a segment that sends until its number is seen to be sent.
        sent = self._first + 2 * self._digits - 1 if sends else 0
        clocks, begins = 0, []
        for step, _ in self.program.walk():
            name, turns = self._segments[step.fields["start"]].name, step.fields["turns"]
            each = self.microcode.clocks[name]
            if name.startswith("send"):
                begins.append(clocks)
            if step.fields["until"] is Until.IDLE:
                turns = 1 + max(ceil_div(begins[-1] + sent - clocks, each), 0)
            clocks += turns * each
        return clocks, begins

    def interval(self, words):
        """Return the clocks from a result to the next one, of operations of so many words."""
        return self._count()[0] + words + 4

    def cycles(self, words, slots=1):
        """Return the :class:`~montgomery.Cycles` of operations of so many words.

        Where there are two at a time it is the first one after a rest, which enters in one turn and
        is sent in the next one. Nothing is sent in the turn in which it enters.
        """
        _, begins = self._count()
        before = (slots - 1) * (self._count(sends=False)[0] + PairedIntake.ALONE)
        return Cycles(load=words,
                      compute=before + 3 + FETCH + begins[0] + self._first + Skid.LATENCY,
                      unload=begins[-1] - begins[0] + 2 * self._digits - 1,
                      interval=before + self.interval(words))

    def run(self, contents, digits, product, modulus, memory=None, short=None):
        """Do it on integers; return what must be 0, and what is sent.

        See :class:`Memory` and :func:`~..points.listing.evaluate`; ``memory`` makes the memory.
        """
        memory = (memory or Memory)(self.places, contents, digits)
        numbers, zeros, sent = {}, [], memory.sent
        for segment, digit, turns in self.walk():
            memory.turns = turns
            if digit:
                memory.next()
            found = evaluate(segment.lines, numbers, memory, product, modulus, short)
            zeros += found[0]
            sent += found[1]
        return zeros, sent


class Memory:
    """The memory on integers, by entry and part.

    ``contents`` are numbers by the names of their places; all others are 0. ``digits`` are those of
    the scalar, the highest one first: the entry, and whether its number is negative. If there are
    places of a second scalar they are those of both, by turns.

    Attributes
    ----------
    turns : :class:`dict` from :class:`str` to :class:`int`
        Turns of loops.
    sent : list of :class:`int`
        What was sent so far.
    """

    def __init__(self, places, contents, digits):
        self._places, self._digits = places, iter(digits)
        self.turns, self.sent = {}, []
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
        _, negative = self._digit_of(self._places[name])
        return -number if signed and negative else number

    def store(self, name, number):
        """Replace a number."""
        self._contents[self._at(name)] = number

    def _digit_of(self, place):
        return self._second if place.index is Index.SECOND else self._digit

    def _at(self, name):
        place = self._places[name]
        magnitude, _ = self._digit_of(place)
        entries = {Index.FIXED: place.entry, Index.TURN: self.turns.get("multiple", 0)}
        return entries.get(place.index, magnitude), place.part
