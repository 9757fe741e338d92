"""Inverses modulo a prime that is fixed, on long pipelines and thus in short clocks."""

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal, signed
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...arithmetic import divided, division_steps
from ...blocks.block_ram import BlockRam
from ...blocks.values import delays, later, signals
from ...core import ceil_div, to_words

__all__ = ["OrderInverse", "clocks", "half_inverse"]

#: Clocks from the lowest word of a step to that of the next step, beside those of the words.
_GAP = 3


def _words(modulus, width):
    """Return how many words have two bits more than the prime."""
    return ceil_div(modulus.bit_length() + 2, width)


def clocks(modulus, width):
    """Return the clocks from the last word to the first one of the result."""
    period = _words(modulus, width) + _GAP
    return 1 + period * (division_steps(modulus.bit_length()) + 1) + 1 + BlockRam.LATENCY


def half_inverse(x, modulus):
    """Return 1 / 2x or -1 / 2x modulo a prime, by the steps of the hardware, for x below the prime.

    The result is above half the prime, and below twice the prime. For other x it is any number in
    this range.
    """
    _, d = divided(x, modulus, division_steps(modulus.bit_length()))
    total = 2 * modulus + d
    return (total + (total & 1) * modulus) >> 1


class OrderInverse(wiring.Component):
    """Does division steps on numbers in block RAMs, from the lowest word to the highest.

    A step replaces (f, g) by (f, g / 2), (f, (g + f) / 2) or (g, (g - f) / 2), and (d, e) by the
    same combination modulo the prime. In the end f is 1 or -1, and d the inverse of f x. One more
    step gives (2 m + d) / 2, which is not negative. Nothing waits for f to be known, so the sign is
    open. See Bernstein, Yang: Fast constant-time gcd computation and modular inversion, 11.2, with
    the first delta of 1/2.

    Latency: :func:`clocks` from the last word to the first one of the result. Throughput: one
    inversion at a time.

    The ``modulus`` is a prime of seven words of ``width`` bits or more.
    """

    #: Stages: when words have been read, the addends are ready, sums of words are there, quotients
    #: of them, multiples of the prime, sums with these, and what is written of g and of e.
    _READ, _ADDENDS, _SUM, _ODD, _MULTIPLE, _TOTAL, _NEW_G, _NEW_E = 2, 3, 4, 5, 6, 7, 6, 9

    def __init__(self, modulus, width):
        self.modulus, self.width = modulus, width
        self.words = _words(modulus, width)
        super().__init__({
            # x below the prime, and half_inverse of it, the lowest word first.
            "i": In(stream.Signature(width)), "o": Out(stream.Signature(width)),
        })

    def elaborate(self, platform):
        m, width, words = Module(), self.width, self.words
        period = words + _GAP
        place = Signal(range(period))
        memories = {name: BlockRam(width, words) for name in "fgde"}
        running, final, odd, swaps, odd_next, minus, accepted = signals(
            "running final odd swaps odd_next minus accepted")
        at = delays(m, place, self._NEW_E, "place")
        valid = delays(m, running & (place < words), self._NEW_E, "valid", reset_less=False)

        def starts(stage):
            """Return whether the lowest word is in a stage."""
            return later(m, at[stage - 1] == 0, 1, f"starts_{stage}")

        def of(number, stage):
            """Return the word of a constant that belongs to the one in a stage."""
            table = Array(C(word, width) for word in to_words(number, width, 1 << len(place)))
            return later(m, table[at[stage - 1]], 1, f"constant_{stage}")

        def total(name, stage, first, second, carry):
            """Return a register for the sum of two words, and the carry from the word below."""
            found = Signal(width + 1, name=name, reset_less=True)
            carry = Mux(starts(stage - 1), carry, found[-1])
            m.d.sync += found.eq(Cat(C(1, 1), first) + Cat(carry, second) >> 1)
            return found[:-1]

        # -- Words, and what is added to them.
        read = {name: memory.a.q for name, memory in memories.items()}
        e = later(m, Mux(final, of(2 * self.modulus, self._READ), read["e"]), 1, "e")
        g = later(m, read["g"], 1, "g")
        more_g, more_e = (later(m, (read[name] ^ swaps.replicate(width)) & odd.replicate(width), 1,
                                f"more_{name}") for name in "fd")
        new_f = later(m, Mux(swaps, read["g"], read["f"]), 1, "new_f")
        new_d = later(m, Mux(swaps, read["e"], read["d"]), 1, "new_d")
        sum_g = total("sum_g", self._SUM, g, more_g, swaps)
        sum_e = total("sum_e", self._SUM, e, more_e, swaps)

        # -- The multiple of the prime.
        multiple = Signal()
        starts_sum = starts(self._SUM)
        with m.If(starts_sum):
            m.d.sync += multiple.eq(sum_e[0])
        prime = of(self.modulus, self._ODD)
        addend = later(m, (prime ^ minus.replicate(width)) & multiple.replicate(width), 1,
                       "addend")
        carry = later(m, minus & multiple, 1, "carry")
        late_e = later(m, sum_e, self._MULTIPLE - self._SUM, "late_e")
        total_e = total("total_e", self._TOTAL, late_e, addend, carry)

        # -- A shift, for which the word above follows.
        shifted = {}
        for name, stage, word in (("g", self._SUM, sum_g), ("e", self._TOTAL, total_e)):
            below = later(m, word, 1, f"last_{name}")
            highest = later(m, at[stage] == words - 1, 1, f"highest_{name}")
            shifted[name] = later(m, Cat(below[1:], Mux(highest, below[-1], word[0])), 1,
                                  f"shifted_{name}")
        loading = later(m, accepted, 1, "loading", reset_less=False)
        comes = later(m, self.i.payload, 1, "comes")
        is_first = later(m, place == 0, 1, "is_first")
        with m.If(starts_sum & valid[self._SUM]):
            m.d.sync += odd_next.eq(sum_g[1])
        with m.If(loading & is_first):
            m.d.sync += odd_next.eq(comes[0])
        ends_e = later(m, valid[self._TOTAL - 1] & (at[self._TOTAL - 1] == words - 1), 1, "ends_e")
        with m.If(final):
            m.d.sync += minus.eq(0)
        with m.Elif(ends_e):
            m.d.sync += minus.eq(~total_e[-1])

        # -- Control.
        # A word is the last one, of words that are two clocks apart or more; a step ends; the first
        # word of a step has been asked for.
        last, ends, begun, waits = Signal(), Signal(), Signal(), Signal()
        settled = Signal(range(BlockRam.LATENCY + 2))
        count = division_steps(self.modulus.bit_length())
        left = Signal(range(count + 1))
        delta = Signal(signed(left.shape().width + 1))  # half below what it is in the paper
        swap = Signal()
        m.d.comb += self.o.payload.eq(read["e"])
        m.d.sync += [last.eq(place == words - 1),
                     waits.eq(accepted | (self.o.valid & self.o.ready))]
        m.d.sync += [swap.eq(odd_next & (delta >= 0)), begun.eq(running & (place == 0)),
                     ends.eq(running & (place == period - 2))]
        with m.If(begun):
            # The last pass adds d to a constant.
            m.d.sync += [odd.eq(odd_next | ~left.any()), swaps.eq(swap & left.any()),
                         final.eq(~left.any()), delta.eq(Mux(swap, -delta, delta + 1)),
                         left.eq(left - 1)]
        with m.FSM(name="inverse"):
            with m.State("load"):
                m.d.comb += [self.i.ready.eq(~waits), accepted.eq(self.i.valid & ~waits)]
                m.d.sync += [left.eq(count), delta.eq(0), minus.eq(1),
                             final.eq(0)]
                with m.If(accepted):
                    m.d.sync += place.eq(Mux(last, 0, place + 1))
                with m.If(accepted & last):
                    m.next = "steps"
            with m.State("steps"):
                m.d.comb += running.eq(1)
                m.d.sync += [settled.eq(0), place.eq(Mux(ends, 0, place + 1))]
                with m.If(ends & final):
                    m.next = "result"
            with m.State("result"):
                m.d.comb += self.o.valid.eq(settled == BlockRam.LATENCY + 1)
                with m.If(~self.o.valid):
                    m.d.sync += settled.eq(settled + 1)
                with m.Elif(self.o.ready):
                    m.d.sync += [settled.eq(0), place.eq(Mux(last, 0, place + 1))]
                    with m.If(last):
                        m.next = "load"

        # -- Memories: x goes to g and the prime to f; d is 0 and e is 1 at first.
        loads = {"f": of(self.modulus, 1), "g": comes, "d": C(0, 1), "e": is_first}
        for name, stage, new in (("f", self._ADDENDS, new_f), ("d", self._ADDENDS, new_d),
                                 ("g", self._NEW_G, shifted["g"]),
                                 ("e", self._NEW_E, shifted["e"])):
            m.submodules[name] = memory = memories[name]
            m.d.comb += [
                memory.a.address.eq(place),
                memory.b.write.eq(loading | valid[stage]),
                memory.b.address.eq(Mux(loading, at[1], at[stage])),
                memory.b.data.eq(Mux(loading, loads[name], new))]
        return m
