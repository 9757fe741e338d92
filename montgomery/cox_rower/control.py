"""The program of a multiplication: one word for all Rowers in each clock."""

import dataclasses
import enum

from amaranth.lib import data

from .schedule import READ, Bank, Factor, Source

__all__ = ["Add", "Layout", "Program", "Store", "Take"]


class Take(enum.IntEnum):
    """What R2 takes at the end of a clock."""

    NOTHING, RING, MEMORY, RESULT = range(4)


class Add(enum.IntEnum):
    """What the Cox adds R2 to, and whether it is its turn."""

    NOTHING, SUM, ZERO, HALF = range(4)


class Store(enum.IntEnum):
    """When a result is written.

    ``LATE`` is a result of the multiplication before the one that begins with the program.
    """

    NEVER, NOW, LATE = range(3)


@dataclasses.dataclass(frozen=True)
class Layout:
    """The bits of a control word.

    Parameters
    ----------
    slots : :class:`int`
        Number l of elements that a Rower has in either base.
    n : :class:`int`
        Base size.
    """

    slots: int
    n: int

    @property
    def variables(self):
        """Words in the memory of variables; that of a bank and slot is at ``address``."""
        return len(Bank) * self.slots

    @property
    def constants(self):
        """Words in the memory of constants."""
        return 2 * self.slots * (self.n + 1)

    def address(self, bank, slot):
        return bank * self.slots + slot

    def constant(self, step, slot, index):
        """Return the address of the constant that a step's sum needs in turn, 0 if none."""
        tables = 2 * self.slots * self.n
        return {"to a": slot * self.n + index, "to b": (self.slots + slot) * self.n + index,
                "xi_a": tables + slot, "w_a": tables + self.slots + slot}.get(step, 0)

    def element(self, step, slot):
        """Return the number of the element of a sum: first come those of a, then those of b."""
        return slot + self.slots * (step in ("s_b", "xi_b", "to b"))

    @property
    def shape(self):
        """:class:`amaranth.lib.data.StructLayout` of a word.

        An address, and ``store``, count from the clock in which the Rower has the word; the word of
        a memory is there :data:`~montgomery.cox_rower.schedule.READ` clocks later. The others are
        about the product of that clock, and ``take`` about what R2 has in the next one.
        """
        return data.StructLayout({
            "constant": range(self.constants), "variable": range(self.variables),
            "take": Take, "chain": 1, "factor": Factor, "add": Add, "first": 1,
            "element": range(2 * self.slots), "store": Store, "target": range(self.variables)})


class Program:
    """The control words of a :class:`~montgomery.cox_rower.schedule.Schedule`.

    Attributes
    ----------
    layout : :class:`Layout`
    words : list of dict
        Values of the layout's fields, where they are not 0. Word c is that of clock c, and of all
        clocks that are a multiple of the interval away.
    lead : :class:`int`
        Clocks before clock 0 that a first multiplication needs.
    length : :class:`int`
        Clocks from there until all of its results are written.
    """

    def __init__(self, schedule):
        self.layout = layout = Layout(schedule.slots, schedule.n)
        interval = schedule.interval
        self.words = [{} for _ in range(interval)]
        clocks = []

        def put(clock, **fields):
            clocks.append(clock)
            self.words[clock % interval].update(fields)

        takes = {Source.RING: Take.RING, Source.MEMORY: Take.MEMORY, Source.RESULT: Take.RESULT,
                 Source.CHAIN: Take.MEMORY}
        for clock, source in schedule.sources.items():
            put(clock, take=takes[source], chain=source is Source.CHAIN)
        for clock, (bank, slot) in schedule.reads.items():
            put(clock - READ, variable=layout.address(bank, slot))
        for clock, product in schedule.products.items():
            step = product.step
            put(clock - READ, constant=layout.constant(step, product.slot, product.index))
            put(clock, factor=product.factor, first=product.index == 0,
                element=layout.element(step, product.slot), add=self._add(product))
        for (bank, slot), clock in schedule.made.items():
            clock += schedule.latency
            put(clock, store=Store.LATE if clock >= interval else Store.NOW,
                target=layout.address(bank, slot))
        self.lead = -min(clocks)
        self.length = self.lead + max(clocks) + 1

    @staticmethod
    def _add(product):
        if product.step not in ("to a", "to b"):
            return Add.NOTHING
        if product.index:
            return Add.SUM
        return Add.ZERO if product.step == "to a" else Add.HALF
