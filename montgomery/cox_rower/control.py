"""The program of a multiplication: one word for all Rowers in each clock."""

import dataclasses
import enum

from amaranth.lib import data

from .steps import READ, Bank, Factor, Source

__all__ = ["Add", "Layout", "Number", "Program", "Store", "Take", "drain"]


def drain(latency):
    """Return the clocks from the factors at the multiplier to the sum in R1."""
    return {4: 2, 8: 3, 10: 4}[latency]


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


class Number(enum.IntEnum):
    """Whose address it is: a fixed one, or that of the number that is x, or y, at the time."""

    FIXED, X, Y = range(3)


@dataclasses.dataclass(frozen=True)
class Layout:
    """The bits of a control word.

    Parameters
    ----------
    slots : :class:`int`
        Number l of elements that a Rower has in either base.
    n : :class:`int`
        Base size.
    numbers : :class:`int`
        Numbers there is room for, each of which may be x, y, or the result; number 0 is the key.
    converts : bool
        There are the constants of Equations 8 and 9 and of the key too, and what drains sums.
    crt : bool
        Those of Equation 9 are for both bases together.
    """

    slots: int
    n: int
    numbers: int
    converts: bool = False
    crt: bool = False

    @property
    def variables(self):
        """Words in the memory of variables.

        First all numbers, then what else there is.
        """
        return self.numbers * self.number_words + 5 * self.slots

    @property
    def number_words(self):
        """Words of a number."""
        return 2 * self.slots

    @property
    def constants(self):
        """Words in the memory of constants."""
        if self.converts:
            return self.constant("choose", 0, 0) + 1
        return self.slots * (2 * self.n + 2)

    def address(self, bank, slot):
        """Return the address of a word; of those of x, y or the result, that in number 0."""
        if bank < Bank.S_A:
            return (bank in (Bank.TO_XI, Bank.X_B, Bank.Y_B)) * self.slots + slot
        return self.numbers * self.number_words + (bank - Bank.S_A) * self.slots + slot

    @staticmethod
    def number(bank):
        """Return whose variable a bank is, as :class:`Number`."""
        if bank in (Bank.X_A, Bank.X_B):
            return Number.X
        return Number.Y if bank in (Bank.Y_A, Bank.Y_B) else Number.FIXED

    def constant(self, step, slot, index):
        """Return the address of the constant that a step's sum needs in turn, 0 if none."""
        tables = 2 * self.slots * self.n
        radix = tables + 2 * self.slots
        # With CRT there are twice as many digits, each of twice as many terms.
        digits, terms = radix + 2 * self.slots * self.n, (1 + self.crt) * self.n
        own = digits + (1 + self.crt) * self.slots * terms
        return {"to a": slot * self.n + index, "to b": (self.slots + slot) * self.n + index,
                "xi_a": tables + slot, "t_to_xi": tables + slot,
                "w_a": tables + self.slots + slot,
                "radix a": radix + slot * self.n + index,
                "radix b": radix + (self.slots + slot) * self.n + index,
                "digits": digits + slot * terms + index,
                "high digits": digits + (self.slots + slot) * terms + index,
                "xi": own + slot, "xi of b": own + self.slots + slot,
                "to_xi": own + (1 + self.crt) * self.slots + slot,
                "choose": own + (2 + self.crt) * self.slots}.get(step, 0)

    def element(self, step, slot):
        """Return the number of the element of a sum: first come those of a, then those of b.

        After these, there are the places of digits, which have a residue of -A like elements.
        """
        if step in ("digits", "high digits"):
            return slot + (2 if step == "digits" else 3) * self.slots
        return slot + self.slots * (step in ("s_b", "xi_b", "to b", "radix b", "choose", "to_xi",
                                             "xi of b"))

    @property
    def elements(self):
        """Numbers of elements."""
        return (2 + self.converts + self.crt) * self.slots

    @property
    def shape(self):
        """:class:`amaranth.lib.data.StructLayout` of a word.

        An address, and ``store``, count from the clock in which the Rower has the word; the word of
        a memory is there :data:`~montgomery.cox_rower.steps.READ` clocks later. The others are
        about the product of that clock, and ``take`` about what R2 has in the next one.
        """
        return data.StructLayout({
            "constant": range(self.constants), "variable": range(self.variables),
            "number": Number, "take": Take, "chain": 1, "factor": Factor, "add": Add, "first": 1,
            "element": range(self.elements), "store": Store, "target": range(self.variables),
            "is_result": 1, "drain": 1})


class Program:
    """The control words of a :class:`~montgomery.cox_rower.schedule.Schedule`.

    Parameters
    ----------
    schedule : :class:`~montgomery.cox_rower.schedule.Schedule`
    layout : :class:`Layout`

    Attributes
    ----------
    words : list of dict
        Values of the layout's fields, where they are not 0. Word c is that of clock c, and of all
        clocks that are a multiple of the interval away.
    lead : :class:`int`
        Clocks before clock 0 that a multiplication needs.
    drained : :class:`int`
        Clock in which the last sum is in R1, if sums are what is wanted.
    tail : :class:`int`
        The last result of a multiplication is written in this clock of the next one.
    """

    def __init__(self, schedule, layout):
        self.layout = layout
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
            put(clock - READ, variable=layout.address(bank, slot), number=layout.number(bank))
        for clock, product in schedule.products.items():
            step = product.step
            put(clock - READ, constant=layout.constant(step, product.slot, product.index))
            put(clock, factor=product.factor, first=product.index == 0,
                element=layout.element(step, product.slot), add=self._add(product))
        for clock in schedule.sums:
            self.drained = clock + drain(schedule.latency)
            put(self.drained, drain=1)
        for (bank, slot), clock in schedule.made.items():
            clock += schedule.latency
            put(clock, store=Store.LATE if clock >= interval else Store.NOW,
                target=layout.address(bank, slot), is_result=bank in (Bank.X_A, Bank.X_B))
        self.lead = -min(clocks)
        self.tail = max(max(clocks) - interval, 0)

    @property
    def interval(self):
        """Clocks between multiplications."""
        return len(self.words)

    def clocks(self, multiplications):
        """Return the clocks of some multiplications that follow each other."""
        return self.lead + multiplications * self.interval + self.tail + 1

    @staticmethod
    def _add(product):
        if product.step not in ("to a", "to b", "digits", "high digits"):
            return Add.NOTHING
        if product.index:
            return Add.SUM
        return Add.ZERO if product.step == "to a" else Add.HALF
