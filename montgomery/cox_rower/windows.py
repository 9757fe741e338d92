"""The multiplications of an exponentiation by windows, Figure 3, one after the other."""

import enum

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .exponentiation import WINDOW
from .runner import operation

__all__ = ["NUMBERS", "Place", "Windows"]


class Place(enum.IntEnum):
    """Where a number is.

    The powers of x begin with B mod N, which is x to the power of 0; the next one is x itself.
    Before these are known, digits are in the places of the first ones, instead of residues in base
    a: of N, B mod N, B**2 mod N and x.
    """

    KEY, SQUARE, ONE, POWERS = range(4)
    Y = POWERS + (1 << WINDOW)
    INVERSE = Y - 1


NUMBERS = Place.Y + 1


class Windows(wiring.Component):
    """Says what is done next: steps 2 to 8 of Figure 4, of which step 6 is Figure 3.

    ==========  ==============  ==============  ====================================================
    phase       factors         result          how often
    ==========  ==============  ==============  ====================================================
    convert     POWERS + i      see TARGETS     4, from i = 0 on
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

    Parameters
    ----------
    width : :class:`int`
        Bits r of a residue, and a word of the stream; so many digits as fit are in a word, the
        highest ones first, and the first of them highest.
    words : :class:`int`
        Words of an exponent.

    Members
    -------
    i : :py:`In(stream.Signature(width))`
        The number of digits, and the words of the exponent. What is there in addition is ignored.
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
    TARGETS : tuple of :class:`Place`
        Of the conversions, in turn.
    """

    TARGETS = (Place.KEY, Place.POWERS, Place.SQUARE, Place.Y)

    def __init__(self, width, words):
        self.width, self.words = width, words
        super().__init__({"i": In(stream.Signature(width)), "waits": Out(1, init=1),
                          "next": Out(operation(NUMBERS)), "takes": In(1), "more": Out(1)})

    def elaborate(self, platform):
        m = Module()
        in_word = self.width // WINDOW  # digits
        m.submodules.memory = memory = Memory(shape=in_word * WINDOW, depth=self.words, init=[])
        write, read = memory.write_port(), memory.read_port()

        # -- The exponent: its words wait in the memory, the current one is shifted.
        left = Signal(self.width)  # digits after the current one
        place = Signal(range(self.words + 1))
        uses, loads = Signal(), Signal()  # the current digit; a new word
        taken = self.i.valid & self.i.ready
        m.d.comb += [self.i.ready.eq(self.waits), write.data.eq(self.i.payload),
                     write.addr.eq(place - 1), write.en.eq(taken & (place != 0))]
        m.d.sync += loads.eq(0)
        with m.If(taken):
            m.d.sync += place.eq(place + 1)
            with m.If(place == 0):
                m.d.sync += left.eq(self.i.payload - 1)
            with m.If(place == self.words):
                m.d.sync += [place.eq(0), self.waits.eq(0), loads.eq(1)]
        word, digits = Signal(range(self.words + 1)), Signal(in_word * WINDOW)
        in_this = Signal(range(in_word))
        m.d.comb += read.addr.eq(word)
        fetched = Signal()
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
                 "digits")
        convert, invert, finish, enter, table, square, multiply, leave, to_digits = (
            Signal(name=name, init=name == "convert") for name in names)
        count, y = Signal(range(max(self.width, 1 << WINDOW))), Signal(range(NUMBERS))
        convert_ends = convert & (count == len(self.TARGETS) - 1)
        invert_ends = invert & (count == self.width - 1)
        table_ends = table & (count == (1 << WINDOW) - 2)
        m.d.comb += uses.eq(self.takes & (table_ends | multiply))
        with m.If(self.takes):
            ends = (table_ends & (left == 0)) | (multiply & (left == 1))
            m.d.sync += [
                self.more.eq(convert | invert | finish | leave),
                convert.eq(to_digits | (convert & ~convert_ends)),
                invert.eq(convert_ends | (invert & ~invert_ends)), finish.eq(invert_ends),
                enter.eq(finish),
                table.eq(enter | (table & ~table_ends)),
                square.eq(((table_ends | multiply) & ~ends)
                          | (square & (count != WINDOW - 1))),
                multiply.eq(square & (count == WINDOW - 1)), leave.eq(ends),
                to_digits.eq(leave),
                count.eq(Mux(enter, 1, Mux(convert_ends | table_ends | multiply | to_digits, 0,
                                           count + 1))),
                y.eq(Mux(table, power, Place.Y)),
            ]
            with m.If(multiply):
                m.d.sync += left.eq(left - 1)
            with m.If(to_digits):
                m.d.sync += self.waits.eq(1)
        next_, base = self.next, Place.POWERS
        with m.If(convert):
            m.d.comb += [next_.x.eq(base + count), next_.last.eq(convert_ends),
                         next_.target.eq(Array(self.TARGETS)[count[:2]]), next_.program.eq(1)]
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
        with m.Elif(to_digits):
            m.d.comb += [next_.x.eq(Place.Y), next_.last.eq(1), next_.program.eq(2)]
        with m.Else():
            m.d.comb += [next_.x.eq(y), next_.y.eq(Mux(leave, Place.ONE, y)),
                         next_.target.eq(Place.Y), next_.last.eq(leave)]
        return m
