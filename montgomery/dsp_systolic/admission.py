"""What lets operations and keys in."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Admission"]


class Admission(wiring.Component):
    """Decides whether the first word of an operation, or of a key, is accepted.

    An operation may begin while the one before it is multiplied, so that two are under way, each of
    which has room for its result; three, if also the result of the one before that may still be on
    its way. A key that is offered goes before operations that have not begun, and waits until the
    products of all others are in the queue for results.

    Latency: an operation may begin in the clock after the one in which there is room for it, and a
    key in the same clock. Throughput: a word per clock.

    Parameters
    ----------
    words, key_words : :class:`int`
        Words of an operation, of which the result has as many, and of a key.
    overlaps : :class:`bool`
        While there is a product, an operation is also accepted if the result of the one before is
        on its way.

    Members
    -------
    operation, key, result : :py:`In(1)`
        A word of an operation, of a key, or of a result moves.
    single : :py:`In(1)`
        The first word of the operation is its only one.
    operation_offered, key_offered : :py:`In(1)`
        A word of an operation, or of a key, is offered.
    known : :py:`In(1)`
        There is a key, and the array has all of it; low from the clock after the first word of
        another one.
    multiplies, storing, resting : :py:`In(1)`
        There are digits of x to multiply by; results of a product are on their way; the array is
        not ready for the next product yet.
    begin : :py:`In(1)`
        A product begins.
    first : :py:`Out(1)`
        The next word of an operation is its first one.
    accepts, accepts_key : :py:`Out(1)`
        A word of an operation or of a key is accepted.
    """

    def __init__(self, words, key_words, overlaps=False):
        self.words, self.key_words, self.overlaps = words, key_words, overlaps
        super().__init__({name: In(1) for name in (
            "operation", "single", "key", "operation_offered", "key_offered", "known", "result",
            "multiplies", "storing", "resting", "begin")}
            | {name: Out(1) for name in ("first", "accepts", "accepts_key")})

    @staticmethod
    def most(overlaps):
        """Return the largest number of operations under way."""
        return 3 if overlaps else 2

    def elaborate(self, platform):
        m = Module()
        waiting = Signal(name="waiting")  # an operation has begun, and its product has not
        open_ = Signal(name="open")
        first = Signal(name="first_word", init=1)
        first_key = Signal(name="first_key", init=1)
        begins = Signal(name="begins")
        under_way = Signal(2, name="under_way")  # operations whose results have not been taken
        taken = Signal(name="taken")
        m.d.comb += [
            self.first.eq(first), begins.eq(self.operation & first),
            self.accepts.eq(~first | open_),
            self.accepts_key.eq(~first_key | ~((open_ & self.operation_offered) | waiting
                                               | self.multiplies | self.storing | self.resting)),
        ]
        m.d.sync += [
            waiting.eq((waiting & ~self.begin) | begins),
            open_.eq(self.known & ~self.key_offered & ~begins & ~waiting & (
                ~under_way.all() & (self.multiplies | ~self.storing) if self.overlaps else
                ~self.storing & ~self.resting & ~under_way[1])),
            under_way.eq(under_way + begins - taken),
        ]

        def count(words, moves, name):
            """Return whether the word that moves is the last one."""
            place = Signal(range(words), name=name)
            with m.If(moves):
                m.d.sync += place.eq(Mux(place == words - 1, 0, place + 1))
            return place == words - 1

        m.d.comb += taken.eq(self.result & count(self.words, self.result, "of_result"))
        left = self.operation & ~(first & self.single)
        last = count(self.words, left, "of_operation")
        with m.If(self.operation):
            m.d.sync += first.eq(last | (first & self.single))
        last_key = count(self.key_words, self.key, "of_key")
        with m.If(self.key):
            m.d.sync += first_key.eq(last_key)
        return m
