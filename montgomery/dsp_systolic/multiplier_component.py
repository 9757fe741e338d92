"""The multiplier, on streams of words."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring

from ..blocks.streams import Narrow, Widen
from .admission import Admission
from .products import Products

__all__ = ["Multiplier"]


class Multiplier(wiring.Component):
    """The systolic array of Figure 1, with the next operands on their way while it multiplies.

    Each processing element (PE) has one multiplier block, and holds one or more digits of y and of
    the modulus. For each digit of x, a slot of some clocks, the array adds the product of the digit
    and y, adds the multiple of the modulus that makes the lowest digit of the sum 0, and moves the
    sum down by a digit. Operands, digits and control signals pass from PE to PE; nothing but the
    reset is broadcast.

    The first PE is the paper's IPE (Figure 2); the PEs above it are its GPEs (Figure 3). The last
    PE is a GPE too; an adder behind it, for the digit that it carries, makes it the FPE (Figure 4).
    CU (Figure 5), in front of the first PE, finds the quotient digits. On a plain modulus it also
    multiplies them by the lowest digit of the modulus, which the IPE does in the paper. Counters
    and flags take the place of the MMC (Algorithm 4).

    A slot takes 3 clocks with one digit per PE, and 4 clocks with two. With k digits per PE, where
    k is 3 or more, it takes 2 k clocks, and at least 8 with ``quotient=plain``. With
    ``quotient=delayed`` it always takes 2 k clocks, and there is no CU: a
    quotient digit is the lowest digit that the sum had some slots before.

    A result stays in the array as y. It is also kept in a block RAM, from which its digits are read
    if it is x too. If one operand is a result, the other one is x, whichever it was: the product is
    the same. So products of results follow each other after a slot for each digit of x, and 10 or
    11 clocks, or two slots where these are longer. A y that was sent enters the array when the
    product before has left it, a digit a clock; with ``quotient=delayed`` and a digit per PE it
    waits beside the y that is used, so that independent products follow slot on slot.

    Latency: a slot for each digit of x, another one, and as many more as the quotient is delayed
    by; then the digits of the result come back from the PEs. Throughput: a product at a time; with
    ``quotient=delayed`` and a digit per PE, the slots of the next product follow at once.

    Parameters
    ----------
    params : :class:`montgomery.dsp_systolic.multiplier.Parameters`

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        p = self.params
        digit, ratio, word = p.digit_width, p.ratio, p.word_width
        m.submodules.admission = admission = Admission(
            p.result_words, p.result_words, p.schedule.overlaps)
        m.submodules.products = products = Products(p.schedule, ratio)
        i, k, o = self.i, self.k, self.o
        pairs, keys, results = products.i, products.k, products.o
        if ratio > 1:
            m.submodules.narrow = narrow = Narrow(digit * 2 + 2, ratio)
            m.submodules.narrow_key = narrow_key = Narrow(digit, ratio)
            m.submodules.widen = widen = Widen(digit, ratio)
            wiring.connect(m, narrow.o, pairs)
            wiring.connect(m, narrow_key.o, keys)
            wiring.connect(m, results, widen.i)
            pairs, keys, results = narrow.i, narrow_key.i, widen.o
        x, y, kept = i.payload[:word], i.payload[word:2 * word], i.payload[2 * word:]
        m.d.comb += [
            pairs.payload.eq(Cat(Cat(x.word_select(index, digit), y.word_select(index, digit), kept)
                                 for index in range(ratio))),
            pairs.valid.eq(i.valid & admission.accepts),
            i.ready.eq(pairs.ready & admission.accepts),
            admission.operation.eq(i.valid & i.ready), admission.single.eq(kept.all()),
            keys.payload.eq(k.payload), keys.valid.eq(k.valid & admission.accepts_key),
            k.ready.eq(keys.ready & admission.accepts_key),
            admission.operation_offered.eq(i.valid), admission.key_offered.eq(k.valid),
            admission.key.eq(k.valid & k.ready), products.renew.eq(admission.key),
            admission.result.eq(o.valid & o.ready),
        ]
        wiring.connect(m, results, wiring.flipped(o))
        for name in ("known", "multiplies", "storing", "resting", "begin"):
            m.d.comb += getattr(admission, name).eq(getattr(products, name))
        return m
