"""Microcode: what an engine does in each clock, and the segments that a program goes through."""

import dataclasses

from amaranth.lib import data, enum

from .assembler import assemble
from .listing import Operation

__all__ = ["FETCH", "Held", "Index", "Microcode", "Place", "Segment", "word_layout"]

#: Clocks from the word that ends a segment until the first one of the next segment.
FETCH = 6


class Held(enum.IntEnum):
    """What the number is for that is taken to where numbers are held."""

    NOTHING, STORE, ZERO, SEND = range(4)


class Index(enum.IntEnum):
    """What an entry of the memory is chosen by: a number in the word, the digit, the loop, or the
    digit of a second scalar.
    """

    FIXED, DIGIT, TURN, SECOND = range(4)


@dataclasses.dataclass(frozen=True)
class Place:
    """A number in the memory."""

    part: int  # which of the four numbers of an entry
    entry: int = 0  # which entry, if it is fixed; or 1 for the digit of a second half of the scalar
    index: Index = Index.FIXED
    slot: int = 0  # to which of several operations the digit or loop belongs


def word_layout(timing, entries, more=()):
    """Return the layout of a word, for an engine with a :class:`~.assembler.Timing`.

    ==================  ============================================================================
    field               what it says of its clock
    ==================  ============================================================================
    ``a``, ``b``        registers of which the numbers are operands in the next clock
    ``from_memory``     operand a is the word of the memory instead
    ``has_a``           operand a is not 0, for the adder
    ``negative``        subtract a; ``signed``: with the sign of the digit
    ``has_b``, ``twice``  operand b is not 0; it counts twice. ``twice`` alone: operand a, of the
                        word before, is a divisor, in two words, and in the third the dividend
    ``product``         the operands are factors
    ``write``           write a result to register ``target``: a sum, or ``write_product``
    ``index``           by what ``entry`` is chosen, whose number ``part`` the memory is asked for
    ``store``           write to it instead
    ``held``            what operand a, of the word before, is taken for
    ``ends``            the segment ends :data:`FETCH` clocks later
    ``write_loose``     write a sum that is not carried, if there are such sums
    ==================  ============================================================================

    Where registers take longer to read, all but their numbers is in a word that comes ``fetch``
    clocks later. There may be ``more`` fields: with ``chooses`` operands are those of the registers
    whose numbers differ in the lowest bit, if the digit is 1; a product may be ``short``; and what
    ``index`` says may be of the second operation, with ``slot``.
    """
    register = range(timing.registers)
    return data.StructLayout({
        "a": register, "b": register, "from_memory": 1, "has_a": 1, "negative": 1, "signed": 1,
        "has_b": 1, "twice": 1, "product": 1, "write": 1, "write_product": 1, "target": register,
        "index": Index, "entry": range(entries), "part": 2, "store": 1, "held": Held, "ends": 1}
        | ({"write_loose": 1} if timing.loose else {})
        | dict.fromkeys(more, 1))


@dataclasses.dataclass(frozen=True)
class Segment:
    """A listing as part of a program."""

    name: str
    lines: list  # of listing.Line
    # Registers of the numbers that are there at first, and at last.
    inputs: dict
    outputs: dict
    loads_from: int = 0  # first clock in which the memory is asked for a word
    in_order: bool = False  # lines that come first go first
    late: bool = False  # lines go as late as they can


class Microcode:
    """The words of some segments, one after the other. Word 0 does nothing.

    The ``words`` are the fields of each that are not 0; by the name of a segment, ``starts`` has
    its first word, and ``clocks`` how many there are.
    """

    def __init__(self, segments, timing, places, entries):
        self.words, self.starts, self.clocks = [{}], {}, {}
        for segment in segments:
            # Loops turn when the word that ends a segment has been seen.
            late = any(line.operation is Operation.STORE
                       and places[line.place].index is not Index.FIXED for line in segment.lines)
            assembled = assemble(segment.lines, timing, segment.inputs, segment.outputs,
                                 least=FETCH + 1, rest=late * (FETCH - 1),
                                 loads_from=segment.loads_from, in_order=segment.in_order,
                                 late=segment.late)
            words = _words(assembled, timing, places)
            self.starts[segment.name] = len(self.words)
            self.clocks[segment.name] = assembled.clocks
            self.words += words
        more = [name for name in ("chooses", "short", "slot")
                if any(name in word for word in self.words)]
        self.layout = word_layout(timing, entries, more)

    def constants(self):
        """Return the words as integers."""
        return [self.layout.const(word).as_value().value for word in self.words]


def _words(assembled, timing, places):
    words = [{} for _ in range(assembled.clocks)]
    for issue in assembled.issues:
        line, clock = issue.line, issue.clock
        # Registers are read at first.
        read, now, last = words[clock], words[clock + timing.fetch], words[issue.written]
        if line.others:
            now |= {"chooses": 1}
        if issue.loose:
            last |= {"write_loose": 1}
        match line.operation:
            case Operation.PRODUCT | Operation.SHORT as operation:
                read |= {"a": issue.a, "b": issue.b}
                now |= {"has_b": 1, "product": 1}
                if operation is Operation.SHORT:
                    now |= {"short": 1}
                last |= {"write": 1, "write_product": 1, "target": issue.target}
            case Operation.SUM:
                read |= {"b": issue.b}
                now |= {"has_b": 1, "twice": line.twice}
                if line.a:
                    read |= {"a": issue.a}
                    now |= {"has_a": 1, "negative": line.negative}
                last |= {"write": 1, "target": issue.target}
            case Operation.LOAD:
                read |= _address(places[line.place])
                words[clock + timing.memory] |= {
                    "from_memory": 1, "has_a": 1, "signed": line.negative}
                last |= {"write": 1, "target": issue.target}
            case Operation.DIVIDE:
                for later, number in enumerate((issue.a, issue.a, issue.b)):
                    words[clock + later] |= {"a": number}
                    words[clock + timing.fetch + later + 1] |= {"twice": 1}
            case operation:
                read |= {"a": issue.a}
                words[clock + timing.fetch + 1] |= {"held": Held[operation.name]}
                if operation is Operation.STORE:
                    words[issue.written - timing.choice] |= {"store": 1} | _address(
                        places[line.place])
    words[-FETCH] |= {"ends": 1}
    return words


def _address(place):
    found = {"index": place.index, "entry": place.entry, "part": place.part}
    return found | ({"slot": place.slot} if place.slot else {})
