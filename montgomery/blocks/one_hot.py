"""State machines with a register for each state."""

from functools import reduce
from operator import or_

from amaranth.hdl import Signal

__all__ = ["OneHot"]


class OneHot:
    """States of which one is 1 at a time, so that a condition on a state is one signal.

    The first one named is the initial state.
    """

    def __init__(self, *names):
        self._flags = dict(zip(names, Signal(len(names), name="state", init=1), strict=True))

    def __getitem__(self, name):
        return self._flags[name]

    def follow(self, m, moves):
        """Add transitions to a module: tuples of a state, the state after it, and when.

        At most one of the conditions of a state holds.
        """
        for name, flag in self._flags.items():
            comes = [self[before] & when for before, after, when in moves if after == name]
            goes = [when for before, _, when in moves if before == name]
            m.d.sync += flag.eq(reduce(or_, comes, flag & ~reduce(or_, goes)))
