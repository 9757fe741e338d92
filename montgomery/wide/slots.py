"""Names and registers of each of two operations that are under way in an engine."""

import dataclasses

__all__ = ["SUFFIXES", "TURNS", "Slots", "check_pair"]

#: By operation: what its names end with, and the label of the step with which its turn begins.
SUFFIXES, TURNS = ("", "_1"), ("enter", "enter_1")


def check_pair(params):
    """Refuse two operations that would share a multiplier which seldom waits for one."""
    if params.in_flight > 1 and params.digits_per_clock < 4:
        raise ValueError("in_flight must be 1 with two digits a clock, where one operation keeps "
                         "the multiplier busy; take digits_per_clock=4 with it")


class Slots:
    """What tells operations apart.

    Parameters
    ----------
    count : :class:`int`
        Operations under way, one or two.
    registers : :class:`int`
        Registers of an operation.
    shared : container of :class:`str`
        Names of numbers that all operations share.
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

    def of_others(self, numbers, slot):
        """Return registers of all operations but one."""
        return self._of(numbers, (other for other in range(self._count) if other != slot))

    def _of(self, numbers, slots):
        return {name: number for slot in slots
                for name, number in self.registers(numbers, slot).items()}

    def _named(self, name, slot):
        return name + SUFFIXES[slot] if name and name not in self._shared else name
