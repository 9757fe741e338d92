"""What an engine does from the first word that comes to the last: segments, and their order."""

import dataclasses
import itertools

from amaranth.lib import data, enum

from ...blocks.program import END, Flow, Program, Step
from ...blocks.streams import Skid
from ...core import Cycles, ceil_div
from ...points.listing import evaluate, parse
from ...points.microcode import FETCH, Index, Microcode, Segment, Timing
from ..units.adder import DigitAdder
from ..units.held import HeldNumber
from ..units.words import PairedIntake

__all__ = ["SUFFIXES", "TURNS", "EngineProgram", "Slots", "Until", "of_slot", "repeated", "segment",
           "step", "timing"]

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

    def together(self, name, listing, registers, **options):
        """Return the segment with the lines of all operations, which take turns."""
        of_each = (self.lines(parse(listing), slot) for slot in range(self._count))
        return Segment(name, list(itertools.chain(*zip(*of_each, strict=True))), registers,
                       registers, **options)

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


def timing(flow, *, quick=False, fetch=0, far=False, registers=16, compared=0):
    """Return the :class:`~..points.microcode.Timing` with a multiplier.

    Operands are in registers a clock after they were read. Results are written as they come.

    If it is ``quick``, factors go to the multiplier as they are read, and sums are loose where they
    may be: this takes more LUTs, and is for multipliers that wait for operands. From an address to
    the number of a register there are ``fetch`` clocks. If the memory is ``far``, digits are chosen
    before it is asked, and it has so many blocks that what is read takes a clock to the registers.
    Numbers are ``compared`` with 0 in so many clocks, or in those of a
    :class:`~.held.HeldNumber`.
    """
    read = fetch + (1 if quick else 2)
    return Timing(interval=flow.interval, product=flow.latency + read, short=flow.short + read,
                  sum=fetch + 1 + DigitAdder.LATENCY + 1, loose=quick * (fetch + 3), direct=quick,
                  memory=3 + quick + 2 * far, choice=int(far), store=fetch + 2,
                  zero=fetch + 1 + (compared or HeldNumber.compared(flow.prime.digits)),
                  registers=registers, fetch=fetch)


def segment(name, text, inputs, outputs, **options):
    """Return the segment of a listing."""
    return Segment(name, parse(text), inputs, outputs, **options)


def step(name, label="", **fields):
    """Return a step that does a segment, with more fields."""
    return Step(fields={"segment": name} | fields, label=label)


def repeated(name, loop, to="", **fields):
    """Return a step with which a turn of a loop ends; it begins with the same one, or another."""
    label = f"{name} of {loop}"
    return dataclasses.replace(step(name, label, **fields), flow=Flow.REPEAT, loop=loop,
                               to=to or label)


def of_slot(steps, slot, slots, shared=(), field=None):
    """Yield steps as those of one of several operations, but for the names of shared segments.

    Their field ``slot`` is that operation, or another one.
    """
    suffix, fields = SUFFIXES[slot], {}
    if slots > 1:
        fields["slot"] = slot if field is None else field
    for each in steps:
        name = each.fields["segment"]
        fields["segment"] = name if name in shared else name + suffix
        yield dataclasses.replace(each, fields=each.fields | fields,
                                  label=each.label and each.label + suffix,
                                  to=each.to and each.to + suffix)


class EngineProgram:
    """Microcode, and the program of its segments.

    Fields of a step are the number of the first word, the turns, until when there are turns,
    whether the next digit is made, and what else the steps name.

    Steps have the name of a segment as their field ``segment``, and other fields but ``start``.
    ``places`` are those of numbers in the memory, of so many ``entries`` of four numbers; a
    ``quotient`` has an entry of its own, which is 0. There are ``first`` clocks from a segment that
    sends a number to its first word; without it, one more than until a number was compared. For
    ``second`` see :class:`Memory`.
    """

    def __init__(self, flow, segments, steps, loops, timing, places, entries, *, first=None,
                 second=None):
        self.timing, self.places, self.entries = timing, places, entries
        self._digits, self._first = flow.prime.digits, timing.zero + 1 if first is None else first
        self._second, segments = second, list(segments)
        self.microcode = Microcode(segments, timing, places, entries)
        self._segments = {self.microcode.starts[each.name]: each for each in segments}
        steps = [self._with_start(each) for each in steps]
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

    def run(self, contents, digits, product, short, modulus, opposite=None):
        """Do it on integers; return what must be 0, and what is sent.

        See :class:`Memory` and :func:`~..points.listing.evaluate`.
        """
        memory = Memory(self.places, contents, digits, self._second, opposite)
        numbers, zeros, sent = {}, [], memory.sent
        for segment, digit, turns in self.walk():
            memory.turns = turns
            if digit:
                memory.next()
            found = evaluate(segment.lines, numbers, memory, product, modulus, short)
            zeros += found[0]
            sent += found[1]
        return zeros, sent


#: What a digit of the scalar chooses, by :func:`_kind`.
_SCALAR = Index.DIGIT, 0


def _kind(place):
    return place.index, place.entry


class Memory:
    """The memory on integers, by entry and part.

    ``contents`` are numbers by the names of their places; all others are 0. ``digits`` are those of
    the scalar, the highest one first: the entry, and whether its number is negative. If digits of
    other kinds choose places too, there is one of each kind by turns. ``second`` says what entry
    and part a digit of a second scalar chooses, and ``opposite``, of what was sent, whether digits
    of the scalar have the opposite sign.
    """

    def __init__(self, places, contents, digits, second=None, opposite=None):
        self._places, self._digits = places, iter(digits)
        self._second, self._opposite = second, opposite
        self.turns, self.sent = {}, []  # of loops, by name; so far
        kinds = {_kind(place) for place in places.values()
                 if place.index in (Index.DIGIT, Index.SECOND)}
        self._now = dict.fromkeys(sorted({_SCALAR, *kinds}), (0, False))
        self._contents = {}
        for name, number in contents.items():
            self.store(name, number)

    def next(self):
        """Go to the next digit of each kind."""
        self._now = {kind: next(self._digits) for kind in self._now}

    def chooses(self):
        """Return whether the digit is 1."""
        return self._now[_SCALAR][0] == 1

    def load(self, name, signed):
        """Return a number, or minus it if it is signed and the digit is negative."""
        number = self._contents.get(self._at(name), 0)
        place = self._places[name]
        _, negative = self._digit_of(place)
        if self._opposite and place.index is Index.DIGIT:
            negative ^= self._opposite(self.sent)
        return -number if signed and negative else number

    def store(self, name, number):
        """Replace a number."""
        self._contents[self._at(name)] = number

    def _digit_of(self, place):
        return self._now.get(_kind(place), self._now[_SCALAR])

    def _at(self, name):
        place = self._places[name]
        magnitude, _ = self._digit_of(place)
        match place.index:
            case Index.FIXED:
                return place.entry, place.part
            case Index.TURN:
                return self.turns.get("multiple", 0), place.part
            case Index.SECOND if self._second:
                return self._second(magnitude, place.part)
        return magnitude, place.part
