"""Clocks of an operation."""

import dataclasses

__all__ = ["Cycles"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cycles:
    """Clocks of one operation in an environment that never waits.

    Attributes
    ----------
    load_key : :class:`int`
        From the clock that accepts the first word of a key to the first one that may accept a word
        of an operation. 0 for a core without port ``k``.
    load : :class:`int`
        From the clock that accepts the first operand word to the one that accepts the last, both
        counted.
    compute : :class:`int`
        From the clock that accepts the last operand word to the one in which the first result word
        is ready. This is what papers call the time of a multiplication.
    unload : :class:`int`
        From the clock in which the first result word is ready to the one that hands over the last,
        both counted.
    interval : :class:`int`
        From the first result word of one operation to the first of the next, when the next one
        depends on the result of this one and has the same key. A word of the next operation follows
        the word of the result at the same place, one clock later. On a multiplier that keeps
        results as operands (:attr:`.Traits.keeps_results`) they are not sent. On a core without
        port ``k`` the next operation follows the whole result.
    """

    load_key: int = 0
    load: int
    compute: int
    unload: int
    interval: int
