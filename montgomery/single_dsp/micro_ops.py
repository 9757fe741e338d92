"""What is done in each clock of a product, as its table says, and what goes through the table.

Each line of :data:`TABLE` is issued as a :class:`MicroOp`, whose fields follow from the text of the
line, and moves through the stages of the :class:`~.processor.Datapath`.
"""

import dataclasses
from functools import reduce
from operator import or_

from amaranth.hdl import C, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["DIGIT", "OPERANDS", "PRODUCT", "READ", "SUM", "TABLE", "Line", "MicroOp",
           "PairSequencer", "decode", "fields", "product_clocks"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Line:
    """A clock of a pair: a line of Table I. What it has is empty where nothing is done."""

    #: What port a of the memory reads, which is the first operand of the multiplier.
    port_a: str = ""
    #: The second operand. Y_i and q take turns in two registers. "X_0 from a" is in the first
    #: operand's register; "t from p" and "q from p" are in the multiplier's.
    b: str = ""
    #: What the lower half of the product is added to: the carry, or nothing. In the paper this is
    #: in column "Adder(DSP48E1)".
    row: str = ""
    #: What is added to the row, gamma in the first clock of a pair, the digit of the next S in the
    #: second one. In the paper this is in column "Adder(CLB)".
    sum: str = ""
    #: What port b of the memory does.
    port_b: str = ""
    #: What is kept in a register.
    keep: str = ""


_GAMMA, _DIGIT = "gamma <- alpha + S_j + C_gamma", "S_{j-1} <- gamma + beta + C_S"
_X = Line(port_a="X_j", b="Y_i", row="alpha <- X_j Y_i + C_alpha", sum=_GAMMA,
          port_b="write S_{j-1}")
_M = Line(port_a="M_j", b="q", row="beta <- q M_j + C_beta", sum=_DIGIT, port_b="read S_j")

#: The two clocks of each pair of :class:`~.micro_ops.PairSequencer`. The pairs of the upper part
#: follow each other, and the sum of "special" is not used. Those of the lower part coincide with
#: others, and say what is otherwise then: "first" is each pair of the first iteration, and "beyond"
#: those above the highest digit.
TABLE = {
    "start": (Line(port_a="X_j", keep="X_0"),
              Line(port_a="Y_{i+1}", b="X_0 from a")),
    "special": (Line(port_a="Y_{i+1}", b="X_0", row="alpha <- X_0 Y_{i+1}",
                     sum="gamma <- alpha + S_j", keep="alpha"),
                Line(port_a="-1/M", b="t", row="q <- t (-1/M)")),
    "pair_0": (Line(port_a="Y_i", b="X_0", row="alpha <- X_j Y_i", sum="gamma <- alpha + S_j",
                    keep="Y_i"),
               Line(port_a="M_j", b="q from p", row="beta <- q M_j",
                    sum="S_{j-1} <- gamma + beta", port_b="read S_j")),
    "pair_1": (dataclasses.replace(_X, keep="t <- X_0 Y_{i+1} + S_{j-1}"), _M),
    "rest": (_X, _M),
    # Digit d of X, M and S is 0, and carries are left. This is "beyond" too: the products are 0.
    "flush": (Line(row="alpha <- C_alpha", sum="gamma <- alpha + C_gamma",
                   port_b="write S_{j-1}"),
              Line(row="beta <- C_beta", sum=_DIGIT)),

    "first_special": (Line(), Line(b="t from p")),
    "first": (Line(sum="gamma <- alpha + C_gamma"), Line()),
    "beyond": (Line(b="0"), Line(b="0")),
    "tops": (Line(port_b="mark the highest"), Line(port_b="mark the highest")),
}


#: Stages, in clocks after a micro-operation is issued: its operand is in the register in front of
#: the multiplier; the digit of S is at port b of the memory; its product is in the register behind
#: the multiplier; the lower half of that, with the upper one of the product before, is too; and, of
#: the first clock of a pair, the digit of the next S is in the register in front of the memory.
OPERANDS, READ, PRODUCT, SUM, DIGIT = 5, 6, 9, 10, 12

#: Fields that are set for what is in a column of the table. X_0 is chosen in "X_0 from a" too, for
#: the case that X is 1.
_B = {"": (), "X_0": ("other_is_x_0",), "X_0 from a": ("other_is_x_0", "b_is_a"), "Y_i": (),
      "q": (), "t": ("b_is_t",), "t from p": ("b_is_product",), "q from p": ("b_is_product",),
      "0": ("b_is_0",)}
_PORT_B = {"": (), "read S_j": ("read_s",), "write S_{j-1}": ("store",),
           "mark the highest": ("top",)}
_KEEP = {"": (), "X_0": ("take_x_0",), "Y_i": ("take_y",), "alpha": ("take_ahead",),
         "t <- X_0 Y_{i+1} + S_{j-1}": ("take_t",)}


class MicroOp(data.Struct):
    """What is done because of one clock of a pair, each in its stage."""

    # Sources of the second operand, and of the register from which it comes next.
    other_is_x_0: 1
    b_is_product: 1
    b_is_t: 1
    b_is_a: 1
    b_is_0: 1
    # In OPERANDS: keep the first operand as X_0, or as Y; or keep 0 as Y.
    take_x_0: 1
    take_y: 1
    y_is_0: 1
    # Nothing is carried into this sum of products, or into this sum of a row and S.
    clear_row: 1
    clear_sums: 1
    # S is read from the memory; or it is 0.
    read_s: 1
    s_is_0: 1
    # Keep the sum of products, or add to it the digit, for the next q.
    take_ahead: 1
    take_t: 1
    # Write the digit to the memory; it is the highest.
    store: 1
    top: 1


def fields(pair):
    """Return the names of the fields that are set in each of the two clocks of a pair."""
    found = [{*_B[line.b], *_PORT_B[line.port_b], *_KEEP[line.keep]} for line in pair]
    for line, names in zip(pair, found, strict=True):
        if line.row and "C_" not in line.row:
            names.add("clear_row")
    # The sum of the second clock is cleared a clock after that of the first one, and what is added
    # for S stays for both.
    gamma = pair[0].sum
    if gamma and "C_" not in gamma:
        found[0].add("clear_sums")
    if gamma and "S_j" not in gamma:
        found[0].add("s_is_0")
        found[1].add("s_is_0")
    return found


def decode(m, issued, sequencer, x_is_1):
    """Assign the :class:`MicroOp` that a :class:`PairSequencer` issues, by the table.

    If X is 1, the first operand of X_0 Y_i is Y_i, and there are no other products by Y.
    """
    odd = sequencer.odd
    set_by = {pair: fields(lines) for pair, lines in TABLE.items()}
    for name, _ in MicroOp.as_shape():
        terms = [C(0, 1)]
        for pair, (first, second) in set_by.items():
            clock = {(True, False): ~odd, (False, True): odd, (True, True): C(1, 1)}.get(
                (name in first, name in second))
            if clock is not None:
                terms.append(getattr(sequencer, pair) & clock)
        m.d.comb += issued[name].eq(reduce(or_, terms))
    m.d.comb += issued.y_is_0.eq(sequencer.pair_0 & ~odd & x_is_1)
    with m.If(x_is_1):
        m.d.comb += issued.b_is_a.eq(0)


#: Digits from which on the next q is known in time.
_SHORTEST = 4


def product_clocks(digits):
    """Return the clocks from a product to the next, where this takes operands from the memory."""
    iteration = 2 * max(digits, _SHORTEST) + 6
    return 4 + digits * iteration


class PairSequencer(wiring.Component):
    """The loops of Algorithm 3: issues pairs of clocks, with a multiplication in each clock.

    The paper's iteration ends with a pair for the carries, and waits for the next q then. Here that
    q is nearly found by then, and waited for in a single pair:

    =========  ========================  ===========================================================
    pair       multiplications           what they are for
    =========  ========================  ===========================================================
    special    X_0 Y_{i+1}, t (-1/M)     the lower half of the second one is q
    none       none                      q leaves the multiplier, far away
    0 to d-1   X_j Y_i, q M_j            digit j of S + X Y_i + q M; digit 0 is 0
    flush      none                      digit d, the carries alone
    =========  ========================  ===========================================================

    Digit 1 is digit 0 of the next S; with the product of the special pair before it makes the next
    t = X_0 Y_{i+1} + S_0, in time for the special pair that follows if there are four digits. Where
    there are fewer, pairs for digits of 0 fill the iteration up to four.

    The first iteration is preceded by a pair that reads X_0 and multiplies Y_0 by it, which is the
    first t, and another one, in which that leaves the multiplier.

    Latency: the first pair is issued in the clock after ``begin``. Throughput: a product in
    :func:`product_clocks`, a pair every second clock without a pause.
    """

    def __init__(self, index_width):
        # The pair is such a one of the table.
        super().__init__({pair: Out(1) for pair in TABLE} | {
            "begin": In(1),  # begin a product, when nothing is ``busy``
            "last": In(index_width),  # index of the highest digit
            "y_ends": In(1),  # the digit of Y of the current iteration is the highest
            "pair": Out(1),  # it is the pair of a digit
            "odd": Out(1),  # the second clock of a pair
            "j": Out(index_width),  # index of the digit of X and M; 0 where there is none
            "i": Out(index_width),  # that of Y in a pair 0
            "i_ahead": Out(index_width),  # that of Y in a special pair, and in the first pair
            "busy": Out(1),  # a pair is issued
            "done": Out(1),  # this is the last clock of a product
        })

    def elaborate(self, platform):
        m = Module()
        start, pair, flush, odd, beyond = self.start, self.pair, self.flush, self.odd, self.beyond
        waits = Signal()  # the pair after the first one
        hole = Signal()  # the pair after the special one
        more = Signal()  # digits from 3 on, and the flush
        # These are 0 when they are needed, or set by the beginning of a product.
        j, i, i_ahead = (Signal.like(self.j, name=name, reset_less=True)
                         for name in ("j", "i", "i_ahead"))
        # In the second clock: the digit is the highest.
        highest = Signal(reset_less=True)
        ends = Signal()
        m.d.comb += [
            self.j.eq(j), self.i.eq(i), self.i_ahead.eq(i_ahead),
            self.first_special.eq(self.special & self.first),
            ends.eq(pair & more & (highest | beyond)), self.done.eq(flush & odd & self.y_ends),
        ]
        m.d.sync += [
            self.busy.eq(self.begin | (self.busy & ~self.done)), odd.eq(self.busy & ~odd),
            start.eq(self.begin | (start & ~odd)),
            self.first.eq(self.begin | (self.first & ~(flush & odd))),
            highest.eq(j == self.last),
        ]
        with m.If(odd):
            m.d.sync += [
                waits.eq(start),
                self.special.eq(waits | (flush & ~self.y_ends)),
                hole.eq(self.special),
                self.pair_0.eq(hole),
                self.pair_1.eq(self.pair_0),
                self.rest.eq(self.pair_1 | (self.rest & ~ends)),
                pair.eq(hole | (pair & ~ends)),
                more.eq(self.rest),
                flush.eq(ends),
                self.tops.eq(pair & highest),
                beyond.eq(pair & (beyond | highest)),
            ]
            with m.If(start | self.pair_0):  # 0 and 1 at first
                m.d.sync += [i.eq(i_ahead), i_ahead.eq(i_ahead + 1)]
        with m.If(~pair):
            m.d.sync += j.eq(0)
        with m.Elif(odd):
            m.d.sync += j.eq(j + 1)
        with m.If(self.begin):
            m.d.sync += [i.eq(0), i_ahead.eq(0)]
        return m
