"""The bits of a control word, and what is where in a Rower's memories."""

import dataclasses

from amaranth.lib import data, enum

from .steps import Bank, Factor

__all__ = ["Add", "Layout", "Number", "Store", "Take"]


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
    """Whose address it is: a fixed one, or that of the number that is x, y or the key at the time.
    """

    FIXED, X, Y, KEY = range(4)


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
        Numbers there is room for, each of which may be x, y, the result, or the key.
    converts : bool
        There are the constants of Equations 8 and 9 and of the key too, and what drains sums.
    crt : bool
        Those of Equations 8 and 9 are for numbers of twice as many digits.
    room : :class:`int`
        The number l there is room for, where it is that of larger bases too; ``slots`` if 0.
    before : tuple of :class:`int`
        Constants and elements of other bases that come first.
    after : tuple of :class:`int`
        Likewise, of those that come afterwards.
    """

    slots: int
    n: int
    numbers: int
    converts: bool = False
    crt: bool = False
    room: int = 0
    before: tuple = (0, 0)
    after: tuple = (0, 0)

    @classmethod
    def of_sets(cls, slots, sizes, numbers, **more):
        """Return one for each of several base sizes, of words that are the same."""
        alone = [cls(*each, numbers, **more) for each in zip(slots, sizes, strict=True)]
        counts = [(each.own_constants, each.own_elements) for each in alone]

        def total(of):
            return tuple(map(sum, zip((0, 0), *of, strict=True)))

        return [dataclasses.replace(each, room=max(slots), before=total(counts[:index]),
                                    after=total(counts[index + 1:]))
                for index, each in enumerate(alone)]

    @property
    def _room(self):
        return self.room or self.slots

    @property
    def variables(self):
        """Words in the memory of variables.

        First all numbers, then what else there is.
        """
        return self.numbers * self.number_words + 5 * self._room

    @property
    def number_words(self):
        """Words of a number."""
        return 2 * self._room

    @property
    def own_constants(self):
        """Words in the memory of constants for these bases."""
        if self.converts:
            return self.own_constant("choose", 0, 0) + 1
        return self.slots * (2 * self.n + 2)

    @property
    def constants(self):
        """Words in the memory of constants."""
        return self.before[0] + self.own_constants + self.after[0]

    def address(self, bank, slot):
        """Return the address of a word; of those of x, y or the result, that in number 0."""
        if bank < Bank.S_A:
            return (bank in (Bank.TO_XI, Bank.X_B, Bank.Y_B)) * self._room + slot
        return self.numbers * self.number_words + (bank - Bank.S_A) * self._room + slot

    @staticmethod
    def number(bank):
        """Return whose variable a bank is, as :class:`Number`."""
        if bank in (Bank.X_A, Bank.X_B):
            return Number.X
        if bank in (Bank.T_TO_XI, Bank.TO_XI):
            return Number.KEY
        return Number.Y if bank in (Bank.Y_A, Bank.Y_B) else Number.FIXED

    def constant(self, step, slot, index):
        """Return the address of the constant that a step's sum needs in turn, any if none."""
        return self.before[0] + self.own_constant(step, slot, index)

    def own_constant(self, step, slot, index):
        """Return that address among the constants for these bases."""
        tables = 2 * self.slots * self.n
        radix = tables + 2 * self.slots
        # With CRT there are twice as many digits, each of twice as many terms.
        terms = (1 + self.crt) * self.n
        digits = radix + 2 * self.slots * terms
        own = digits + (1 + self.crt) * self.slots * terms
        return {"to a": slot * self.n + index, "to b": (self.slots + slot) * self.n + index,
                "xi_a": tables + slot, "t_to_xi": tables + slot,
                "w_a": tables + self.slots + slot,
                "radix a": radix + slot * terms + index,
                "radix b": radix + (self.slots + slot) * terms + index,
                "digits": digits + slot * terms + index,
                "high digits": digits + (self.slots + slot) * terms + index,
                "xi": own + slot, "xi of b": own + self.slots + slot,
                "to_xi": own + (1 + self.crt) * self.slots + slot,
                "choose": own + (2 + self.crt) * self.slots}.get(step, 0)

    def element(self, step, slot):
        """Return the number of the element of a sum."""
        return self.before[1] + self.own_element(step, slot)

    def own_element(self, step, slot):
        """Return that number for these bases: first come the elements of a, then those of b.

        After these, there are the places of digits, which have a residue of -A like elements.
        """
        if step in ("digits", "high digits"):
            return slot + (2 if step == "digits" else 3) * self.slots
        return slot + self.slots * (step in ("s_b", "xi_b", "to b", "radix b", "choose", "to_xi",
                                             "xi of b"))

    @property
    def own_elements(self):
        """Numbers of elements for these bases."""
        return (2 + self.converts + self.crt) * self.slots

    @property
    def elements(self):
        """Numbers of elements."""
        return self.before[1] + self.own_elements + self.after[1]

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
