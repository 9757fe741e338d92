"""The lines of a product: Table I of the paper, as it is here, with the ports of the memory.

What differs from the paper:

- X_0 Y_i is multiplied an iteration earlier, and S_0 is added to it as soon as there is S_0. So q
  waits for its own product alone, and q and the next iteration come two clocks earlier.
- The adders behind the multiplier add S_j before the row of q M instead of after it; see
  :class:`~montgomery.single_dsp.datapath.Datapath`.
"""

import dataclasses

__all__ = ["TABLE", "Line"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Line:
    """A clock of a pair: a line of Table I. What it has is empty where nothing is done.

    Attributes
    ----------
    port_a : :class:`str`
        What port a of the memory reads, which is the first operand of the multiplier.
    b : :class:`str`
        The second operand. Y_i and q take turns in two registers. "X_0 from a" is in the first
        operand's register; "t from p" and "q from p" are in the multiplier's.
    row : :class:`str`
        What the lower half of the product is added to: the carry, or nothing. In the paper this is
        in column "Adder(DSP48E1)".
    sum : :class:`str`
        What is added to the row, gamma in the first clock of a pair, the digit of the next S in the
        second one. In the paper this is in column "Adder(CLB)".
    port_b : :class:`str`
        What port b of the memory does.
    keep : :class:`str`
        What is kept in a register.
    """

    port_a: str = ""
    b: str = ""
    row: str = ""
    sum: str = ""
    port_b: str = ""
    keep: str = ""


_GAMMA, _DIGIT = "gamma <- alpha + S_j + C_gamma", "S_{j-1} <- gamma + beta + C_S"
_X = Line(port_a="X_j", b="Y_i", row="alpha <- X_j Y_i + C_alpha", sum=_GAMMA,
          port_b="write S_{j-1}")
_M = Line(port_a="M_j", b="q", row="beta <- q M_j + C_beta", sum=_DIGIT, port_b="read S_j")

#: The two clocks of each pair of :class:`~.sequencer.PairSequencer`. The pairs of the upper part
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
