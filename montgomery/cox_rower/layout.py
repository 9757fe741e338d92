"""The bits of a control word, and what is where in a Rower's memories."""

import dataclasses
import functools

from amaranth.lib import data, enum

from .steps import Bank, Factor, Take

__all__ = ["Add", "Layout", "Number", "Store"]


class Add(enum.IntEnum):
    """What the Cox adds R2 to, and whether it is its turn."""

    NOTHING, SUM, ZERO, HALF = range(4)


class Store(enum.IntEnum):
    """When a result is written.

    ``LATE`` is a result of the multiplication before the one that begins with the program.
    """

    NEVER, NOW, LATE = range(3)


class Number(enum.IntEnum):
    """What an address counts from: 0, or the place of the number that is x, y or the key now."""

    FIXED, X, Y, KEY = range(4)


@dataclasses.dataclass(frozen=True)
class Layout:
    """The bits of a control word, and the addresses that it holds.

    Parameters
    ----------
    sizes : tuple of :class:`int`
        Base sizes, in rising order. Memories have room for numbers of the largest, and constants
        and elements of one after the other.
    u : :class:`int`
        Number of Rowers.
    numbers : :class:`int`
        Numbers there is room for, each of which may be x, y, the result, or the key.
    index : :class:`int`
        Which of the base sizes words are for.
    converts : bool
        There are the constants of Equations 8 and 9 and of the key too, and what drains sums.
    crt : bool
        Equations 8 and 9 are for numbers of twice as many digits.
    """

    sizes: tuple
    u: int
    numbers: int
    index: int = 0
    converts: bool = False
    crt: bool = False

    @property
    def n(self):
        """Base size."""
        return self.sizes[self.index]

    @property
    def slots(self):
        """Number l of elements that a Rower has in either base."""
        return self.n // self.u

    # -- Variables: first all numbers, each with its words for base a and for base b; then others.

    @property
    def _room(self):
        return self.sizes[-1] // self.u

    @property
    def number_words(self):
        """Words of a number."""
        return 2 * self._room

    @property
    def variables(self):
        """Words in the memory of variables."""
        return self.numbers * self.number_words + 5 * self._room

    def address(self, bank, slot):
        """Return the address of a word; of a part of a number, that in number 0."""
        if bank < Bank.S_A:
            return (bank in (Bank.TO_XI, Bank.X_B, Bank.Y_B)) * self._room + slot
        return self.numbers * self.number_words + (bank - Bank.S_A) * self._room + slot

    @staticmethod
    def number(bank):
        """Return the :class:`Number` from which the address of a bank counts."""
        return {Bank.X_A: Number.X, Bank.X_B: Number.X, Bank.Y_A: Number.Y, Bank.Y_B: Number.Y,
                Bank.T_TO_XI: Number.KEY, Bank.TO_XI: Number.KEY}.get(bank, Number.FIXED)

    # -- Constants.

    @functools.cached_property
    def _tables(self):
        """Of each base size, by step: where its constants begin, and how many each element has.

        Then how many there are in all.
        """
        found, total = [], 0
        for n in self.sizes:
            digits = (1 + self.crt) * n  # of a number, each of which has as many terms
            counts = {"to a": n, "to b": n, "xi_a": 1, "w_a": 1}
            if self.converts:
                counts |= dict.fromkeys(["radix a", "radix b", "digits",
                                         *["high digits"] * self.crt], digits)
                counts |= dict.fromkeys(["xi", *["xi of b"] * self.crt, "to_xi"], 1)
            table = {}
            for step, count in counts.items():
                table[step] = total, count
                total += n // self.u * count
            # That of "choose" is 1 for all elements.
            found.append(table | {"t_to_xi": table["xi_a"], "choose": (total, 0)})
            total += self.converts
        return found, total

    @property
    def constants(self):
        """Words in the memory of constants."""
        return self._tables[1]

    def constant(self, step, slot, index):
        """Return the address of the constant that a step's sum takes in turn, any if none."""
        table = self._tables[0][self.index]
        start, count = table.get(step, (table["to a"][0], 0))
        return start + slot * count + (index if count > 1 else 0)

    # -- Elements: of a, of b, and the places of digits, which have a residue of -A as well.

    def _elements(self, sizes):
        return (2 + self.converts + self.crt) * sum(sizes) // self.u

    @property
    def elements(self):
        """Numbers of elements."""
        return self._elements(self.sizes)

    def element(self, step, slot):
        """Return the number of the element of a sum."""
        groups = {"digits": 2, "high digits": 3} | dict.fromkeys(
            ("s_b", "xi_b", "to b", "radix b", "choose", "to_xi", "xi of b"), 1)
        return self._elements(self.sizes[:self.index]) + groups.get(step, 0) * self.slots + slot

    @property
    def shape(self):
        """:class:`amaranth.lib.data.StructLayout` of a word.

        ``constant``, ``variable``, ``target`` and ``store`` act in the clock of the word; the word
        of a memory is there :data:`~montgomery.cox_rower.steps.READ` clocks later. ``take`` selects
        the next value of R2. All other fields describe the product of that clock.
        """
        return data.StructLayout({
            "constant": range(self.constants), "variable": range(self.variables),
            "number": Number, "take": Take, "chain": 1, "factor": Factor, "add": Add, "first": 1,
            "element": range(self.elements), "store": Store, "target": range(self.variables),
            "is_result": 1, "drain": 1})
