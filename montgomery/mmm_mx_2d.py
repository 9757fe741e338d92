"""MMM_MX in two dimensions: a row of gated full adders for each iteration."""

import dataclasses
import itertools

from amaranth.hdl import Cat, Const, Mux, Signal

from .blocks.algorithms import mmm_mx
from .blocks.array import ArrayMultiplier, ArrayParameters, delays
from .blocks.carry_save import full_adder, gate

__all__ = ["Multiplier", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(ArrayParameters):
    """Parameters of :class:`Multiplier`."""

    source = ("Satzoda, Chang, Jong: High Speed Systolic Montgomery Modular Multipliers for RSA "
              "Cryptosystems; Algorithm 3 (MMM_MX), Design 1")
    summary = "array of carry-save rows, a multiplication every two short clocks"

    hop = 2
    initiation = 2

    @property
    def stages(self):
        # Up to the last row; through it, into the adder and out of it; the other words.
        return 1 + 2 * (self.iterations - 1) + 4 + 2 * self.groups - 1

    @property
    def skew_bits(self):
        half = self.groups * self.group_width
        entry = self.group_width * sum(range(1, self.groups + 1))
        y = self.groups * (self.width + 1 - half) + entry + half * 2 * self.width
        modulus = self.groups * (self.width - half) + entry + half * (2 * self.width + 3)
        # Two bits of x share a chain, and one of them waits a clock for the other.
        pairs, single = divmod(self.width + 1, 2)
        x = sum(4 * pair + 2 for pair in range(pairs)) + 2 * self.width * single
        return x + y + modulus

    def compute(self, x, y, modulus):
        self.check_operands(x, y, modulus)
        return mmm_mx(x, y, modulus, self.iterations)

    def create(self):
        return Multiplier(self)


class Multiplier(ArrayMultiplier):
    """Algorithm 3 on a two-dimensional array, Design 1.

    Figure 3 (b), the reservation table, holds as it is: multiplication 0, 1, 2 … is in row i in
    clocks 2i and 2i + 1 after it entered::

        clock      0  1  2  3  4  5  6  7 …
        row 0      0  0  1  1  2  2  3  3
        row 1            0  0  1  1  2  2
        row 2                  0  0  1  1
        …
        row k + 1                            … 2k + 2 and 2k + 3:  0  0

    What a row does in its two clocks differs. In the paper each of its k cells has one gated full
    adder, which adds a B to a bit in the first clock and q N in the second, behind four
    multiplexers. Here half of the k gated full adders are for a B, and half for q N: in the first
    clock the lower half of the bits has a B added, in the second one q N, while the upper half
    has a B added. So the adders are as many and as busy, and the multiplexers disappear: B and N
    reach a column of adders as a stream of lower and upper halves::

        clock      0  1  2  3  4
        a B        L0 U0 L1 U1 L2 …
        q N           L0 U0 L1 U1 …

    Groups of columns work one after the other, as :class:`.array.ArrayParameters` says. The upper
    half is done by the same groups, from the first one on, when they have done the lower one.

    Bit 0 of the modulus is taken to be 1.

    Parameters
    ----------
    params : :class:`Parameters`

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    #: Most bits for which one copy of the phase chooses.
    FAN_OUT = 8

    def array(self, m, phase, x, y, modulus):
        p = self.params
        last = p.iterations - 1
        phases = self._copies(m, phase)
        a = self._bits(m, phases, x)
        b = self._halves(m, phases, y, 2 * (last - 1), "y")
        n = self._halves(m, phases, Cat(Const(1, 1), modulus[1:]), 2 * last + 1, "n")
        s = c = [Const(0, p.group_width)] * p.groups
        for index in range(p.iterations):
            lower = next(phases)
            # x < 2**(width + 1), so there is no a B in the last row.
            s, c = self._row(m, index, lower, a[index] if index < last else None,
                             [word[2 * index] if index < last else Const(0, p.group_width)
                              for word in b],
                             [word[2 * index + 1] for word in n], s, c)
        return self._resolve(m, s, c)

    @staticmethod
    def _copies(m, phase):
        """Generate copies of the phase, each of which has only the next one to reach.

        Each is a clock later than the one before, so that every other one is inverted, and a
        register that nothing resets, so that none is ever out of step.
        """
        for index in itertools.count():
            copy = Signal(name=f"phase_{index}", init=index % 2, reset_less=True)
            m.d.sync += copy.eq(phase)
            phase = copy
            yield copy if index % 2 else ~copy

    def _bits(self, m, phases, x):
        """Return for each bit of x where it is 2i clocks after it came in.

        In the other clocks the bit of a neighbour is there: two share a chain of registers.
        """
        found = []
        for low in range(0, len(x), 2):
            if low + 1 < len(x):
                saved = Signal(name=f"skew_x_{low}", reset_less=True)
                m.d.sync += saved.eq(x[low + 1])
                if low % self.FAN_OUT == 0:
                    phase = next(phases)
                chain = delays(m, Mux(phase, x[low], saved), 2 * low + 1, f"skew_x_{low}")
            else:
                chain = delays(m, x[low], 2 * low, f"skew_x_{low}")
            found += chain[2 * low:]
        return found

    def _halves(self, m, phases, value, clocks, name):
        """Return for each group the registers through which its bits of ``value`` flow.

        The first of them holds the lower word when row 0 has it, the upper one ``groups`` clocks
        later.
        """
        size, half = self.params.group_width, self.params.group_width * self.params.groups
        *_, upper = delays(m, value[half:], self.params.groups, f"skew_{name}")
        words = []
        for start in range(0, half, self.FAN_OUT):
            bits = slice(start, min(start + self.FAN_OUT, half))
            words.append(Mux(next(phases), value[bits], (upper >> start)[:bits.stop - start]))
        words = Cat(*words)
        return [delays(m, words[size * v:size * (v + 1)], v + 1 + clocks,
                       f"skew_{name}_{v}")[v + 1:] for v in range(self.params.groups)]

    def _row(self, m, index, lower, a_in, b, n, s_in, c_in):
        """Add row ``index`` and return for each group the words of its sum and of its carries.

        ``lower`` is high in the clock before the first group has a lower word, and two clocks
        later again.
        """
        groups, size = self.params.groups, self.params.group_width
        top = size - 1

        def registers(name, width=1):
            return [Signal(width, name=f"{name}_{index}_{v}", reset_less=True)
                    for v in range(groups)]

        s_a, c_a, s_q, c_q = (registers(name, size) for name in ("s_a", "c_a", "s_q", "c_q"))
        q, carry = registers("q"), registers("carry")
        a = registers("a") if a_in is not None else [Const(0, 1)] * groups
        for v in range(groups):
            # Ct + St <- Cin + Sin + a B. The top bit of the shifted Sin is bit 0 of the word above,
            # which the row before has in the next clock; it is added then.
            if a_in is not None:
                m.d.sync += a[v].eq(a[v - 1] if v else Mux(lower, a_in, a[-1]))
            s, c = full_adder(gate(a[v], b[v]), s_in[v] >> 1, c_in[v])
            m.d.sync += [s_a[v].eq(s), c_a[v].eq(c),
                         q[v].eq(q[v - 1] if v else Mux(lower, q[-1], s[0]))]
            # C + S <- Ct + St + q N. From the top word nothing is carried, and bit 0 of the lowest
            # word is 0: where one multiplication meets the next, there is nothing to keep apart.
            late = s_in[(v + 1) % groups][0]
            qn = gate(q[v], n[v])
            s, c = full_adder(qn, s_a[v], Cat(carry[v - 1], c_a[v][:-1]))
            total_is_4 = qn[top] & s_a[v][top] & c_a[v][top - 1] & late
            m.d.sync += [
                s_q[v].eq(Cat(s[:top], s[top] ^ late)),
                c_q[v].eq(Cat(c[:top], c[top] | (s[top] & late))),
                # c_a[top] is the carry of a half adder, so s_a[top] is 0 with it and the total
                # cannot be 4: never two carries.
                carry[v].eq(c_a[v][top] | total_is_4),
            ]
        return s_q, c_q

    def _resolve(self, m, s_in, c_in):
        """Return the sum of what the last row gives."""
        groups, size = self.params.groups, self.params.group_width
        lower, upper = [], []
        sums = [Signal(size + 1, name=f"sum_{v}", reset_less=True) for v in range(groups)]
        for v in range(groups):
            # As between rows: the top bit comes a clock late, and the top word gives no carry.
            s = Signal(size - 1, name=f"s_last_{v}", reset_less=True)
            c = Signal(size, name=f"c_last_{v}", reset_less=True)
            late = s_in[(v + 1) % groups][0]
            m.d.sync += [s.eq(s_in[v][1:]), c.eq(c_in[v]),
                         sums[v].eq(Cat(s, late) + c + sums[v - 1][-1])]
            # Until the top word is there.
            waiting = delays(m, sums[v][:-1], 2 * groups - 1 - v, f"word_{v}")
            lower.append(waiting[-1])
            upper.append(waiting[groups - 1 - v])
        return Cat(*lower, *upper)
