"""Sizes and times of the bit-serial multipliers, whose adders stand in a ring or in a row."""

import dataclasses

from ..blocks.word_buffer import WordBuffer
from ..core import Cycles, ceil_div

__all__ = ["Geometry", "sum_words"]


def sum_words(params):
    """Return the words of a sum for :class:`~.radix2.Radix2Parameters`."""
    # Before its shift an iteration's sum is below 3m + 2m + m < 2**(width + 3).
    return max(params.operand_words, ceil_div(params.width + 3, params.pe_width))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Geometry:
    """Sizes and times of a :class:`ring <montgomery.satzoda.ring.Ring>`, or of a row.

    In a row each word of B and N has a place of its own, and the row as a whole does an iteration
    in ``hop`` clocks. Seen from outside it is a ring of one processing element.

    Attributes
    ----------
    hop : :class:`int`
        Clocks from a processing element (PE) to the next.
    resolve : :class:`int`
        Clocks from the result's first word in carry-save form to that word in binary, 2 or more.
    elements : :class:`int`
        PEs, and iterations in a revolution.
    stationary : :class:`bool`
        It is a row.
    pe_width : :class:`int`
        Bits per word inside.
    ratio : :class:`int`
        Words inside per word of the streams.
    operand_words : :class:`int`
        Words of an operand that are sent; the others are 0.
    iterations : :class:`int`
        Iterations of a multiplication.
    """

    hop: int
    resolve: int
    elements: int
    stationary: bool
    pe_width: int
    ratio: int
    operand_words: int
    iterations: int

    @classmethod
    def _of(cls, params, **sizes):
        return cls(pe_width=params.pe_width, ratio=params.ratio, iterations=params.iterations,
                   operand_words=params.operand_words, **sizes)

    @classmethod
    def row(cls, params, *, hop, resolve):
        """Return the row for :class:`~.radix2.Radix2Parameters`."""
        return cls._of(params, hop=hop, resolve=resolve, elements=1, stationary=True)

    @classmethod
    def ring(cls, params, *, hop, resolve, minimum=2):
        """Return the smallest ring for :class:`~.radix2.Radix2Parameters`."""
        words = max(sum_words(params), minimum)
        return cls._of(params, hop=hop, resolve=resolve, elements=ceil_div(words, hop),
                       stationary=False)

    @property
    def words(self):
        """Clocks of a revolution, and words in a ring."""
        return self.elements * self.hop

    @property
    def revolutions(self):
        """Revolutions before the one in which the result appears."""
        return self.iterations // self.elements

    @property
    def tap(self):
        """The PE that would do the iteration after the last: its inputs are the result."""
        return self.iterations % self.elements

    @property
    def longest_wait(self):
        """Clocks that a word of operands waits at most for its place, after a pause."""
        return 0 if self.stationary else self.words - 1

    @property
    def cycles(self):
        """:class:`~montgomery.Cycles` of a multiplication.

        In a ring, the first word of operands defines place 0, and the first iteration starts when
        that has come round. A word of the result in binary takes a clock to be stored and two to be
        read; wider words of the streams are put together after that.
        """
        load = unload = self.operand_words - self.ratio + 1
        compute = (self._start - load + 1 + 2 + self.hop * self.iterations + self.resolve
                   + WordBuffer.LATENCY + (self.ratio if self.ratio > 1 else 0))
        # The next one may begin in the clock after the first word of the result.
        interval = max(self.initiation, load + compute)
        # In a ring, the first word of the modulus is fetched.
        load_key = self.operand_words + (2 if self.stationary else 3)
        return Cycles(load_key=load_key, load=load, compute=compute, unload=unload,
                      interval=interval)

    @property
    def initiation(self):
        """Clocks from a result to the next one, of independent multiplications.

        The operands of the next one may follow the last revolution of the one before. A ring of two
        words takes a clock to announce its last revolution, and a row three.
        """
        if self.stationary:
            return self._start + self.revolutions * self.words + 3
        return self._start + (self.revolutions + 1) * self.words + (self.words == 2)

    @property
    def _start(self):
        """Clocks from the first word of operands to word 0 in the first revolution."""
        return self.operand_words - self.ratio + 2 if self.stationary else self.words
