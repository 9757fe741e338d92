"""Makes microcode of listings: in which clock each line begins, and in which register numbers are.

Everything is decided here, so that hardware only does what each word says, and the time of a
listing depends on nothing.
"""

import dataclasses

from .listing import Operation
from .schedule import Registers, Schedule, loose_sums

__all__ = ["Assembled", "Issue", "Timing", "assemble"]


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
