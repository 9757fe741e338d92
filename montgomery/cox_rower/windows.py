"""What is multiplied one after the other: the key, and exponentiation by windows, Figure 3."""

import dataclasses

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.memory_ports import read_port, write_port
from .runner import operation

__all__ = ["Places", "Windows"]


@dataclasses.dataclass(frozen=True)
class Places:
    """Numbers of the numbers in the Rowers' memories.

    ==============  ================================================================================
    name            what is there
    ==============  ================================================================================
    ``key``         the constants of a factor N
    ``square``      what brings a number into Montgomery's form: B**2 mod N; with CRT B**3 mod N
    ``unit``        1
    ``powers``      powers of x; the first of them is that to the power of 0, with CRT the message
    ``y``           the power that is computed
    ``inverse``     N**-1, while the key is prepared: the last one of the powers
    ``factor``      with CRT: N itself
    ``other``       with CRT: the inverse of the other factor
    ``one``         B mod N, which is x to the power of 0; without CRT, the first one of the powers
    ``t``           with CRT: the result for the other factor
    ==============  ================================================================================

    With CRT, ``key``, ``square``, ``factor``, ``other`` and ``one`` are the places of those of p,
    and those of q are in the next ones.

    Digits are loaded in place of residues in base a, with CRT of a message also in base b. Those of
    a key are in ``unit`` and behind it: 1; N, B mod N, B**2 mod N, and with CRT the inverse of the
    other factor. Those of a message are in ``digits``.

    Parameters
    ----------
    window : :class:`int`
        Bits of a digit of the exponent.
    crt : bool
    """

    window: int
    crt: bool

    def __post_init__(self):
        names = ["key", "square", "unit", "powers", "y", "factor", "other", "one", "t"]
        if not self.crt:
            names = names[:names.index("factor")]
        start = 0
        for name in names:
            object.__setattr__(self, name, start)
            # Four have room for what is loaded.
            start += (max(1 << self.window, 4) if name == "powers" else
                      1 + (self.crt and name in ("key", "square", "factor", "other", "one")))
        object.__setattr__(self, "count", start)
        object.__setattr__(self, "inverse", self.y - 1)
        object.__setattr__(self, "digits", self.powers + 1)
        if not self.crt:
            object.__setattr__(self, "one", self.powers)

    @property
    def loaded(self):
        """Numbers that are loaded for each factor."""
        return 4 + self.crt

    @property
    def conversions(self):
        """Pairs of places: digits that are converted for each factor, and what becomes of them."""
        found = [(self.powers, self.key), (self.powers + 1, self.one),
                 (self.powers + 2, self.square)]
        if self.crt:
            found += [(self.powers, self.factor), (self.powers + 3, self.other)]
        return found


class Windows(wiring.Component):
    """Says what is done next: steps 2 to 8 of Figure 4, or 4 to 11 of Figure 5, with Figure 3.

    ==========  ==============  ============  ======================================================
    phase       factors         result        how often
    ==========  ==============  ============  ======================================================
    convert     digits          see Places    as often as there are conversions
    invert      z, z            inverse       1 for each bit of a word
    finish      inverse         key           1
    cube        square, square  square        1, with CRT
    message     digits          y, or powers  1
    reduce      powers, unit    y             1, with CRT
    enter       y, square       powers + 1    1
    table       powers + i, x   powers + i+1  2**window - 2, from i = 1 on; x is powers + 1
    square      y, y            y             ``window`` for each digit of an exponent but the first
    multiply    y, powers + d   y             1 for each digit d but the first
    leave       y, unit         y             1; with CRT the factor is ``other``
    product     t, q and y, p   t and y       2, with CRT
    digits      y               to digits     1; with CRT of t + y
    ==========  ==============  ============  ======================================================

    Here z is ``inverse``, but at first ``unit``; and y is the power that the first digit asks for,
    until there is another one. Nothing but which numbers are read depends on a digit.

    The first phases, up to ``message``, prepare a key; with CRT they are done for p and then for q.
    The others are done for each message; with CRT those from ``reduce`` to ``leave`` for p and then
    for q, and the result for p is ``t``.

    Parameters
    ----------
    width : :class:`int`
        Bits r of a word of the stream; so many digits as fit are in a word, the highest ones first,
        and the first of them highest.
    words : :class:`int`
        Words of an exponent.
    places : :class:`Places`

    Members
    -------
    i : :py:`In(stream.Signature(width))`
        The header of a key, which is taken at once: the number of digits, and the words of each
        exponent; with CRT there are two, of as many digits, for p and for q. It must not come while
        something is done. What is done next is to prepare the key.
    next : :py:`Out(operation(places.count, 7))`
        What is multiplied.
    takes : :py:`In(1)`
        The next one, please.
    more : :py:`Out(1)`
        After the run that what has been taken is of, there is another one.
    """

    def __init__(self, width, words, places):
        self.width, self.words, self.places = width, words, places
        super().__init__({"i": In(stream.Signature(width)), "takes": In(1), "more": Out(1),
                          "next": Out(operation(places.count, 6 + places.crt))})

    def elaborate(self, platform):
        m = Module()
        at, window, next_ = self.places, self.places.window, self.next
        is_q = Signal(name="is_q")
        left = Signal(self.width, name="left")  # digits after the current one
        uses, loads, second = (Signal(name=name) for name in ("uses", "loads", "second"))
        digit = self._exponent(m, uses, loads, second, left)

        def of_factor(place):
            return place + is_q if at.crt else place

        count = Signal(range(max(self.width, 1 << window)), name="count")
        y = Signal(range(at.count), name="y")
        # A power, to multiply with; that of 0 is elsewhere with CRT.
        power = Signal(range(at.count), name="power")
        m.d.comb += power.eq(at.powers + digit)
        if at.crt:
            with m.If(digit == 0):
                m.d.comb += power.eq(of_factor(at.one))

        def asks(target, x, y=None, *, last=0, program=0):
            m.d.comb += [next_.x.eq(x), next_.y.eq(x if y is None else y), next_.target.eq(target),
                         next_.last.eq(last), next_.program.eq(program)]

        def goes_on(state, times=1, *, more=0, first=0):
            """Go to the next phase when this one has been taken often enough."""
            done = Signal(name="done")
            m.d.comb += done.eq(self.takes & (count == first + times - 1))
            with m.If(self.takes):
                m.d.sync += [self.more.eq(more), count.eq(count + 1)]
            with m.If(done):
                m.d.sync += count.eq(0)
                m.next = state
            return done

        def begins_digits(done):
            m.d.comb += uses.eq(done)
            with m.If(done):
                m.d.sync += [count.eq(0), y.eq(power)]
                m.next = "square"
                with m.If(left == 0):
                    m.next = "leave"

        m.d.comb += next_.key.eq(of_factor(at.key))
        with m.FSM():
            # -- The key.
            with m.State("convert"):
                sources, targets = zip(*at.conversions, strict=True)
                steps = len(sources)
                target = Array(targets)[count[:3]]
                # One number in the table is that of p, which the next one of q follows.
                asks(of_factor(target), Array(sources)[count[:3]], last=count == steps - 1,
                     program=1)
                goes_on("invert", steps, more=1)
            with m.State("invert"):
                asks(at.inverse, Mux(count == 0, at.unit, at.inverse), last=count == self.width - 1,
                     program=3)
                goes_on("finish", self.width, more=1)
            with m.State("finish"):
                asks(of_factor(at.key), at.inverse, last=1, program=4)
                goes_on("cube" if at.crt else "message", more=at.crt)
            if at.crt:
                with m.State("cube"):
                    asks(of_factor(at.square), of_factor(at.square), last=1)
                    done = goes_on("message")
                    with m.If(done):
                        m.d.sync += is_q.eq(~is_q)
                        with m.If(~is_q):
                            m.next = "convert"

            # -- A message.
            with m.State("message"):
                asks(at.powers if at.crt else at.y, at.digits, last=1,
                     program=6 if at.crt else 1)
                done = goes_on("reduce" if at.crt else "enter", more=1)
                m.d.comb += loads.eq(done)
                with m.If(self.i.valid):
                    m.next = "convert"
            if at.crt:
                with m.State("reduce"):
                    asks(at.y, at.powers, at.unit)
                    goes_on("enter")
            with m.State("enter"):
                asks(at.powers + 1, at.y, of_factor(at.square))
                done = goes_on("square" if window == 1 else "table")
                if window == 1:
                    begins_digits(done)
                else:
                    with m.If(done):
                        m.d.sync += count.eq(1)
            if window > 1:
                with m.State("table"):
                    asks(at.powers + 1 + count, at.powers + count, at.powers + 1)
                    begins_digits(goes_on("square", (1 << window) - 2, first=1))
            with m.State("square"):
                asks(at.y, y)
                done = goes_on("multiply", window)
                with m.If(self.takes):
                    m.d.sync += y.eq(at.y)
            with m.State("multiply"):
                asks(at.y, at.y, power)
                done = goes_on("square")
                m.d.comb += uses.eq(done)
                with m.If(done):
                    m.d.sync += left.eq(left - 1)
                    with m.If(left == 1):
                        m.next = "leave"
            with m.State("leave"):
                asks(at.y, y, of_factor(at.other) if at.crt else at.unit, last=1)
                done = goes_on("product" if at.crt else "digits", more=1)
                if at.crt:
                    with m.If(~is_q):
                        m.d.comb += next_.target.eq(at.t)
                    with m.If(done):
                        m.d.sync += is_q.eq(~is_q)
                        with m.If(~is_q):
                            m.d.comb += [loads.eq(1), second.eq(1)]
                            m.next = "reduce"
            if at.crt:
                with m.State("product"):
                    # The result for p by q, and then that for q by p.
                    place = Mux(count == 0, at.t, at.y)
                    asks(place, place, Mux(count == 0, at.factor + 1, at.factor),
                         last=count == 1, program=5)
                    goes_on("digits", 2, more=1)
            with m.State("digits"):
                asks(at.y, at.y, at.t if at.crt else at.y, last=1, program=2)
                goes_on("message")
        return m

    def _exponent(self, m, uses, loads, second, left):
        """Return the current digit, and keep count of those that are left.

        In a clock with ``uses`` it was the current one for the last time, and the next one is soon;
        after one with ``loads``, it is the first one of an exponent, or of the ``second`` one.
        """
        window = self.places.window
        in_word = self.width // window  # digits
        words = (1 + self.places.crt) * self.words
        m.submodules.memory = memory = Memory(shape=in_word * window, depth=words, init=[])
        write, read = write_port(memory, "$signature"), read_port(memory, "read")

        # -- The header.
        place = Signal(range(words + 1), name="place")
        length = Signal(self.width, name="length")
        m.d.comb += [self.i.ready.eq(1), write.data.eq(self.i.payload), write.addr.eq(place - 1),
                     write.en.eq(self.i.valid & (place != 0))]
        with m.If(self.i.valid):
            m.d.sync += place.eq(Mux(place == words, 0, place + 1))
            with m.If(place == 0):
                m.d.sync += length.eq(self.i.payload - 1)

        # -- The words of an exponent wait in the memory, the current one is shifted.
        word = Signal(range(words + 1), name="word")
        digits = Signal(in_word * window, name="digits")
        in_this = Signal(range(in_word), name="in_this")
        addressed, fetched = Signal(name="addressed"), Signal(name="fetched")
        m.d.comb += read.addr.eq(word)
        m.d.sync += [addressed.eq(loads), fetched.eq(addressed)]
        with m.If(loads):
            m.d.sync += [left.eq(length), word.eq(Mux(second, self.words, 0))]
        with m.Elif(fetched | (uses & (in_this == 0))):
            m.d.sync += [digits.eq(read.data), in_this.eq(in_word - 1), word.eq(word + 1)]
        with m.Elif(uses):
            m.d.sync += [digits.eq(digits << window), in_this.eq(in_this - 1)]
        return digits[-window:]
