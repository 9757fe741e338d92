"""The bits of a control word, and what is where in a Rower's memories."""

import dataclasses
import functools

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
    """What an address counts from: 0, or the place of the number that is x, y or the key now."""

    FIXED, X, Y, KEY = range(4)


@dataclasses.dataclass(frozen=True)
class Layout:
    """The bits of a control word, and the addresses that it holds.

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
        Equations 8 and 9 are for numbers of twice as many digits.
    room : :class:`int`
        The number l there is room for, where it is that of larger bases too; ``slots`` if 0.
    before, after : tuple of :class:`int`
        Constants and elements of other bases that come first, and last.
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
    def of_sizes(cls, sizes, u, numbers, **more):
        """Return one for each of several base sizes on u Rowers; their words have the same bits."""
        alone = [cls(n // u, n, numbers, **more) for n in sizes]
        counts = [(each.own_constants, each.own_elements) for each in alone]

        def total(of):
            return tuple(map(sum, zip((0, 0), *of, strict=True)))

        return [dataclasses.replace(each, room=max(sizes) // u, before=total(counts[:index]),
                                    after=total(counts[index + 1:]))
                for index, each in enumerate(alone)]

    # -- Variables: first all numbers, each with its words for base a and for base b; then others.

    @property
    def _room(self):
        return self.room or self.slots

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
        """By step: where its constants begin, and how many each element has; then how many in all.
        """
        digits = (1 + self.crt) * self.n  # of a number, each of which has as many terms
        sizes = {"to a": self.n, "to b": self.n, "xi_a": 1, "w_a": 1}
        if self.converts:
            sizes |= dict.fromkeys(["radix a", "radix b", "digits", *["high digits"] * self.crt],
                                   digits)
            sizes |= dict.fromkeys(["xi", *["xi of b"] * self.crt, "to_xi"], 1)
        found, total = {}, 0
        for step, size in sizes.items():
            found[step] = total, size
            total += self.slots * size
        # That of "choose" is 1 for all elements.
        return found | {"t_to_xi": found["xi_a"], "choose": (total, 0)}, total + self.converts

    @property
    def own_constants(self):
        """Words in the memory of constants for these bases."""
        return self._tables[1]

    @property
    def constants(self):
        """Words in the memory of constants."""
        return self.before[0] + self.own_constants + self.after[0]

    def own_constant(self, step, slot, index=0):
        """Return the address, among the constants for these bases, that :meth:`constant` returns.
        """
        start, size = self._tables[0].get(step, (0, 0))
        return start + slot * size + (index if size > 1 else 0)

    def constant(self, step, slot, index):
        """Return the address of the constant that a step's sum takes in turn, any if none."""
        return self.before[0] + self.own_constant(step, slot, index)

    # -- Elements: of a, of b, and the places of digits, which have a residue of -A as well.

    @property
    def own_elements(self):
        """Numbers of elements for these bases."""
        return (2 + self.converts + self.crt) * self.slots

    @property
    def elements(self):
        """Numbers of elements."""
        return self.before[1] + self.own_elements + self.after[1]

    def own_element(self, step, slot):
        """Return the number of the element of a sum among those of these bases."""
        groups = {"digits": 2, "high digits": 3} | dict.fromkeys(
            ("s_b", "xi_b", "to b", "radix b", "choose", "to_xi", "xi of b"), 1)
        return groups.get(step, 0) * self.slots + slot

    def element(self, step, slot):
        """Return the number of the element of a sum."""
        return self.before[1] + self.own_element(step, slot)

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
