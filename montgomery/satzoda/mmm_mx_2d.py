"""MMM_MX in two dimensions: a row of gated full adders for each iteration."""

import dataclasses
import itertools

from amaranth.hdl import Cat, Const, Mux, Signal

from ..blocks.carry_save import full_adder, gate
from ..blocks.values import later
from ..core import About
from .algorithms import PAPER, Gated, add_late_bit, registers
from .array import ArrayMultiplier, ArrayParameters, skewed

__all__ = ["GatedArray", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Gated, ArrayParameters):
    """Parameters of :class:`GatedArray`."""

    _about = About(
        source=f"{PAPER}; Algorithm 3 (MMM_MX), Design 1",
        summary="array of carry-save rows, one multiplication every two short clocks",
        quick_width=12)

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

    def create(self):
        return GatedArray(self)


class GatedArray(ArrayMultiplier):
    """Algorithm 3 on a two-dimensional array, Design 1: a row of adders for each iteration.

    Both steps take a clock each. Operands flow down through the rows beside their own sum. A new
    multiplication may start in every second clock, and is in row i in clocks 2i and 2i + 1 after it
    started, as in the reservation table, Figure 3 (b)::

        clock      0  1  2  3  4  5  6  7 …
        row 0      0  0  1  1  2  2  3  3
        row 1            0  0  1  1  2  2
        row 2                  0  0  1  1
        …
        row k + 1                            … 2k + 2 and 2k + 3:  0  0

    In the paper each of the k cells of a row has one gated full adder behind four multiplexers. It
    adds a bit of y in the first clock and a bit of the modulus in the second one. Here half of the
    gated full adders add y, to the lower half of the bits (L) in the first clock and to the upper
    half (U) in the second one. The others add the modulus, each half a clock later. That takes as
    many adders, which are as busy, and no multiplexers::

        clock      0  1  2  3  4
        y          L0 U0 L1 U1 L2 …
        m             L0 U0 L1 U1 …

    The columns of a row work in groups of at most ``pe_width`` columns, each group one clock after
    the group below it. Bit 0 of the modulus is taken to be 1.

    Latency: two clocks for each row and for each group of columns but the first, and the clocks of
    the final addition and of the queue of results. Throughput: a multiplication every second clock.
    """

    #: Most bits for which one copy of the phase chooses.
    FAN_OUT = 8

    def array(self, m, phase, x, y, modulus):
        p = self.params
        last = p.iterations - 1
        phases = self._copies(m, phase)
        a = self._bits(m, phases, x)
        b = self._halves(m, phases, y, 2 * (last - 1), "y")[::2]
        n = self._halves(m, phases, Cat(Const(1, 1), modulus[1:]), 2 * last + 1, "n")[1::2]
        # x < 2**(width + 1), so there is no a B in the last row.
        a, b = [*a, Const(0, 1)], [*b, Const(0, p.groups * p.group_width)]
        s = c = [Const(0, p.group_width)] * p.groups
        for index in range(p.iterations):
            s, c = self._row(m, index, next(phases), a[index], self._split(b[index]),
                             self._split(n[index]), s, c)
        return self._resolve(m, s, c)

    def _split(self, row):
        """Return the words of the groups."""
        size = self.params.group_width
        return [row[start:start + size] for start in range(0, len(row), size)]

    @staticmethod
    def _copies(m, phase):
        """Generate copies of the phase, each a clock later; no reset puts them out of step."""
        for index in itertools.count():
            copy = Signal(name=f"phase_{index}", init=index % 2, reset_less=True)
            m.d.sync += copy.eq(phase)
            phase = copy
            yield copy if index % 2 else ~copy

    def _bits(self, m, phases, x):
        """Return each bit i of x as it is 2i clocks after it came in.

        Two bits share a chain of registers. What enters the chain of bits 0 and 1 of
        multiplications A, B, C::

            clock   0   1   2   3   4   5
            phase   1   0   1   0   1   0
                    A0  A1  B0  B1  C0  C1
        """
        found = []
        for low in range(0, len(x), 2):
            if low + 1 < len(x):
                saved = Signal(name=f"skew_x_saved_{low}", reset_less=True)
                m.d.sync += saved.eq(x[low + 1])
                if low % self.FAN_OUT == 0:
                    phase = next(phases)
                chain = skewed(m, Mux(phase, x[low], saved), 2 * low + 1, f"skew_x_{low}")
            else:
                chain = skewed(m, x[low], 2 * low, f"skew_x_{low}")
            found += chain[2 * low:]
        return found

    def _halves(self, m, phases, value, clocks, name):
        """Return ``value`` as row 0 has it, and 1, 2 … ``clocks`` clocks later.

        A group has its lower word (L) when it works on that, and its upper word (U) ``groups``
        clocks later. With three groups, of multiplications A, B, C::

            clock     0   1   2   3   4   5   6
            group 0   AL      BL  AU  CL  BU
            group 1       AL      BL  AU  CL  BU
            group 2           AL      BL  AU  CL
        """
        p = self.params
        half = p.groups * p.group_width
        *_, upper = skewed(m, value[half:], p.groups, f"skew_{name}_upper")
        words = Signal(half, name=f"{name}_words")
        for start in range(0, half, self.FAN_OUT):
            bits = slice(start, min(start + self.FAN_OUT, half))
            m.d.comb += words[bits].eq(Mux(next(phases), value[bits], upper[start:bits.stop]))
        row_0 = Cat(skewed(m, word, 1 + v, f"skew_{name}_group{v}")[-1]
                    for v, word in enumerate(self._split(words)))
        return skewed(m, row_0, clocks, f"skew_{name}")

    def _row(self, m, index, lower, a_in, b, n, s_in, c_in):
        """Add a row, of which ``lower`` is a clock ahead; return the words of its sum and carries.
        """
        p = self.params

        def named(name, value, v):
            # An expression that is used in parts would be made anew for each of them.
            signal = Signal(p.group_width, name=f"{name}_{index}_{v}")
            m.d.comb += signal.eq(value)
            return signal

        a, q, carry = (registers(f"{name}_{index}", p.groups) for name in ("a", "q", "carry"))
        s_a, c_a, s_q, c_q = (registers(f"{name}_{index}", p.groups, p.group_width)
                              for name in ("s_a", "c_a", "s_q", "c_q"))
        for v in range(p.groups):
            # Ct + St <- Cin + Sin + a B. The top bit of the shifted Sin comes from the word above,
            # a clock later, and is added then.
            s, c = full_adder(gate(a[v], b[v]), s_in[v] >> 1, c_in[v])
            s = named("s_a_next", s, v)
            m.d.sync += [s_a[v].eq(s), c_a[v].eq(c),
                         a[v].eq(a[v - 1] if v else Mux(lower, a_in, a[-1])),
                         q[v].eq(q[v - 1] if v else Mux(lower, q[-1], s[0]))]

            # C + S <- Ct + St + q N. Nothing passes from one multiplication to the next: the top
            # word gives no carry, and bit 0 of the lowest word is 0.
            late = s_in[(v + 1) % p.groups][0]
            addends = gate(q[v], n[v]), s_a[v], Cat(carry[v - 1], c_a[v][:-1])
            s, c = full_adder(*addends)
            s, c, _ = add_late_bit(named("s_q_next", s, v), named("c_q_next", c, v), late)
            total_is_4 = late & Cat(addend[-1] for addend in addends).all()
            # The carry at the top of c_a is that of a half adder, so s_a is 0 with it: never two
            # carries.
            m.d.sync += [s_q[v].eq(s), c_q[v].eq(c), carry[v].eq(c_a[v][-1] | total_is_4)]
        return s_q, c_q

    def _resolve(self, m, s_in, c_in):
        """Return the sum of what the last row gives."""
        groups, size = self.params.groups, self.params.group_width
        lower, upper = [], []
        sums = registers("sum", groups, size + 1)
        for v in range(groups):
            # As between rows: the top bit comes a clock late, and the top word gives no carry.
            s, c = later(m, s_in[v][1:], 1, f"s_last_{v}"), later(m, c_in[v], 1, f"c_last_{v}")
            late = s_in[(v + 1) % groups][0]
            m.d.sync += sums[v].eq(Cat(s, late) + c + sums[v - 1][-1])
            # Until the top word is there.
            waiting = skewed(m, sums[v][:-1], 2 * groups - 1 - v, f"word_{v}")
            lower.append(waiting[-1])
            upper.append(waiting[groups - 1 - v])
        return Cat(*lower, *upper)
