"""Makes microcode of listings: in which clock each line begins, and in which register numbers are.

Everything is decided here, so that hardware only does what each word says, and the time of a
listing depends on nothing.
"""

import dataclasses

from amaranth.lib import data, enum

from .listing import Operation
from .schedule import Registers, Schedule, loose_sums

__all__ = ["FETCH", "Assembled", "Held", "Index", "Issue", "Microcode", "Place", "Segment",
           "Timing", "assemble", "word_layout"]


@dataclasses.dataclass(frozen=True)
class Timing:
    """Clocks of what an engine does."""

    interval: int  # from a product to the next one
    # From the clock in which operands are read until a result can be.
    product: int
    sum: int
    memory: int  # from the clock in which a word of the memory is asked for until it is an operand
    store: int  # from the clock in which a register is read until its number is sent to the memory
    zero: int  # until a number was compared with 0
    registers: int
    loose: int = 0  # as ``sum``, for sums that are not carried; 0 if all are
    direct: bool = False  # factors go to the multiplier as they are read
    short: int = 0  # as ``product``, for one that is short; another one may begin in the next clock
    # From the word with the registers of a line to the one that says what is done with their
    # numbers; it is part of the other times.
    fetch: int = 0
    # From a word with an entry of the memory until the memory is asked for it, while a digit
    # chooses one.
    choice: int = 0
    # From a product to the clocks in which the multiplier takes no other one.
    closed: range = range(0)
    arrays: int = 1  # multipliers, which take products in turn

    def until_result(self, operation):
        """Return the clocks from a line to the first that may read its result; 1 if it has none."""
        match operation:
            case Operation.PRODUCT:
                return self.product
            case Operation.SHORT:
                return self.short
            case Operation.SUM:
                return self.sum
            case Operation.LOAD:
                return self.memory - self.fetch + self.sum
            case Operation.STORE:
                return self.store + 1
            case Operation.DIVIDE:
                return 4
            case _:
                return self.zero


@dataclasses.dataclass(frozen=True)
class Issue:
    """A line with its registers."""

    line: object  # a listing.Line
    clock: int  # in which operands are read, or the memory is asked for
    # Registers.
    a: int | None
    b: int | None
    target: int | None
    written: int  # clock at the end of which the result is written
    loose: bool  # the result is a sum that is not carried


@dataclasses.dataclass(frozen=True)
class Assembled:
    """A listing in clocks, all of which is over when they are."""

    issues: list  # of Issue
    clocks: int


def assemble(lines, timing, inputs, outputs, *, least=1, rest=0, loads_from=0, in_order=False,
             late=False):
    """Return the :class:`Assembled` listing.

    Lines on the longest path go first, or with ``in_order`` those that come first, whenever their
    operands are there. With ``late`` each is moved to the last clock in which it is soon enough, so
    that numbers are in registers for a shorter time.

    ``inputs`` and ``outputs`` are registers by the names of the numbers that are in them at first,
    and at last; an input that is no output may be overwritten, unless it is an output of the same
    name. There are ``least`` clocks or more, and ``rest`` follow the last one in which something is
    stored. The memory is asked for the first word in clock ``loads_from`` or later.

    :exc:`ValueError` says that there are not enough registers.
    """
    needs = _needs(lines, inputs)
    loose = loose_sums(lines, needs, outputs) if timing.loose else set()
    lasts = [timing.loose if index in loose else timing.until_result(line.operation)
             for index, line in enumerate(lines)]
    schedule = Schedule(lines, _followers(lines, needs, lasts, timing, outputs), lasts, timing,
                        loads_from)
    clocks = schedule.run(in_order)
    if late:
        clocks = schedule.late(clocks)
    written = [clock + last - 1 for clock, last in zip(clocks, lasts, strict=True)]
    stores = [clock + rest for line, clock in zip(lines, written, strict=True)
              if line.operation is Operation.STORE]
    end = max(least, 1 + max([*written, *stores], default=0))
    registers = Registers(lines, needs, clocks, written, end, inputs, outputs,
                          timing.registers).allocate()
    for line, need in zip(lines, needs, strict=True):
        for name, other in zip((line.a, line.b), line.others, strict=False):
            if registers[need[name]] ^ 1 != registers[need[other]]:
                raise ValueError(f"Registers of {name} and {other}, of which one is chosen, must "
                                 "differ in the lowest bit; give both as inputs")
    issues = [Issue(line, clock, registers.get(need.get(line.a)), registers.get(need.get(line.b)),
                    registers.get(index) if line.target else None, done, index in loose)
              for index, (line, clock, need, done)
              in enumerate(zip(lines, clocks, needs, written, strict=True))]
    return Assembled(sorted(issues, key=lambda issue: issue.clock), end)


def _needs(lines, inputs):
    """Return for each line, by name of operand: the number of the line it comes from, or the name.

    A name stands for an input.
    """
    now, needs = {name: name for name in inputs}, []
    for index, line in enumerate(lines):
        for name in line.sources:
            if name not in now:
                raise ValueError(f"{name} must be an input, or the result of a line before")
        needs.append({name: now[name] for name in line.sources})
        if line.target:
            now[line.target] = index
    return needs


def _followers(lines, needs, lasts, timing, outputs):
    """Return for each line the lines that follow it, with the least clocks between them."""
    followers = [[] for _ in lines]
    for index, need in enumerate(needs):
        for source in set(need.values()):
            if not isinstance(source, str):
                followers[source].append((index, lasts[source]))
    # The register of an input is written when the input has been read.
    last = {line.target: index for index, line in enumerate(lines)}
    for index, need in enumerate(needs):
        # In the same order in each run of Python, on which the choice among equals depends.
        for source in sorted(set(need.values()) & set(outputs) & set(last)):
            if last[source] != index:
                followers[index].append((last[source], 1 - lasts[last[source]]))
    return followers


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
    """Return the layout of a word, for an engine with a :class:`~.microcode.Timing`.

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
