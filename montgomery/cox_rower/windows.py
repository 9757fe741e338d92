"""The multiplications of an exponentiation by windows, Figure 3, one after the other."""

import enum

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.memory_ports import read_port, write_port
from .exponentiation import WINDOW
from .runner import operation

__all__ = ["NUMBERS", "NUMBERS_CRT", "Place", "Windows"]


class Place(enum.IntEnum):
    """Where a number is.

    The powers of x begin with B mod N, which is x to the power of 0; the next one is x itself.
    Before these are known, digits are in the places of the first ones, instead of residues in base
    a: of N, B mod N, B**2 mod N, with CRT the inverse of the other factor, and x.

    With CRT there are also p and q, the inverse of the one that is not N, and t_p and then u_p.
    """

    KEY, SQUARE, ONE, POWERS = range(4)
    Y = POWERS + (1 << WINDOW)
    INVERSE = Y - 1
    P, Q, OTHER, T = range(Y + 1, Y + 5)


NUMBERS, NUMBERS_CRT = Place.Y + 1, Place.T + 1


class Windows(wiring.Component):
    """Says what is done next: steps 2 to 8 of Figure 4, or 4 to 11 of Figure 5, with Figure 3.

    ==========  ==============  ==============  ====================================================
    phase       factors         result          how often
    ==========  ==============  ==============  ====================================================
    convert     POWERS + i      see CONVERSIONS as often as there are some
    invert      z, z            INVERSE         1 for each bit of a word
    finish      INVERSE         KEY             1
    enter       Y, SQUARE       POWERS + 1      1
    table       POWERS + i, 1   POWERS + i + 1  14, from i = 1 on
    square      y, y            Y               4 for each digit of the exponent but the first
    multiply    Y, POWERS + d   Y               1 for each digit d but the first
    leave       y, ONE          Y               1
    digits      Y               none            1
    ==========  ==============  ==============  ====================================================

    Here z is INVERSE, but at first ONE, and y is Y, but at first the power that the first digit
    asks for. Nothing but which numbers are read depends on a digit.

    With CRT, all but the last phase is done for p and then for q; the factor of ``leave`` is OTHER,
    and its result for p is T. Then come the products T by Q, to T, and Y by P, to Y, and the digits
    are those of T + Y.

    Parameters
    ----------
    width : :class:`int`
        Bits r of a residue, and a word of the stream; so many digits as fit are in a word, the
        highest ones first, and the first of them highest.
    words : :class:`int`
        Words of an exponent.
    crt : bool
        There are two exponents, of as many digits, one for p and one for q.

    Members
    -------
    i : :py:`In(stream.Signature(width))`
        The number of digits, and the words of each exponent. What is there in addition is ignored.
    waits : :py:`Out(1)`
        These have not all come. Then, and only then, something is taken from ``i``.
    next : :py:`Out(operation(NUMBERS))`
        What is multiplied.
    takes : :py:`In(1)`
        The next one, please.
    more : :py:`Out(1)`
        After the run that what has been taken is of, there is another one.

    Attributes
    ----------
    CONVERSIONS, CONVERSIONS_CRT : tuple of tuple of :class:`int` and :class:`Place`
        In turn: of which POWERS, and to what. In the place of P, q goes to Q.
    """

    CONVERSIONS = (0, Place.KEY), (1, Place.POWERS), (2, Place.SQUARE), (3, Place.Y)
    CONVERSIONS_CRT = ((0, Place.KEY), (0, Place.P), (1, Place.POWERS), (2, Place.SQUARE),
                       (3, Place.OTHER), (4, Place.Y))

    def __init__(self, width, words, *, crt=False):
        self.width, self.words, self.crt = width, words, crt
        super().__init__({"i": In(stream.Signature(width)), "waits": Out(1, init=1),
                          "next": Out(operation(NUMBERS_CRT if crt else NUMBERS, 5 + crt)),
                          "takes": In(1), "more": Out(1)})

    def elaborate(self, platform):
        m = Module()
        in_word = self.width // WINDOW  # digits
        words = (1 + self.crt) * self.words
        m.submodules.memory = memory = Memory(shape=in_word * WINDOW, depth=words, init=[])
        write, read = write_port(memory, "$signature"), read_port(memory, "read")

        # -- The exponent: its words wait in the memory, the current one is shifted.
        length = Signal(self.width, name="$signal")
        left = Signal(self.width, name="left")  # digits after the current one
        place = Signal(range(words + 1), name="place")
        uses, loads = Signal(name="$signal"), Signal(name="loads")  # the current digit; a new word
        taken = self.i.valid & self.i.ready
        m.d.comb += [self.i.ready.eq(self.waits), write.data.eq(self.i.payload),
                     write.addr.eq(place - 1), write.en.eq(taken & (place != 0))]
        m.d.sync += loads.eq(0)
        with m.If(taken):
            m.d.sync += place.eq(place + 1)
            with m.If(place == 0):
                m.d.sync += [length.eq(self.i.payload - 1), left.eq(self.i.payload - 1)]
            with m.If(place == words):
                m.d.sync += [place.eq(0), self.waits.eq(0), loads.eq(1)]
        word = Signal(range(words + 1), name="$signal")
        digits = Signal(in_word * WINDOW, name="digits")
        in_this = Signal(range(in_word), name="in_this")
        m.d.comb += read.addr.eq(word)
        fetched = Signal(name="fetched")
        m.d.sync += fetched.eq(loads)
        with m.If(self.waits):
            m.d.sync += word.eq(0)
        with m.Elif(fetched | (uses & (in_this == 0))):
            m.d.sync += [digits.eq(read.data), in_this.eq(in_word - 1), word.eq(word + 1)]
        with m.Elif(uses):
            m.d.sync += [digits.eq(digits << WINDOW), in_this.eq(in_this - 1)]
        power = Place.POWERS + digits[-WINDOW:]

        # -- The phases.
        names = ("convert", "invert", "finish", "enter", "table", "square", "multiply", "leave",
                 "product", "digits")
        convert, invert, finish, enter, table, square, multiply, leave, product, to_digits = (
            Signal(name=name, init=name == "convert") for name in names)
        count = Signal(range(max(self.width, 1 << WINDOW)), name="$signal")
        y = Signal(range(NUMBERS), name="y")
        is_q = Signal(name="is_q", init=not self.crt)  # or the only one
        conversions = self.CONVERSIONS_CRT if self.crt else self.CONVERSIONS
        convert_ends = convert & (count == len(conversions) - 1)
        product_ends = product & (count == 1)
        invert_ends = invert & (count == self.width - 1)
        table_ends = table & (count == (1 << WINDOW) - 2)
        m.d.comb += uses.eq(self.takes & (table_ends | multiply))
        with m.If(self.takes):
            ends = (table_ends & (left == 0)) | (multiply & (left == 1))
            m.d.sync += [
                self.more.eq(convert | invert | finish | (leave & is_q) | product),
                convert.eq(to_digits | (leave & ~is_q) | (convert & ~convert_ends)),
                invert.eq(convert_ends | (invert & ~invert_ends)), finish.eq(invert_ends),
                enter.eq(finish),
                table.eq(enter | (table & ~table_ends)),
                square.eq(((table_ends | multiply) & ~ends)
                          | (square & (count != WINDOW - 1))),
                multiply.eq(square & (count == WINDOW - 1)), leave.eq(ends),
                product.eq((leave & is_q & self.crt) | (product & ~product_ends)),
                to_digits.eq(product_ends if self.crt else leave),
                count.eq(Mux(enter, 1, Mux(convert_ends | table_ends | multiply | leave | to_digits,
                                           0, count + 1))),
                y.eq(Mux(table, power, Place.Y)),
            ]
            with m.If(multiply):
                m.d.sync += left.eq(left - 1)
            with m.If(to_digits):
                m.d.sync += self.waits.eq(1)
            if self.crt:
                with m.If(leave & ~is_q):
                    m.d.sync += [left.eq(length), word.eq(self.words), loads.eq(1)]
                with m.If(leave | to_digits):
                    m.d.sync += is_q.eq(leave)
        next_, base = self.next, Place.POWERS
        with m.If(convert):
            digits_of, targets = zip(*conversions, strict=True)
            is_factor = Array(target == Place.P for target in targets)[count[:3]]
            m.d.comb += [next_.x.eq(base + Array(digits_of)[count[:3]]),
                         next_.target.eq(Array(targets)[count[:3]] + (is_factor & is_q)),
                         next_.last.eq(convert_ends), next_.program.eq(1)]
        with m.Elif(invert):
            z = Mux(count == 0, Place.ONE, Place.INVERSE)
            m.d.comb += [next_.x.eq(z), next_.y.eq(z), next_.target.eq(Place.INVERSE),
                         next_.last.eq(invert_ends), next_.program.eq(3)]
        with m.Elif(finish):
            m.d.comb += [next_.x.eq(Place.INVERSE), next_.last.eq(1), next_.program.eq(4)]
        with m.Elif(enter):
            m.d.comb += [next_.x.eq(Place.Y), next_.y.eq(Place.SQUARE), next_.target.eq(base + 1)]
        with m.Elif(table):
            m.d.comb += [next_.x.eq(base + count), next_.y.eq(base + 1),
                         next_.target.eq(base + 1 + count)]
        with m.Elif(multiply):
            m.d.comb += [next_.x.eq(Place.Y), next_.y.eq(power), next_.target.eq(Place.Y)]
        with m.Elif(product):
            first = count == 0
            m.d.comb += [next_.x.eq(Mux(first, Place.T, Place.Y)),
                         next_.y.eq(Mux(first, Place.Q, Place.P)), next_.target.eq(next_.x),
                         next_.last.eq(product_ends), next_.program.eq(5)]
        with m.Elif(to_digits):
            m.d.comb += [next_.x.eq(Place.Y), next_.y.eq(Place.T if self.crt else Place.Y),
                         next_.last.eq(1), next_.program.eq(2)]
        with m.Else():
            last_factor = Place.OTHER if self.crt else Place.ONE
            m.d.comb += [next_.x.eq(y), next_.y.eq(Mux(leave, last_factor, y)),
                         next_.target.eq(Mux(leave & ~is_q, Place.T, Place.Y)),
                         next_.last.eq(leave)]
        return m
