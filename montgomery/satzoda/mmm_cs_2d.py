"""MMM_CS in two dimensions: two full adders per bit in a row for each iteration.

The array is the :mod:`ring <montgomery.satzoda.mmm_cs_1d>` unrolled: the element of row i and group
v of the columns does in clock i + v what processing element i does there with word v. So the bits
that come too late are dealt with as there, and each row finds the q of the next.
"""

import dataclasses
from typing import ClassVar

from amaranth.hdl import Cat, Const, Signal

from ..blocks.values import later
from ..core import About
from .algorithms import PAPER, Conventional, SumWord, registers, two_words
from .array import ArrayMultiplier, ArrayParameters, skewed

__all__ = ["OneClockArray", "Parameters"]


class OneClockArray(ArrayMultiplier):
    """Multiplier on a two-dimensional array with an iteration per clock.

    Operands flow down through the rows beside their own sum. A new multiplication may start in
    every clock; the reservation table, Figure 3 (b), becomes::

        clock      0  1  2  3  4  5  6  7 …
        row 0      0  1  2  3  4  5  6  7
        row 1         0  1  2  3  4  5  6
        …
        row k + 1                         … k + 1:  0

    The paper decides from the sum what is added, in the same clock. Here each row decides for the
    next one. The paper does not count the registers in which operands flow through the array.

    Latency: a clock for each row and for each group of columns but the first, one for what is
    computed in front of the rows, and those of the final addition and of the queue of results.
    Throughput: a multiplication per clock.
    """

    def prepare(self, m, b, n):
        """Return further numbers that flow through the rows beside B and N.

        Of each number the list has its words, and of word v the list as row 0, row 1 and so on
        have it. ``b[v][h]`` is word v of B, h clocks after the multiplication came in.
        """
        return []

    def array(self, m, phase, x, y, modulus):
        p = self.params
        size, groups, last = p.group_width, p.groups, p.iterations - 1
        first = 1 + p.precompute  # the clock of row 0 and group 0

        def chains(value, rows, name):
            # Columns beyond the value have zeros, and no registers for them.
            return [[Cat(word, Const(0, size - len(word))) for word in skewed(
                m, value[size * v:size * (v + 1)], first + v + rows - 1, f"skew_{name}_{v}")]
                for v in range(groups)]

        b, n = chains(y, last, "y"), chains(modulus, last + 1, "n")
        flows = [[word[first + v:] for v, word in enumerate(words)] for words in (b, n)]
        flows += self.prepare(m, b, n)
        # x < 2**(width + 1), so there is no a B in the last row.
        bits = [skewed(m, bit, row + p.precompute, f"skew_x_{row}")[-1]
                for row, bit in enumerate(x)] + [Const(0, 1)]

        before = sums = [SumWord.zero(size, p.carries)] * groups
        q_next = bits[0] & b[0][p.precompute][0]
        for row in range(last + 1):
            words = [[flow[v][row] if row < len(flow[v]) else Const(0, size) for flow in flows]
                     for v in range(groups)]
            following, q_next = self._row(m, row, bits[row], q_next, words, before, sums)
            if row < last:
                q_next ^= bits[row + 1] & words[0][0][0]
            before, sums = sums, following
        return self._resolve(m, before, sums)

    def _row(self, m, row, a_in, q_in, words, before, sums):
        """Add a row; return its sum, and q for the next one without the a B of that.

        ``sums`` has the words of row ``row - 1``, and ``before`` those of row ``row - 2``.
        """
        p = self.params
        found = []
        for v, late in enumerate(self._late_bits(before)):
            a, q = (Signal(name=f"{name}_{row}_{v}", reset_less=True) for name in "aq")
            m.d.sync += [a.eq(a_in), q.eq(q_in)]
            half, late_carry = sums[v].halved(late)
            s = Signal(p.group_width, name=f"s_{row}_{v}")
            m.d.comb += s.eq(half)
            found.append(SumWord.registers(p.group_width, p.carries, f"{row}_{v}"))
            following = found[v].take(m, late_carry, p.add(a, q, words[v], s, sums[v].carries))
            if v == 0:
                q_next = following
            a_in, q_in = a, q
        return found, q_next

    @staticmethod
    def _late_bits(sums):
        """Return for each group bit 0 of the group above; above the top one there is nothing."""
        return [*(word.u[0] for word in sums[1:]), Const(0, 1)]

    def _resolve(self, m, before, sums):
        """Return the sum of what the last row gives."""
        p = self.params
        found = []
        carry, spilled = Const(0, 1), [Const(0, 1)] * p.carries
        above = self._late_bits(sums)
        for v, late in enumerate(self._late_bits(before)):
            spills = registers(f"spilled_{v}", p.carries)
            s, c = two_words(m, f"out_{v}", sums[v], late, above[v], spilled=spilled,
                             spills=spills)
            spilled = spills
            total = later(m, s + c + carry, 1, f"sum_{v}")
            carry = total[p.group_width]
            # Until the top word is there.
            found.append(skewed(m, total[:p.group_width], p.groups - 1 - v, f"word_{v}")[-1])
        return Cat(*found)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Conventional, ArrayParameters):
    """Algorithm 1 on a :class:`OneClockArray`: "Conventional".

    Table II cites "Conventional" from Fournaris and Koufopavlou ("Montgomery modular multiplier
    architecture and hardware implementations for an RSA cryptosystem", MWSCAS 2003). It has the
    result in three words; here they are added.
    """

    _about = About(
        source=f"{PAPER}; Algorithm 1 (MMM_CS), Conventional of Table II",
        summary="array of rows with two carry words, one multiplication per clock",
        quick_width=12)

    initiation = 1

    #: Clocks before row 0 in which further words are computed from B and N.
    precompute: ClassVar[int] = 0

    @property
    def stages(self):
        # Up to the last row and through it; carry words joined, all added; the other words.
        return self.precompute + self.iterations + 1 + self.carries + 2 + self.groups - 1

    @property
    def skew_bits(self):
        # Bit i of x waits for row i; B goes as far as the last but one, N to the last.
        x = sum(self.precompute + row for row in range(self.width + 1))
        y = [self.precompute + column // self.group_width + self.width + 1
             for column in range(self.width + 1)]
        return x + sum(y) + sum(clocks + 1 for clocks in y[:-1])

    def create(self):
        return OneClockArray(self)
