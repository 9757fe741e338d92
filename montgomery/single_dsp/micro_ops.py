"""The micro-operations of a product: Table I of the paper, as it is here.

The multiplier has the same products in the same order, of which q comes two clocks earlier, and so
does the next iteration. The adders behind it differ: row and S are added in the first clock of a
pair, and in the second one the other row to that; see :class:`.datapath.Datapath`.
"""

from functools import reduce
from operator import or_

from amaranth.hdl import C, Signal
from amaranth.lib import data

from .resets import Resets

__all__ = ["DIGIT", "OPERANDS", "PRODUCT", "SUM", "TABLE", "MicroOp", "Pipeline", "decode"]

#: Stages, in clocks after a micro-operation is issued: its operand is in the register in front of
#: the multiplier; its product is in the register behind it; the lower half of that, with the upper
#: one of the product before, is too; and, of the first clock of a pair, the digit of the next S is
#: in the register in front of the memory.
OPERANDS, PRODUCT, SUM, DIGIT = 5, 9, 10, 12

#: The clocks of each pair: what is multiplied, and what else is done, by fields of
#: :class:`MicroOp`. Of :class:`~montgomery.single_dsp.sequencer.Sequencer` are the pairs. Those
#: without products may coincide with others: "first" is each pair of the first iteration, and
#: "beyond" those above the highest digit.
TABLE = {
    "start": (("", ("take_x_0",)),
              ("X_0 Y_i", ("other_is_x_0", "b_is_a"))),
    "special": (("X_0 Y_{i+1}", ("other_is_x_0", "clear_row", "clear_sums", "take_ahead")),
                ("q", ("b_is_t", "clear_row"))),  # the lower half of t (-1/M)
    "pair_0": (("X_0 Y_i", ("other_is_x_0", "take_y", "clear_row", "clear_sums")),
               ("q M_0", ("b_is_product", "clear_row", "read_s"))),
    "pair_1": (("X_j Y_i", ("store", "take_t")),
               ("q M_j", ("read_s",))),
    "rest": (("X_j Y_i", ("store",)),
             ("q M_j", ("read_s",))),
    "flush": (("X_j Y_i", ("store", "s_is_0")),  # j is d, and the product 0
              ("q M_j", ("s_is_0",))),
    "first_special": (("", ()),
                      ("", ("b_is_product",))),
    "first": (("", ("s_is_0",)),
              ("", ("s_is_0",))),
    "beyond": (("", ("b_is_0",)),
               ("", ("b_is_0",))),
    "tops": (("", ("top",)),
             ("", ("top",))),
}


class MicroOp(data.Struct):
    """What is done because of one clock of a pair, each in its stage.

    Members
    -------
    other_is_x_0, b_is_product, b_is_t, b_is_a, b_is_0 : 1
        Sources of the second operand, and of the register from which it comes next.
    take_x_0, take_y, y_is_0 : 1
        In :data:`OPERANDS`: keep the first operand as X_0, or as Y; or keep 0 as Y.
    clear_row, clear_sums : 1
        Nothing is carried into this sum of products, or into this sum of a row and S.
    read_s, s_is_0 : 1
        S is read from the memory; or it is 0.
    take_ahead, take_t : 1
        Keep the sum of products, or add to it the digit, for the next q.
    store, top : 1
        Write the digit to the memory; it is the highest.
    """

    other_is_x_0: 1
    b_is_product: 1
    b_is_t: 1
    b_is_a: 1
    b_is_0: 1
    take_x_0: 1
    take_y: 1
    y_is_0: 1
    clear_row: 1
    clear_sums: 1
    read_s: 1
    s_is_0: 1
    take_ahead: 1
    take_t: 1
    store: 1
    top: 1


def decode(m, pairs, odd, x_is_1):
    """Return the :class:`MicroOp` that is issued, by :data:`TABLE`.

    Parameters
    ----------
    m : :class:`~amaranth.hdl.Module`
    pairs : dict from :class:`str` to :class:`~amaranth.hdl.Value`
        Whether this is such a pair.
    odd : :class:`~amaranth.hdl.Value`
        It is the second clock of it.
    x_is_1 : :class:`~amaranth.hdl.Value`
        X is 1: the first operand of X_0 Y_i is Y_i, and there are no other products by Y.
    """
    issued = Signal(MicroOp, name="issued")
    for field in MicroOp.as_shape():
        name = field[0]
        terms = [C(0, 1)]
        for pair, (first, second) in TABLE.items():
            where = [name in first[1], name in second[1]]
            clock = {(1, 0): ~odd, (0, 1): odd, (1, 1): C(1, 1)}.get(tuple(map(int, where)))
            if clock is not None:
                terms.append(pairs[pair] & clock)
        m.d.comb += issued[name].eq(reduce(or_, terms))
    m.d.comb += issued.y_is_0.eq(pairs["pair_0"] & ~odd & x_is_1)
    with m.If(x_is_1):
        m.d.comb += issued.b_is_a.eq(0)
    return issued


class Pipeline:
    """What was issued, by the number of clocks since then.

    Parameters
    ----------
    m : :class:`~amaranth.hdl.Module`
    issued : view of :class:`MicroOp`
    reset : :class:`~amaranth.hdl.Signal` or None
        Of :class:`~montgomery.single_dsp.resets.Resets`.
    """

    def __init__(self, m, issued, reset=None):
        self._stages = [issued]
        resets = Resets(m, reset)
        for clocks in range(1, DIGIT + 1):
            following = resets.register(MicroOp, name=f"stage_{clocks}")
            m.d.sync += following.eq(self._stages[-1])
            self._stages.append(following)
        resets.close()

    def __getitem__(self, clocks):
        return self._stages[clocks]
