"""The multiplier: the array, what lets operations and keys in, and what takes its results."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring

from ..blocks.block_ram import BlockRam
from ..blocks.streams import DigitQueue, Narrow, Widen
from ..blocks.values import later, signals
from ..core import Core
from .array import create_array
from .quotient import DigitInverse

__all__ = ["DspSystolicMultiplier", "admit"]


def admit(m, core, pairs, keys, results, *, begin, known, multiplies, storing, resting):
    """Connect the streams of a core with those of digits; return whether a word of a key is let in.

    ``pairs`` takes a digit of x, one of y, and two bits, x or y is the result before; ``keys``
    takes digits of the modulus. The others say the state of the multiplier, ``begin`` that a
    product begins.
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
    accepts, accepts_key, moves, begins, keyed, given, taken = signals(
        "accepts accepts_key moves begins keyed given taken")
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


class DspSystolicMultiplier(Core):
    """The systolic array of Figure 1, with the next operands on their way while it multiplies.

    Each processing element (PE) has one multiplier block, and holds one or more digits of y and of
    the modulus. For each digit of x, a slot of some clocks, the array adds the product of the digit
    and y, adds the multiple of the modulus that makes the lowest digit of the sum 0, and moves the
    sum down by a digit. With k digits per PE a slot takes 2 k clocks with ``quotient=delayed``;
    with ``quotient=plain`` it takes k + 2 clocks up to a k of 2, and else 2 k, or 8 if that is
    more. Counters and flags take the place of the MMC (Algorithm 4).

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
    """

    def elaborate(self, platform):
        m = Module()
        s, digit = self.params.schedule, self.params.digit_width
        m.submodules.array = array = create_array(s)
        m.d.comb += array.keep.eq(1)
        multiplies = Signal(name="multiplies")  # there are digits of x to multiply by
        storing = Signal(name="storing")  # digits of a result are on their way
        idle = Signal(name="idle", init=1)  # a product with a result may begin, or y be given
        known = Signal(name="known")  # there is a key, and the array has all of it
        resting = Signal(name="resting")  # the array is not ready for the next product yet
        m.d.comb += resting.eq(~multiplies & ~idle)

        # -- The array, from product to product.
        pause = Signal(range(s.restart), name="pause")
        with m.If(array.done):
            m.d.sync += pause.eq(s.restart - s.period - s.lead)
        with m.Elif(pause != 0):
            # The next product may have begun.
            m.d.sync += [pause.eq(pause - 1), idle.eq((pause == 1) & ~multiplies)]
        with m.If(array.leaves):
            m.d.sync += multiplies.eq(0)
        with m.If(array.begin):
            m.d.sync += [idle.eq(0), multiplies.eq(1)]

        # -- Operands: to a memory, and y to the array if it is idle. While it multiplies, there is
        # room for those of one operation more.
        pairs = stream.Signature(data.StructLayout({"x": digit, "y": digit, "kept": 2})).flip(
            ).create(path=("pair",))
        m.d.comb += pairs.ready.eq(1)
        pair, valid = pairs.payload, pairs.valid
        first = Signal(name="first_pair", init=1)
        held = Signal(2, name="held", reset_less=True)
        kept = Signal(2, name="kept")
        both = Signal(name="both")  # x is a result
        ready = Signal(name="ready_to_begin")  # all that is sent was received
        # y goes past the memory, since the array was idle when the operation came.
        bypass, bypasses = Signal(name="bypass"), Signal(name="bypasses", reset_less=True)
        reads_x, reads_y = signals("reads_x reads_y")
        stored, skipped = valid & ~kept.all(), valid & kept.all()
        place, is_last = self._counter(m, "written_pair", stored)
        _, is_last_skipped = self._counter(m, "skipped", skipped, self.params.ratio)
        read, is_last_x = self._counter(m, "read", reads_x)
        # A y that can be given while the array multiplies is not stored.
        m.submodules.operands = operands = BlockRam((1 if s.overlaps else 2) * digit,
                                                    2 << len(place))
        last = Signal(name="last_pair")
        direct = Signal(name="direct")  # a digit of y goes to the array
        to, of = signals("to of")  # halves of the memory
        m.d.comb += [
            kept.eq(Mux(first, pair.kept, held)), direct.eq(valid & bypass),
            last.eq(valid & Mux(kept.all(), is_last_skipped, is_last)),
            operands.a.write.eq(stored), operands.a.address.eq(Cat(place, to)),
            operands.a.data.eq(Cat(Mux(kept[0], pair.y, pair.x), pair.y)),
        ]
        with m.If(valid):
            m.d.sync += [first.eq(last), held.eq(kept), bypasses.eq(bypass)]
        with m.If(stored):
            m.d.sync += to.eq(to ^ is_last)
        begins = Signal(name="begins")
        if s.overlaps:
            # One that takes no result follows the last slot of the one before.
            free = ~multiplies | array.leaves
            at_once = valid & is_last & (held == 0) & free  # not the first pair
            m.d.comb += [bypass.eq(kept == 0), begins.eq(ready & Mux(held == 0, free, idle)),
                         array.begin.eq(begins | at_once)]
            m.d.sync += ready.eq((ready & ~begins) | (last & ~at_once))
            with m.If(reads_x & is_last_x):
                m.d.sync += of.eq(of ^ ~both)
        else:
            m.d.comb += [bypass.eq(Mux(first, idle & (kept == 0), bypasses)),
                         begins.eq(idle & ready)]
            m.d.sync += ready.eq((ready & ~begins) | (last & ~bypass))
            with m.If(array.leaves):
                m.d.sync += of.eq(of ^ ~both)
            with m.If(begins & (held == 0)):
                m.d.sync += reads_y.eq(1)
            with m.Elif(is_last_x):
                m.d.sync += reads_y.eq(0)
        with m.If(array.begin):
            m.d.sync += both.eq(begins & held.all())
        gives = later(m, reads_y, BlockRam.LATENCY, "gives", reset_less=False)
        gives_last = later(m, reads_y & is_last_x, BlockRam.LATENCY, "gives_last", reset_less=False)
        # The first digit of x can be read three clocks after it came.
        direct_last = later(m, direct & is_last, int(s.digits < 3), "direct_last",
                            reset_less=False)
        if not s.overlaps:
            m.d.comb += array.begin.eq(direct_last | gives_last | (begins & (held != 0)))

        # -- Streams of words, and the modulus.
        m.submodules.results = results = DigitQueue(digit, (3 if s.overlaps else 2) * s.digits - 1)
        keys = stream.Signature(digit).flip().create(path=("key",))
        m.d.comb += keys.ready.eq(1)
        renew = admit(m, self, pairs, keys, results.o, begin=array.begin, known=known,
                      multiplies=multiplies, storing=storing, resting=resting)
        key, key_to_array, is_last_key = self._take_key(m, array, keys, known, renew)
        m.d.comb += [
            array.operand.digit.eq(Mux(key, keys.payload,
                                       pair.y if s.overlaps else
                                       Mux(gives, operands.b.q[digit:], pair.y))),
            array.operand.load.eq(key_to_array | direct | gives),
            array.operand.is_modulus.eq(key),
            array.operand.last_operand.eq((key & is_last_key) | (direct & is_last) | gives_last),
        ]

        # -- The result: to a queue, and to a memory.
        stores = Signal(name="stores")  # there is a digit of the result
        m.d.comb += stores.eq(array.result.valid & storing)
        written, is_last_stored = self._counter(m, "written", stores)
        m.d.sync += storing.eq((storing & ~(stores & is_last_stored)) | array.leaves)
        m.submodules.memory = memory = BlockRam(digit, s.digits)
        m.d.sync += memory.a.write.eq(stores)
        m.d.comb += [memory.a.data.eq(later(m, array.result.digit, 1, "stored")),
                     memory.a.address.eq(later(m, written, 1, "address"))]
        # A queue for the results of more operations is larger, and may be farther away.
        m.d.comb += ([results.push.eq(memory.a.write), results.data.eq(memory.a.data)]
                     if s.overlaps else
                     [results.push.eq(stores), results.data.eq(array.result.digit)])

        # -- What is read from both memories: y, then x.
        m.d.comb += [
            reads_x.eq(array.advance if s.overlaps else array.takes | reads_y),
            memory.b.address.eq(read), operands.b.address.eq(Cat(read, of)),
            array.last.eq(later(m, is_last_x, int(s.overlaps), "last_x")),
            array.x.eq(Mux(both, memory.b.q, operands.b.q[:digit])),
        ]
        return m

    def _counter(self, m, name, step, depth=None):
        """Return a number that goes round from 0, and whether it is the last one."""
        depth = depth or self.params.schedule.digits
        index = Signal(range(depth), name=name)
        last = Signal(name=f"{name}_last", init=depth == 1)
        if depth > 1:
            with m.If(step):
                m.d.sync += [index.eq(Mux(last, 0, index + 1)), last.eq(index == depth - 2)]
        return index, last

    def _take_key(self, m, array, keys, known, renew):
        """Return whether a digit of the modulus comes, goes to the array, and is the last one."""
        s, key = self.params.schedule, keys.valid
        place, is_last = self._counter(m, "place_key", key)
        is_lowest = key & (place == 0)
        received = Signal(name="received")
        complete = key & is_last
        if self.params.ratio > 1:
            # The first word of the next key may come with the last digit of this one.
            complete &= ~renew
        with m.If(complete):
            m.d.sync += received.eq(1)
        with m.Elif(renew):
            m.d.sync += received.eq(0)
        if s.excess:
            m.d.comb += known.eq(received)
            return key, key, is_last
        # m_0 goes to CU alone.
        lowest = Signal(s.digit_width, name="lowest", reset_less=True)
        with m.If(is_lowest):
            m.d.sync += lowest.eq(keys.payload)
        m.submodules.inverse = inverse = DigitInverse(s.digit_width)
        m.d.comb += [
            inverse.start.eq(is_lowest), inverse.lowest.eq(lowest), array.lowest.eq(lowest),
            array.inverse.eq(inverse.inverse), known.eq(received & inverse.done)]
        return key, key & ~is_lowest, is_last
