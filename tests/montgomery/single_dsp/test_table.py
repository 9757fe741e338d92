"""The table of micro-operations against the paper's Table I.

The lines are those that the sequencer issues, with the indices that it gives to them.
"""

import dataclasses
import re

import pytest
from bench import run

from montgomery.single_dsp.micro_ops import TABLE, Line, MicroOp, PairSequencer, fields

#: Names of the table that are pairs of their own; the others coincide with these.
PAIRS = ("start", "special", "pair_0", "pair_1", "rest", "flush")
NOTHING = Line()
#: Clocks from the multiplier's line to the line of each adder in Table I.
DSP, CLB = 1, 3


@dataclasses.dataclass(frozen=True)
class Issued:
    """A clock of the sequencer: the line of the table, and the indices of the digits.

    ``i`` is the iteration, ``y`` the index of the digit of Y that is read if one is.
    """

    pair: str | None
    line: Line
    i: int
    j: int
    y: int


def issued_by(clocks):
    """Return an :class:`Issued` for each clock, from the names and outputs of the sequencer."""
    found, iteration = [], -1
    for names, odd, i, i_ahead, j in clocks:
        pairs = [pair for pair in PAIRS if pair in names]
        assert len(pairs) <= 1
        pair = pairs[0] if pairs else None
        assert "beyond" in names or pair != "flush"
        line = TABLE[pair][odd] if pair else NOTHING
        if pair == "pair_0" and not odd:
            iteration = i
        if odd and not line.port_a and found:
            j = found[-1].j  # of the pair; nothing is read here
        found.append(Issued(pair, line, iteration, j, i_ahead if line.port_a == "Y_{i+1}" else i))
    return found


def sample(sequencer):
    """Return the signals of the sequencer to sample in each clock."""
    return [*(getattr(sequencer, name) for name in TABLE), sequencer.odd, sequencer.i,
            sequencer.i_ahead, sequencer.j]


def sampled(values):
    """Return what :func:`issued_by` takes, from the values of :func:`sample`."""
    names = [name for name, value in zip(TABLE, values, strict=False) if value]
    return names, *values[len(TABLE):]


def sequence(d):
    """Return what the sequencer issues in the first three iterations."""
    sequencer, clocks = PairSequencer(4), []

    async def testbench(ctx):
        ctx.set(sequencer.last, d - 1)
        ctx.set(sequencer.begin, 1)
        await ctx.tick()
        ctx.set(sequencer.begin, 0)
        for _ in range(3 * (2 * d + 6) + 8):
            clocks.append(sampled([ctx.get(signal) for signal in sample(sequencer)]))
            await ctx.tick()

    run(sequencer, testbench)
    return issued_by(clocks)


def in_numbers(text, clock):
    """Return a text of the table with the indices of a clock, as in Table I."""
    i, j = clock.i, clock.j
    for name, index in {"X_j": f"X_{j}", "M_j": f"M_{j}", "S_j": f"S_{i},{j}",
                        "S_{j-1}": f"S_{i + 1},{j - 1}", "Y_{i+1}": f"Y_{i + 1}",
                        "Y_i": f"Y_{i}"}.items():
        text = text.replace(name, index)
    return text


class Here:
    """The columns of the table, by clock, as Table I has them."""

    def __init__(self, d):
        self.clocks = sequence(d)

    def begin(self, iteration):
        """Return the clock of X_0 Y_i, for which Table I has k + 6."""
        return next(index for index, clock in enumerate(self.clocks)
                    if clock.pair == "pair_0" and clock.i == iteration)

    def multiplier(self, index):
        clock = self.clocks[index]
        line = clock.line
        if not line.b:
            return ""
        if line.port_a == "-1/M":
            return f"q <- ({self.kept_t(index)}) (-1/M)"
        # What is read is named by the sequencer, and the other factor by the table.
        read = {"X_j": f"X_{clock.j}", "M_j": f"M_{clock.j}", "Y_i": f"Y_{clock.y}",
                "Y_{i+1}": f"Y_{clock.y}"}[line.port_a]
        other = in_numbers(line.b.partition(" from ")[0], clock)
        return " ".join(sorted([read, other], key=lambda factor: "XqMY".index(factor[0])))

    def kept_t(self, index):
        """Return what was kept as t before a clock."""
        clock = next(clock for clock in reversed(self.clocks[:index])
                     if clock.line.keep.startswith("t"))
        return in_numbers(clock.line.keep, clock).partition(" <- ")[2]

    def dsp(self, index):
        clock = self.clocks[index - DSP]
        if clock.line.port_a == "Y_{i+1}":  # the iteration that it is for is the next but one
            return clock.line.row.replace("Y_{i+1}", f"Y_{clock.y}")
        return in_numbers(clock.line.row, clock)

    def clb(self, index):
        clock = self.clocks[index - CLB]
        return in_numbers(clock.line.sum, clock)


def table_i(i, d):
    """Return Table I, by clocks since k: columns Multiplier, Adder(DSP48E1) and Adder(CLB).

    The braces are left out: "alpha <-" stands for "{C_alpha : alpha} <-", and "S <-" for
    "{C_S : S} <-". The lines between k + 10 and k + 2d + 6 are dots in the paper.
    """
    def x(j):  # line of X_j Y_i, from the second digit on
        return (f"X_{j} Y_{i}", f"beta <- q M_{j - 1} + C_beta",
                "" if j == 1 else f"S_{i + 1},{j - 3} <- gamma + S_{i},{j - 2} + C_S")

    def q(j):  # the line after it
        return (f"q M_{j}", f"alpha <- X_{j} Y_{i} + C_alpha", "gamma <- alpha + beta + C_gamma")

    return {
        0: (f"X_0 Y_{i}", f"beta <- q M_{d} + C_beta",
            f"S_{i},{d - 2} <- gamma + S_{i - 1},{d - 1} + C_S"),
        1: ("", f"X_0 Y_{i} + S_{i},0", "gamma <- alpha + beta + C_gamma"),
        2: ("", "", f"S_{i},{d - 1} <- gamma + S_{i - 1},{d} + C_S"),
        3: (f"q <- (X_0 Y_{i} + S_{i},0) (-1/M)", "", ""),
        4: ("", "", ""),
        5: ("", "", ""),
        6: (f"X_0 Y_{i}", "", ""),
        7: ("q M_0", f"alpha <- X_0 Y_{i} + C_alpha", ""),
        8: (f"X_1 Y_{i}", "beta <- q M_0 + C_beta", ""),
        9: ("q M_1", f"alpha <- X_1 Y_{i} + C_alpha", "gamma <- alpha + beta + C_gamma"),
        10: (f"X_2 Y_{i}", "beta <- q M_1 + C_beta", f"S_{i + 1},-1 <- gamma + S_{i},0 + C_S"),
        **{2 * j + 6: x(j) for j in range(3, d)},
        **{2 * j + 7: q(j) for j in range(2, d)},
        2 * d + 6: (f"X_{d} Y_{i}", f"beta <- q M_{d - 1} + C_beta",
                    f"S_{i + 1},{d - 3} <- gamma + S_{i},{d - 2} + C_S"),
        2 * d + 7: (f"q M_{d}", f"alpha <- X_{d} Y_{i} + C_alpha",
                    "gamma <- alpha + beta + C_gamma"),
        2 * d + 8: (f"X_0 Y_{i + 1}", f"beta <- q M_{d} + C_beta",
                    f"S_{i + 1},{d - 2} <- gamma + S_{i},{d - 1} + C_S"),
        2 * d + 9: ("", f"X_0 Y_{i + 1} + S_{i + 1},0", "gamma <- alpha + beta + C_gamma"),
        2 * d + 10: ("", "", f"S_{i + 1},{d - 1} <- gamma + S_{i},{d} + C_S"),
        2 * d + 11: (f"q <- (X_0 Y_{i + 1} + S_{i + 1},0) (-1/M)", "", ""),
        2 * d + 12: ("", "", ""),
        2 * d + 13: ("", "", ""),
        2 * d + 14: (f"X_0 Y_{i + 1}", "", ""),
    }


def as_here(i, d):
    """Return the lines of Table I from k + 6 on with the differences, each of which is named."""
    lines = {clock: list(line) for clock, line in table_i(i, d).items() if clock >= 6}
    # The adders add S_j first, and then the row of q M.
    for clock in range(9, 2 * d + 11, 2):
        gamma, digit = lines[clock], lines[clock + 1]
        s_j = re.search(r"S_\d+,\d+(?= \+ C_S)", digit[2])[0]
        gamma[2], digit[2] = gamma[2].replace("beta", s_j), digit[2].replace(s_j, "beta")
    # Carries are 0 in the beginning, and so is S_d.
    for clock, column in ((7, 1), (8, 1), (9, 2), (10, 2)):
        lines[clock][column] = re.sub(r" \+ C_\w+", "", lines[clock][column])
    lines[2 * d + 9][2] = lines[2 * d + 9][2].replace(f" + S_{i},{d}", "")
    # X_d and M_d are 0, so that these are no products.
    lines[2 * d + 6][0] = lines[2 * d + 7][0] = ""
    for clock, product in ((2 * d + 7, f"X_{d} Y_{i} + "), (2 * d + 8, f"q M_{d} + ")):
        lines[clock][1] = lines[clock][1].replace(product, "")
    # q comes two clocks earlier, and so does the next iteration.
    lines[2 * d + 9][0], lines[2 * d + 11][0] = lines[2 * d + 11][0], ""
    lines[2 * d + 12][0] = lines[2 * d + 14][0]
    del lines[2 * d + 13], lines[2 * d + 14]
    # For that, X_0 Y is multiplied an iteration earlier, and S_0 is added to it as t.
    lines[2 * d + 8][0] = f"X_0 Y_{i + 2}"
    lines[2 * d + 9][1] = f"alpha <- X_0 Y_{i + 2}"
    # What leaves the multiplier as q is neither in a row nor in a sum.
    lines[2 * d + 10][1] = "q <- t (-1/M)"
    return lines


@pytest.mark.parametrize("d", [4, 5, 9])
def test_table_i(d):
    here, i = Here(d), 1
    begin = here.begin(i)
    for clock, (multiplier, dsp, clb) in as_here(i, d).items():
        index = begin + clock - 6
        assert here.multiplier(index) == multiplier, clock
        if clock <= 2 * d + 10:  # behind it the adders have nothing that is used
            assert (here.dsp(index), here.clb(index)) == (dsp, clb), clock


def test_first_lines_of_table_i_are_those_of_the_iteration_before():
    """So that a comparison from k + 6 on is one of all lines."""
    d = 5
    first, before = table_i(2, d), table_i(1, d)
    assert all(first[clock] == before[2 * d + 8 + clock] for clock in range(6))
    assert len(table_i(2, d)) == 2 * d + 12 + 3


def test_what_is_kept_for_q():
    """X_0 Y_{i+1} is kept two pairs before the first digit of iteration i, and S_0 added later."""
    here = Here(5)
    kept = [clock for clock in here.clocks if clock.line.keep in ("alpha", TABLE["pair_1"][0].keep)]
    assert [clock.pair for clock in kept[:6]] == ["special", "pair_1"] * 3
    for special, pair_1 in zip(kept[:6:2], kept[1:6:2], strict=True):
        t = in_numbers(pair_1.line.keep, pair_1)
        assert t == f"t <- X_0 Y_{special.y} + S_{pair_1.i + 1},0"


def test_every_field_is_set_by_the_table():
    """What no line sets would be in no use, and what is no field would have no effect."""
    names = {name for pair in TABLE.values() for clock in fields(pair) for name in clock}
    # 0 is kept as Y only where X is 1, which is no matter of the table.
    assert names | {"y_is_0"} == {name for name, _ in MicroOp.as_shape()}
