"""The hardware of the exponentiator, by its states:

==========  ==================  ================================================================
state       product             then
==========  ==================  ================================================================
load        none                when the base is there
enter       R**2 base           table entry 1; ``digit`` counts on
grow        entry 1, last one   table entry ``digit``, up to the last one
one         1 R**2              table entry 0, which is the first power
scan        none                the next bit of the exponent: seek, fetch, square, or leave
seek        none                it is above the 1 that marks the beginning
fetch       none                the next digit of the exponent is on its way
square      power power         its bit is moved into ``digit``; every ``window`` bits, and
                                after the last bit, multiply
multiply    power, entry        of the entry ``digit``
leave       1 power             at most the modulus
compare     none                if it equals the modulus, the result is 0
==========  ==================  ================================================================
"""

from amaranth.hdl import C, Cat, Mux, Signal, Value

from ..blocks.carry_save import gate
from ..blocks.program import OneHot
from ..blocks.values import signals
from ..core import ceil_div
from .processor import MODULUS, Processor
from .single_dsp_core import SingleDspCore

__all__ = ["Exponentiator", "part_width"]

# Parts of the memory, in the order in which they are sent; -1/M is the last digit of part 0. The
# power and the product that follows take turns in the part where the base was, and in the next one.
# The table is at the end.
_SQUARE_OF_R, _EXPONENT, _BASE = range(MODULUS + 1, 5)


def part_width(window):
    """Return the bits of the number of a part, for windows of so many bits."""
    return (_BASE + 1 + (1 << window)).bit_length()


class Exponentiator(SingleDspCore):
    """Algorithm 2 with windows: all numbers in one block RAM, and one multiplier block for all
    products of digits.

    The memory has parts of equal size for the key, which stays: the modulus, R**2 modulo it, and
    the exponent. The highest digits of a longer exponent lie before -1/M, and are looked at if one
    is not 0. Two parts hold the power and the product that follows it, in turns, so that no number
    is ever moved. The others are the table, which is made anew for each base: entry n is R times
    the n-th power of the base. The paper's eight parts (Figure 5) are those of windows of one bit.

    That the last product equals the modulus happens only if the modulus has a square factor. An
    exponent that is sent without a one above its highest bit, so that all its words are 0, is taken
    for 0.

    Words of another key are taken while the result is sent, and words of another base after that.

    Latency: a product of 2 d**2 + 6 d + 4 clocks for each bit of an exponent and for each window,
    with d digits in a number and four or more of them; beside these, the table and the fetching of
    digits. Throughput: one exponentiation at a time.
    """

    #: Clocks between two products.
    PRODUCT = Processor.GAP + 1
    #: Clocks for each digit of the exponent; there is one more for each bit, and another one for
    #: those down to the one above the highest bit.
    FETCH = 2 + Processor.LATENCY
    #: Clocks that are left, whatever is computed.
    OVERHEAD = 15

    def __init__(self, params):
        super().__init__(params, index_width=params.index_width,
                         part_width=part_width(params.window_bits),
                         key_numbers=3, numbers=1, lead=params.high_digits)

    def control(self, m):
        processor, loader, sender = self.processor, self.loader, self.sender
        width, window = self.params.word_width, self.params.window_bits
        parts = len(processor.part)
        table = (1 << parts) - (1 << window)
        now = OneHot("load", "enter", "grow", "one", "scan", "seek", "fetch", "square", "multiply",
                     "leave", "compare")
        ends = Signal(name="ends")  # the power was compared with the modulus
        of_power = Signal()  # it is a digit of the power that is asked for
        sending = Signal()

        def only(condition, part):
            """Return the part if the condition holds, else 0."""
            return gate(condition, Value.cast(part))

        # -- The digit that is read between products.
        part = Signal(parts, reset_less=True)
        index = Signal.like(processor.index, name="index", reset_less=True)
        # Both are of the clock before: ``index`` stays for two clocks or more.
        following = Signal.like(index, name="following", reset_less=True)
        is_lowest = Signal(reset_less=True)
        high = Signal(name="high", reset_less=True)  # it is of the highest digits of the exponent
        lowest = Mux(high, C(-1 - self.params.high_digits, len(index)), 0)
        m.d.sync += [following.eq(index + Mux(now["compare"] | sending, 1, -1)),
                     is_lowest.eq(index == lowest)]
        # That was asked for; then it is there, and with a clock more in the register ``before``.
        asks, arrived = signals("asks arrived")
        coming = Signal(Processor.LATENCY)
        m.d.sync += [coming.eq(Cat(asks, coming)), arrived.eq(coming[-1])]

        # -- Parts of a product. They follow the state by a clock, as the product follows ``begin``.
        x, y, s, power = signals("x y s power", parts, reset_less=True)
        digit = Signal(window, reset_less=True)  # of the exponent
        entry = Cat(digit, C(table >> window, parts - window))
        x_is_1 = Signal(reset_less=True)
        enters = now["enter"] | now["grow"] | now["one"]
        m.d.sync += [
            x_is_1.eq(now["one"] | now["leave"]),
            x.eq(only(~now["enter"], power) | only(now["enter"], _SQUARE_OF_R)),
            y.eq(only(now["square"] | now["leave"], power) | only(now["multiply"], entry)
                 | only(now["enter"], _BASE) | only(now["grow"], table + 1)
                 | only(now["one"], _SQUARE_OF_R)),
            s.eq(only(enters, entry) | only(~enters, _BASE | ~power[0])),
        ]
        # The digits of a product are in the memory when they are asked for.
        done = Signal(Processor.GAP)
        finish = done[-1]
        m.d.sync += [done.eq(Cat(processor.done, done)), sender.start.eq(ends),
                     sending.eq(ends | (sending & ~sender.sent))]
        with m.If(finish):
            m.d.sync += power.eq(s)
        m.d.comb += [
            processor.x.eq(x), processor.y.eq(y), processor.s.eq(s), processor.x_is_1.eq(x_is_1),
            loader.free.eq(~sending), loader.done.eq(ends),
            sender.zero.eq(self._equal(m, now, arrived, ends)),
        ]

        # -- The bits of the exponent, from the highest: how many follow the first one, -1 if there
        # is none; that no others are to be fetched; that the one above the highest bit was seen.
        exponent = Signal(width, reset_less=True)
        left = Signal(range(-1, width), reset_less=True)
        moves, exhausted, found = signals("moves exhausted found", reset_less=True)
        less = Signal.like(left, name="less", reset_less=True)  # it stays for two clocks or more
        empty = left[-1]
        bit = exponent[-1]
        # Bits that ``digit`` has got, one-hot; with all of them it is multiplied by its entry.
        got = Signal(window, reset_less=True)
        multiplies = got[-1] & (bit | C(self.params.method == "always", 1))
        # After the product comes another one at once, or the next bit.
        chained = Signal(reset_less=True)
        fetched = Signal(reset_less=True)  # a digit of it, in the clock before
        m.d.sync += [
            chained.eq(now["enter"] | now["grow"] | (now["square"] & multiplies)),
            processor.begin.eq((now["load"] & loader.loaded) | (finish & chained)
                               | (now["scan"] & Mux(empty, exhausted, found))),
            moves.eq((now["scan"] & Mux(empty, ~exhausted, ~found))
                     | (done[-2] & now["square"]) | (now["fetch"] & ~arrived)),
            fetched.eq(now["fetch"] & arrived), less.eq(left - 1),
        ]
        with m.If(moves):
            m.d.sync += [exponent.eq(Mux(now["fetch"], processor.q, Cat(bit, exponent))),
                         left.eq(Mux(now["fetch"], width - 1, less))]
        m.d.sync += of_power.eq(now["compare"] & ~of_power)
        m.d.comb += asks.eq((now["scan"] & empty & ~exhausted) | (now["compare"] & of_power))
        m.d.sync += [
            found.eq(~now["load"] & (found | (now["seek"] & bit))),
            exhausted.eq(~now["load"] & (exhausted | (now["fetch"] & arrived & is_lowest & ~high))),
        ]
        with m.If(now["load"]):
            m.d.sync += left.eq(-1)
        with m.If(finish):
            m.d.sync += digit.eq(Mux(now["square"], Cat(bit, digit), digit + 1))
            with m.If(now["square"]):
                m.d.sync += got.eq(got.rotate_left(1))
        with m.If(finish & (now["one"] | now["multiply"])):
            m.d.sync += [digit.eq(0), got.eq(1)]
        with m.If(now["load"]):
            m.d.sync += [digit.eq(1), got.eq(1)]

        # -- The states.
        full = finish & digit.all()  # this was the last entry but one
        now.follow(m, [
            ("load", "enter", loader.loaded),
            ("enter", "grow", finish & ~full),
            ("enter", "one", full),
            ("grow", "one", full),
            ("one", "scan", finish),
            ("scan", "seek", ~empty & ~found),
            ("scan", "square", ~empty & found),
            ("scan", "fetch", empty & ~exhausted),
            ("scan", "multiply", empty & exhausted & ~got[0]),
            ("scan", "leave", empty & exhausted & got[0]),
            ("seek", "scan", 1),
            ("fetch", "scan", arrived),
            ("square", "multiply", finish & multiplies),
            ("square", "scan", finish & ~multiplies),
            ("multiply", "scan", finish),
            ("leave", "compare", finish),
            ("compare", "load", ends),
        ])

        # -- Parts and indices of what is asked for.
        of_modulus = (now["compare"] & of_power) | now["leave"]
        of_exponent = ~(now["compare"] | now["leave"] | sending)
        m.d.sync += part.eq(only(of_modulus, MODULUS) | only(of_exponent & ~high, _EXPONENT)
                            | only(~(of_modulus | of_exponent), power))
        with m.If(fetched | of_power | sender.advance):
            m.d.sync += index.eq(following)
        with m.If(now["leave"] | ends):
            m.d.sync += index.eq(0)
        low = fetched & is_lowest  # if it is one of the highest digits
        with m.If(loader.loaded | (high & low)):
            m.d.sync += index.eq(Mux(loader.loaded & loader.lead_any, -2, loader.last))
        m.d.sync += high.eq(Mux(loader.loaded, loader.lead_any, high & ~low))
        return part, index

    def _equal(self, m, now, arrived, ends):
        """Return whether the power equals the modulus, two clocks after ``ends``, assigned here."""
        q, of_modulus = self.processor.q, Signal()
        before = Signal.like(q, name="before", reset_less=True)
        differs = Signal(ceil_div(len(q) - 1, 2), name="differs", reset_less=True)
        compares, differ, equal = signals("compares differ equal", reset_less=True)
        m.d.comb += of_modulus.eq(now["compare"] & arrived)
        m.d.sync += [
            before.eq(q), differ.eq(differs.any()), compares.eq(of_modulus),
            ends.eq(of_modulus & before[-1]),
            equal.eq(now["leave"] | (equal & ~(compares & differ))),
            *(two.eq(q[2 * pair:2 * pair + 2] != before[2 * pair:2 * pair + 2])
              for pair, two in enumerate(differs)),
        ]
        return equal
