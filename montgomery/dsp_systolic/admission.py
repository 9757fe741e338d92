"""What lets operations and keys into the multiplier, and its results out, as words."""

from amaranth.hdl import Cat, Mux, Signal
from amaranth.lib import wiring

from ..blocks.streams import Narrow, Widen

__all__ = ["admit"]


def admit(m, core, pairs, keys, results, *, begin, known, multiplies, storing, resting):
    """Connect the streams of a core with those of digits; return whether a word of a key is let in.

    Parameters
    ----------
    m : :class:`~amaranth.hdl.Module`
    core : :class:`~.multiplier_component.DspSystolicMultiplier`
    pairs, keys, results : streams
        A digit of x, one of y, and two bits: x, or y, is the result before. Digits of the modulus;
        of results.
    begin, known, multiplies, storing, resting : :class:`~amaranth.hdl.Signal`
        The state of the multiplier: a product begins, and others that it names.
    """
    p, i, k, o = core.params, core.i, core.k, core.o
    digit, ratio, word = p.digit_width, p.ratio, p.word_width
    if ratio > 1:
        m.submodules.narrow = narrow = Narrow(digit * 2 + 2, ratio)
        m.submodules.narrow_key = narrow_key = Narrow(digit, ratio)
        m.submodules.widen = widen = Widen(digit, ratio)
        wiring.connect(m, narrow.o, pairs)
        wiring.connect(m, narrow_key.o, keys)
        wiring.connect(m, results, widen.i)
        pairs, keys, results = narrow.i, narrow_key.i, widen.o
    wiring.connect(m, results, wiring.flipped(o))
    x, y, kept = i.payload[:word], i.payload[word:2 * word], i.payload[2 * word:]
    # The next word of an operation, or of a key, is its first one; an operation may begin.
    first, first_key = Signal(name="first_word", init=1), Signal(name="first_key", init=1)
    open_ = Signal(name="open")
    waiting = Signal(name="waiting")  # an operation has begun, and its product has not
    under_way = Signal(2, name="under_way")  # operations whose results have not been taken
    single = Signal(name="single")  # the first word of the operation is its only one
    accepts, accepts_key, moves, begins, keyed, given, taken = (
        Signal(name=name) for name in ("accepts", "accepts_key", "moves", "begins", "keyed",
                                       "given", "taken"))
    m.d.comb += [
        accepts.eq(~first | open_),
        accepts_key.eq(~first_key | ~((open_ & i.valid) | waiting | multiplies | storing
                                      | resting)),
        pairs.payload.eq(Cat(Cat(x.word_select(index, digit), y.word_select(index, digit), kept)
                             for index in range(ratio))),
        pairs.valid.eq(i.valid & accepts), i.ready.eq(pairs.ready & accepts),
        keys.payload.eq(k.payload), keys.valid.eq(k.valid & accepts_key),
        k.ready.eq(keys.ready & accepts_key),
        single.eq(kept.all()), moves.eq(i.valid & i.ready), begins.eq(moves & first),
        keyed.eq(k.valid & k.ready), given.eq(o.valid & o.ready),
    ]

    def is_last(moved, name):
        """Return whether the word that moves is the last one of a number."""
        place = Signal(range(p.result_words), name=name)
        with m.If(moved):
            m.d.sync += place.eq(Mux(place == p.result_words - 1, 0, place + 1))
        return place == p.result_words - 1

    m.d.comb += taken.eq(given & is_last(given, "of_result"))
    m.d.sync += [
        waiting.eq((waiting & ~begin) | begins),
        open_.eq(~k.valid & known & ~begins & ~waiting
                 & (~under_way.all() & (multiplies | ~storing) if p.schedule.overlaps else
                    ~storing & ~resting & ~under_way[1])),
        under_way.eq(under_way + begins - taken),
    ]
    last = is_last(moves & ~(first & single), "of_operation")
    with m.If(moves):
        m.d.sync += first.eq(last | (first & single))
    last_key = is_last(keyed, "of_key")
    with m.If(keyed):
        m.d.sync += first_key.eq(last_key)
    return keyed
