"""The multiplier, on streams of words."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring

from ..blocks.streams import Narrow, Widen
from .products import Products

__all__ = ["DspSystolicMultiplier"]


class DspSystolicMultiplier(wiring.Component):
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

    An operation may begin while the one before it is multiplied, so that two are under way, each of
    which has room for its result; three with ``quotient=delayed`` and a digit per PE, since the
    result of the one before that may still be on its way. An operation begins in the clock after
    one in which it was offered, and no key was: so a key that is offered goes before operations
    that have not begun. It waits until the products of all others are in the queue for results.

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
        # The next word of an operation, or of a key, is its first one; an operation may begin.
        first, first_key = Signal(name="first_word", init=1), Signal(name="first_key", init=1)
        open_ = Signal(name="open")
        accepts, accepts_key = Signal(name="accepts"), Signal(name="accepts_key")
        waiting = Signal(name="waiting")  # an operation has begun, and its product has not
        under_way = Signal(2, name="under_way")  # operations whose results have not been taken
        single = Signal(name="single")  # the first word of the operation is its only one
        moves, begins, keyed, given = (Signal(name=name)
                                       for name in ("moves", "begins", "keyed", "given"))
        m.d.comb += [
            accepts.eq(~first | open_),
            accepts_key.eq(~first_key | ~((open_ & i.valid) | waiting | products.multiplies
                                          | products.storing | products.resting)),
            pairs.payload.eq(Cat(Cat(x.word_select(index, digit), y.word_select(index, digit), kept)
                                 for index in range(ratio))),
            pairs.valid.eq(i.valid & accepts), i.ready.eq(pairs.ready & accepts),
            keys.payload.eq(k.payload), keys.valid.eq(k.valid & accepts_key),
            k.ready.eq(keys.ready & accepts_key), products.renew.eq(keyed),
            single.eq(kept.all()), moves.eq(i.valid & i.ready), begins.eq(moves & first),
            keyed.eq(k.valid & k.ready),
        ]
        wiring.connect(m, results, wiring.flipped(o))

        def is_last(moved, name):
            """Return whether the word that moves is the last one of a number."""
            place = Signal(range(p.result_words), name=name)
            with m.If(moved):
                m.d.sync += place.eq(Mux(place == p.result_words - 1, 0, place + 1))
            return place == p.result_words - 1

        taken = Signal(name="taken")
        m.d.comb += [given.eq(o.valid & o.ready), taken.eq(given & is_last(given, "of_result"))]
        m.d.sync += [
            waiting.eq((waiting & ~products.begin) | begins),
            open_.eq(~k.valid & products.known & ~begins & ~waiting
                     & (~under_way.all() & (products.multiplies | ~products.storing)
                        if p.schedule.overlaps else
                        ~products.storing & ~products.resting & ~under_way[1])),
            under_way.eq(under_way + begins - taken),
        ]
        last = is_last(moves & ~(first & single), "of_operation")
        with m.If(moves):
            m.d.sync += first.eq(last | (first & single))
        last_key = is_last(keyed, "of_key")
        with m.If(keyed):
            m.d.sync += first_key.eq(last_key)
        return m
