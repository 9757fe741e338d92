"""A two-dimensional array that does an iteration per clock: what MMM_CS and MMM_OP have in common.

It is the :mod:`ring <montgomery.satzoda.one_clock>` unrolled: the element of row i and group v of
the columns does in clock i + v what processing element i does there with word v. So the bits that
come too late are dealt with as there, and each row finds the q of the next.
"""

import dataclasses
from typing import ClassVar

from amaranth.hdl import Cat, Const, Signal

from ..blocks.delay import later
from .array import ArrayMultiplier, ArrayParameters, skewed
from .late_bits import halved, two_words

__all__ = ["OneClockArray", "OneClockArrayParameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class OneClockArrayParameters(ArrayParameters):
    """Parameters of :class:`OneClockArray`."""

    hop = 1
    initiation = 1

    #: Number of carry words beside the sum.
    carries: ClassVar[int]
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
        y = sum(self.precompute + column // self.group_width + self.width + 1
                for column in range(self.width + 1))
        modulus = sum(self.precompute + column // self.group_width + self.width + 2
                      for column in range(self.width))
        return x + y + modulus


class OneClockArray(ArrayMultiplier):
    """Multiplier on a two-dimensional array with an iteration per clock.

    A derived class gives :meth:`add`, and :meth:`prepare` if it needs more than B and N.

    Latency: a clock for each row and for each group of columns but the first, and those of the
    final addition and of the queue of results. Throughput: a multiplication per clock.

    Parameters
    ----------
    params : :class:`OneClockArrayParameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def prepare(self, m, b, n):
        """Return further chains of words that flow through the rows beside B and N.

        Parameters
        ----------
        b, n : list of list of Value
            ``b[v][h]`` is word v of B, h clocks after the multiplication came in.

        Returns
        -------
        list of list of list of Signal
            Of each of them, word v as row 0 has it, as row 1 has it, and so on.
        """
        return []

    def add(self, a, q, words, s, carries):
        """Return what an element does in a clock, as :meth:`.OneClockMultiplier.add` does.

        ``words`` are those of B, of N and of what :meth:`prepare` returned.
        """
        raise NotImplementedError

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

        zero = [Const(0, size)] * groups
        no_carry = [Const(0, 1)] * groups
        u_before, u, carries, late_carry = zero, zero, [zero] * p.carries, no_carry
        q_next = bits[0] & b[0][p.precompute][0]
        for row in range(last + 1):
            words = [[flow[v][row] if row < len(flow[v]) else Const(0, size) for flow in flows]
                     for v in range(groups)]
            u_next, carries, late_carry, q_next = self._row(
                m, row, bits[row], q_next, words, u_before, u, carries, late_carry)
            if row < last:
                q_next ^= bits[row + 1] & words[0][0][0]
            u_before, u = u, u_next
        return self._resolve(m, u_before, u, carries, late_carry)

    def _row(self, m, row, a_in, q_in, words, u_before, u_in, carries_in, late_carry_in):
        """Add a row and return its sum, its carries, and q for the next, without the a B of that.
        """
        p = self.params

        def registers(name, width=1):
            return [Signal(width, name=f"{name}_{row}_{v}", reset_less=True)
                    for v in range(p.groups)]

        a, q, late_carry = registers("a"), registers("q"), registers("late_carry")
        u = registers("u", p.group_width)
        carries = [registers(f"carry{index}", p.group_width) for index in range(p.carries)]
        for v in range(p.groups):
            m.d.sync += [a[v].eq(a[v - 1] if v else a_in), q[v].eq(q[v - 1] if v else q_in)]
            late = u_before[v + 1][0] if v + 1 < p.groups else Const(0, 1)
            half, extra = halved(u_in[v], late, late_carry_in[v])
            s = Signal(p.group_width, name=f"s_{row}_{v}")
            m.d.comb += s.eq(half)
            result, result_carries, following = self.add(
                a[v], q[v], words[v], s, [carry[v] for carry in carries_in])
            m.d.sync += [u[v].eq(result), late_carry[v].eq(extra)]
            m.d.sync += [carry[v].eq(value)
                         for carry, value in zip(carries, result_carries, strict=True)]
            if v == 0:
                q_next = following
        return u, carries, late_carry, q_next

    def _resolve(self, m, u_before, u_in, carries_in, late_carry_in):
        """Return the sum of what the last row gives."""
        p = self.params
        found = []
        # Above the top group there is nothing.
        zero = Const(0, p.group_width)
        u_above, before_above = [*u_in[1:], zero], [*u_before[1:], zero]
        carry, spilled = Const(0, 1), [Const(0, 1)] * p.carries
        for v in range(p.groups):
            spills = [Signal(name=f"spilled{level}_{v}", reset_less=True)
                      for level in range(p.carries)]
            s, c = two_words(m, f"out_{v}", u_in[v], u_above[v][0],
                             [word[v] for word in carries_in], before_above[v][0],
                             late_carry_in[v], spilled=spilled, spills=spills)
            spilled = spills
            total = later(m, s + c + carry, 1, f"sum_{v}")
            carry = total[p.group_width]
            # Until the top word is there.
            found.append(skewed(m, total[:p.group_width], p.groups - 1 - v, f"word_{v}")[-1])
        return Cat(*found)
