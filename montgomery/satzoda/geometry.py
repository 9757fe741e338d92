"""Sizes and times of the bit-serial multipliers, whose adders stand in a ring or in a row."""

import dataclasses

from ..core import Cycles, ceil_div

__all__ = ["Geometry"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Geometry:
    """Sizes and times of a :mod:`ring <montgomery.satzoda.ring>`, or of a row.

    In a row each word of B and N has a place of its own, and the row as a whole does an iteration
    in ``hop`` clocks. Seen from outside it is a ring of one processing element.

    Attributes
    ----------
    hop : :class:`int`
        Clocks from a processing element (PE) to the next.
    pe_width : :class:`int`
        Bits per word inside.
    operand_words : :class:`int`
        Words of an operand that are sent; the others are 0.
    words : :class:`int`
        Clocks of a revolution, and words in the ring.
    elements : :class:`int`
        PEs, and iterations in a revolution.
    iterations : :class:`int`
        Iterations of a multiplication.
    ratio : :class:`int`
        Words inside per word of the streams.
    resolve : :class:`int`
        Clocks from the result's first word in carry-save form to that word in binary, 2 or more.
    stationary : :class:`bool`
        It is a row.
    """

    hop: int
    pe_width: int
    operand_words: int
    words: int
    elements: int
    iterations: int
    ratio: int
    resolve: int
    stationary: bool = False

    @classmethod
    def row(cls, params, *, hop, resolve):
        """Return the row for :class:`~.radix2.Radix2Parameters`."""
        return cls(hop=hop, pe_width=params.pe_width, operand_words=params.operand_words,
                   words=hop, elements=1, iterations=params.iterations, ratio=params.ratio,
                   resolve=resolve, stationary=True)

    @classmethod
    def ring(cls, params, *, hop, resolve, minimum=2):
        """Return the smallest ring for :class:`~.radix2.Radix2Parameters`."""
        # Before its shift an iteration's sum is below 3m + 2m + m < 2**(width + 3).
        words = max(params.operand_words, ceil_div(params.width + 3, params.pe_width),
                    minimum)
        elements = ceil_div(words, hop)
        return cls(hop=hop, pe_width=params.pe_width, operand_words=params.operand_words,
                   words=elements * hop, elements=elements, iterations=params.iterations,
                   ratio=params.ratio, resolve=resolve)

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
        """Clocks that a word of the streams waits at most for its place, after a pause."""
        return 0 if self.stationary else self.words + self.ratio - 2

    @property
    def cycles(self):
        """:class:`~montgomery.Cycles` of a multiplication.

        x is buffered. In a ring, the modulus defines word 0, y waits for word 0 to come round, and
        the first iteration starts when it has come round again. A word of the result in binary
        takes a clock to be stored and two to be read.
        """
        if self.stationary:
            load = 3 * self.operand_words + (self.operand_words == 1)
            compute = 4 + self.hop * self.iterations
        else:
            load = 2 * self.operand_words + self.words
            compute = self.words - self.operand_words + 3 + self.hop * self.iterations
        compute += self.resolve + 3
        unload = self.operand_words
        if self.ratio > 1:
            # Narrowing a word takes a clock, and the word is accepted as a whole before its parts.
            load -= self.ratio - 1
            compute += 2 * self.ratio
            unload -= self.ratio - 1
            if self.operand_words == self.ratio and not self.stationary:
                # All of y is one word: it is accepted first, and then waits for word 0.
                load -= self.words - self.operand_words
                compute += self.words - self.operand_words
        return Cycles(load=load, compute=compute, unload=unload,
                      interval=load + compute + unload - 1)
