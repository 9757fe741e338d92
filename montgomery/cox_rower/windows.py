"""What is multiplied one after the other: the key, and exponentiation by windows, Figure 3."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .exponent import Exponent
from .runner import operation

__all__ = ["Windows"]


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
        Bits r of a word of the stream.
    words : :class:`int`
        Words of an exponent.
    places : :class:`~montgomery.cox_rower.places.Places`

    Members
    -------
    i : :py:`In(stream.Signature(width))`
        The header of a key, which is taken at once, for
        :class:`~montgomery.cox_rower.exponent.Exponent`: with CRT of the exponents for p and for q.
        It must not come while something is done. What is done next is to prepare the key.
    next : :py:`Out(operation(places.count, 6 + places.crt))`
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
        m.submodules.exponent = exponent = Exponent(self.width, self.words, window, 1 + at.crt)
        wiring.connect(m, wiring.flipped(self.i), exponent.i)
        digit = exponent.digit

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
            m.d.comb += exponent.uses.eq(done)
            with m.If(done):
                m.d.sync += [count.eq(0), y.eq(power)]
                m.next = "square"
                with m.If(exponent.left == 0):
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
                m.d.comb += exponent.loads.eq(done)
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
                m.d.comb += exponent.uses.eq(done)
                with m.If(done & (exponent.left == 0)):
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
                            m.d.comb += [exponent.loads.eq(1), exponent.second.eq(1)]
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
