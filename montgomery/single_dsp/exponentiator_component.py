"""The hardware of the exponentiator."""

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring

from ..blocks.carry_save import gate
from ..core import Signature, ceil_div
from .front import Front
from .multiplier_component import index_width
from .processor import Processor
from .resets import Resets

__all__ = ["Exponentiator"]

# Parts of the memory, in the order in which they are sent; -1/M is the last digit of part 0. C and
# the product that follows take turns in the part where the base was, and in another one.
_MODULUS, _SQUARE_OF_R, _BASE, _EXPONENT, _P = range(1, 6)
_OTHER = _BASE | 4


class Exponentiator(wiring.Component):
    """Algorithm 2: square and multiply with all numbers in one block RAM, and one multiplier block
    for all products of digits.

    The memory has eight parts, as in Figure 5, of which two are free but for -1/m in one of them.
    No number is ever moved: one bit tells in which of two parts the power is.

    The last product is by 1, and at most the modulus. A product that equals the modulus becomes 0.
    That happens only if the modulus has a square factor. An exponent that is sent without a one
    above its highest bit, so that all its words are 0, is taken for 0.

    The first word tells how many words each number has, so that shorter numbers take less time.
    Bits of it for which the memory has no room are ignored. A word is taken every second clock, and
    a word of the result comes every fifth clock.

    Parameters
    ----------
    params : :class:`~montgomery.single_dsp.exponentiator.Parameters`
    reset : :class:`~amaranth.hdl.Signal` or None
        Of :class:`~montgomery.single_dsp.resets.Resets`.

    Attributes
    ----------
    front : :class:`~montgomery.single_dsp.front.Front`
    waits : :class:`~amaranth.hdl.Signal`
        There is a result, or nothing to do.
    PRODUCT : :class:`int`
        Clocks between two products.
    FETCH : :class:`int`
        Clocks for each digit of the exponent; there is one more for each bit, and another one for
        those down to the one above the highest bit.
    OVERHEAD : :class:`int`
        Clocks that are left, whatever is computed.

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    PRODUCT = Processor.GAP + 1
    FETCH = 2 + Processor.LATENCY
    OVERHEAD = 15

    def __init__(self, params, reset=None):
        self.params, self._reset = params, reset
        self._shape = {"width": params.word_width, "part_width": 3, "modulus": _MODULUS,
                       "index_width": index_width(params.result_words), "reset": reset}
        self.front = Front(**self._shape, final=_EXPONENT)
        self.waits = Signal(name="waits")
        super().__init__(Signature(params.word_width))

    def elaborate(self, platform):
        m = Module()
        resets = Resets(m, self._reset)
        width = self.params.word_width
        m.submodules.processor = processor = Processor(**self._shape)
        m.submodules.front = front = self.front
        wiring.connect(m, wiring.flipped(self.i), front.i)
        wiring.connect(m, front.o, wiring.flipped(self.o))

        names = ("load", "enter_c", "enter_p", "scan", "seek", "fetch", "square", "multiply",
                 "leave", "compare")
        now = {name: resets.register(name=name, init=name == "load") for name in names}
        m.d.comb += self.waits.eq(now["load"])
        # C is in the other part than the base was.
        in_other = Signal(name="in_other", reset_less=True)
        ends = resets.register(name="ends")  # the last digits were compared
        of_c = resets.register(name="of_c")  # it is a digit of C that is asked for, to be compared
        c, not_c = Cat(C(_BASE, 2), in_other), Cat(C(_BASE, 2), ~in_other)

        def only(condition, part):
            """Return the part if the condition holds, else 0."""
            return gate(condition, Value.cast(part))

        # What is asked for, but while words are loaded or sent, and in products.
        part = Signal(3, name="$signal", reset_less=True)
        index = Signal(processor.index_width, name="index", reset_less=True)
        # It stays for two clocks or more, and these are those of the clock before.
        following = Signal.like(index, name="$like", reset_less=True)
        is_lowest = Signal(name="is_lowest", reset_less=True)
        m.d.sync += [following.eq(index + Mux(now["compare"], 1, -1)), is_lowest.eq(index == 0)]
        # That was asked for; then it is there, and with a clock more in the register ``before``.
        asks, arrived = Signal(name="$signal"), resets.register(name="arrived")
        coming = resets.register(Processor.LATENCY, name="coming")
        m.d.sync += [coming.eq(Cat(asks, coming)), arrived.eq(coming[-1])]
        # Parts of a product follow the state by a clock, as the product follows ``begin``.
        x, y, s = (Signal(3, name=name, reset_less=True) for name in ("x", "y", "s"))
        begin, x_is_1 = resets.register(name="begin"), Signal(name="x_is_1", reset_less=True)
        # The digits of a product are in the memory when the next one, or a comparison, asks for
        # them; until then there is time for decisions.
        done = resets.register(Processor.GAP, name="done")
        send, = resets.behind(front.send)
        m.d.sync += [
            x_is_1.eq(now["enter_c"] | now["leave"]),
            x.eq(only(~now["enter_p"], c) | only(now["enter_p"], _SQUARE_OF_R)),
            y.eq(only(~(now["enter_c"] | now["enter_p"] | now["multiply"]), c)
                 | only(now["enter_c"], _SQUARE_OF_R) | only(now["enter_p"], _BASE)
                 | only(now["multiply"], _P)),
            s.eq(only(~(now["enter_c"] | now["enter_p"]), not_c) | only(now["enter_c"], _OTHER)
                 | only(now["enter_p"], _P)),
            done.eq(Cat(processor.done, done)), send.eq(ends),
        ]
        m.d.comb += [
            processor.last.eq(front.last), processor.begin.eq(begin), processor.x.eq(x),
            processor.y.eq(y), processor.s.eq(s), processor.x_is_1.eq(x_is_1),
            processor.part.eq(Mux(now["load"], front.part, part)),
            processor.index.eq(Mux(now["load"], front.index, index)),
            processor.write.eq(front.write), processor.data.eq(front.data),
            front.q.eq(processor.q), front.source.eq(c),
        ]

        # -- The bits of the exponent, from the highest. How many follow the first one, -1 if that
        # is none either; that there are no others to fetch; and that the one above the highest bit
        # was seen: all of it is set while words are loaded.
        exponent = Signal(width, name="$signal", reset_less=True)
        left = Signal(range(-1, width), name="left", reset_less=True)
        moves, exhausted, found = (Signal(name=name, reset_less=True)
                                   for name in ("moves", "exhausted", "found"))
        empty = left[-1]
        bit = exponent[-1]
        multiplies = bit | C(self.params.method == "always", 1)
        # After the product comes another one at once; or the next bit, if only the first one.
        another, returns = (Signal(name=name, reset_less=True) for name in ("another", "returns"))
        fetched = Signal(name="fetched", reset_less=True)  # a digit of it, in the clock before
        m.d.sync += [
            another.eq(now["enter_c"] | (now["square"] & multiplies)),
            returns.eq(now["enter_p"] | now["multiply"] | (now["square"] & ~multiplies)),
            begin.eq((now["load"] & front.loaded) | (done[-1] & another)
                     | (now["scan"] & Mux(empty, exhausted, found))),
            moves.eq((now["scan"] & Mux(empty, ~exhausted, ~found))
                     | (done[-2] & returns) | (now["fetch"] & ~arrived)),
            fetched.eq(now["fetch"] & arrived),
        ]
        with m.If(moves):
            m.d.sync += [exponent.eq(Mux(now["fetch"], processor.q, Cat(bit, exponent))),
                         left.eq(Mux(now["fetch"], width - 1, left - 1))]
        m.d.comb += asks.eq((now["scan"] & empty & ~exhausted) | (now["compare"] & of_c))
        m.d.sync += [
            found.eq(~now["load"] & (found | (now["seek"] & bit))),
            exhausted.eq(~now["load"] & (exhausted | (now["fetch"] & arrived & is_lowest))),
        ]
        with m.If(now["load"]):
            m.d.sync += left.eq(-1)

        # -- The states.
        finish = done[-1]
        m.d.sync += [
            now["load"].eq(ends | (now["load"] & ~front.loaded)),
            now["enter_c"].eq((now["load"] & front.loaded) | (now["enter_c"] & ~finish)),
            now["enter_p"].eq((now["enter_c"] & finish) | (now["enter_p"] & ~finish)),
            now["scan"].eq(now["seek"] | (now["fetch"] & arrived) | (returns & finish)),
            now["seek"].eq(now["scan"] & ~empty & ~found),
            now["fetch"].eq((now["scan"] & empty & ~exhausted) | (now["fetch"] & ~arrived)),
            now["square"].eq((now["scan"] & ~empty & found) | (now["square"] & ~finish)),
            now["multiply"].eq((now["square"] & multiplies & finish)
                               | (now["multiply"] & ~finish)),
            now["leave"].eq((now["scan"] & empty & exhausted) | (now["leave"] & ~finish)),
            now["compare"].eq((now["leave"] & finish) | (now["compare"] & ~ends)),
            # The base is where C is not at first.
            in_other.eq((now["load"] & front.loaded) | (in_other ^ (finish & (
                now["square"] | now["leave"] | (now["multiply"] & bit))))),
        ]

        # -- Parts and indices of what is asked for.
        m.d.sync += part.eq(only(now["compare"] & ~of_c, c)
                            | only((now["compare"] & of_c) | now["leave"], _MODULUS)
                            | only(~now["compare"] & ~now["leave"], _EXPONENT))
        with m.If(now["load"]):
            m.d.sync += index.eq(front.last)
        with m.Elif(fetched | of_c):
            m.d.sync += index.eq(following)
        with m.If(now["leave"]):
            m.d.sync += index.eq(0)

        # -- Digits of the modulus and of C in turns, to be compared.
        before = Signal(width + 1, name="before", reset_less=True)
        differs = Signal(ceil_div(width, 2), name="differs", reset_less=True)  # in two bits each
        compares, differ, is_0 = (Signal(name=name, reset_less=True)
                                  for name in ("compares", "differ", "is_0"))
        m.d.comb += front.is_0.eq(is_0)
        m.d.sync += before.eq(processor.q)
        m.d.sync += [bit.eq(processor.q[2 * pair:2 * pair + 2] != before[2 * pair:2 * pair + 2])
                     for pair, bit in enumerate(differs)]
        m.d.sync += [differ.eq(differs.any()), compares.eq(now["compare"] & arrived),
                     ends.eq(now["compare"] & arrived & before[-1]),
                     of_c.eq(now["compare"] & ~of_c)]
        m.d.sync += is_0.eq(now["leave"] | (is_0 & ~(compares & differ)))
        resets.close()
        return m
