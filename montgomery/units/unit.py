"""Any multiplier as a unit of an engine: keys go in, and pairs of operands become products."""

import dataclasses

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer
from ..blocks.carry_save import gate
from ..blocks.streams import Skid
from ..blocks.values import later, signals
from ..core import ceil_div, name_of, results_of, traits
from ..core.fixed_modulus import FixedModulus

__all__ = ["MultiplierUnit", "Unit", "pair_layout"]


class Unit:
    """What can be said of a :class:`MultiplierUnit` without hardware, by the parameters of the
    multiplier inside, ``inner``.

    :exc:`ValueError` says that numbers are no digits, the modulus is fixed, or the key has words of
    another width than results.
    """

    def __init__(self, inner):
        self.inner = inner
        self.width = results_of(inner).width  # bits of a word
        self._check()

        # -- Numbers.
        self.words = inner.result_words  # of a factor, and of a product
        # The Field of each part of a key. Beside x and y the modulus may have fewer bits than a
        # word.
        self.key_fields = list(inner.key_operands.fields) or [
            dataclasses.replace(field, bits=0) for field in inner.operands.fields
            if field.name == "modulus"]
        self.reach = traits(inner).reach  # products are below so many times the modulus
        # Products are below 2**(halvings + 1) times the modulus.
        self.halvings = max((self.reach - 1).bit_length() - 1, 0)

        # -- What is done with operands.
        # A factor can be the product before, while that is on its way. Else the words of a pair are
        # sent twice: x is taken before y.
        self.chains = inner.operands.beside
        # Words of a product are brought back to a multiplier that keeps none.
        self.forwards = self.chains and not traits(inner).keeps_results
        # Words of a pair of which both operands are kept.
        self.square_words = 1 if traits(inner).keeps_results else self.words
        # Clocks from a word of a pair to where it is joined with words from elsewhere.
        self.front = Skid.LATENCY if self.forwards else 0

    def _check(self):
        inner, width = self.inner, self.width
        if any(field.listed for field in inner.operands.fields):
            raise ValueError(f"The multiplier must take numbers as digits, and {name_of(inner)} "
                             f"takes residues; choose another one")
        if isinstance(inner, FixedModulus):
            raise ValueError(f"The multiplier must take any modulus, and {name_of(inner)} is built "
                             f"for one; choose another one")
        if inner.key_operands.width not in (0, width):
            raise ValueError(f"The multiplier must take its key in words of its results, of "
                             f"{width} bits, and {name_of(inner)} takes "
                             f"{inner.key_operands.width} bits; choose another one")

    # -- Clocks.

    @property
    def latency(self):
        """Clocks from the first word of a pair, where it is joined, to the last of the product."""
        inner = self.inner.cycles
        return Skid.LATENCY + inner.load - 1 + inner.compute + inner.unload - 1

    @property
    def interval(self):
        """Clocks from a product to one of it and another number, where products chain."""
        inner = self.inner
        if traits(inner).keeps_results:
            return inner.cycles.interval
        # A multiplier that is not ready yet takes the operands from the join when it is.
        return self.in_turn(max(traits(inner).initiation,
                                inner.cycles.load + inner.cycles.compute + Skid.LATENCY))

    @property
    def square_interval(self):
        """Clocks from a product to its square, where products chain."""
        inner = self.inner.cycles
        alone = inner.load + inner.compute + inner.unload - 1
        if traits(self.inner).keeps_results and inner.interval == alone:
            # No operand is sent before the result was taken, and then but one word.
            return self.interval - (inner.load - 1)
        return self.interval

    def in_turn(self, clocks):
        """Return the clocks from a pair to one that can come after so many of them."""
        every = traits(self.inner).takes_every
        return every * ceil_div(clocks, every)

    def accepts(self, number):
        """Return the clocks from the first word of x, or of a key, to another one.

        They are counted from 0. Of a key the multiplier has a port for.
        """
        # Two words are taken at once by a Skid, which hands one on every ``pace`` clocks.
        inner = self.inner
        pace = max((inner.cycles.load - 1) // max(inner.i_words - 1, 1), 1)
        return number if number < 2 else 2 + (number - 2) * pace


def pair_layout(width):
    """Return the layout of a word of both operands.

    ``x_kept``, ``y_kept``: the operand is the product before; ``x_given``: x comes from elsewhere.
    """
    return data.StructLayout({"x": width, "y": width, "x_kept": 1, "y_kept": 1, "x_given": 1,
                              "first": 1})


class MultiplierUnit(wiring.Component):
    """Multiplies, whatever the multiplier takes its operands like.

    All that depends on how a multiplier takes keys and operands is here:

    ======================================  ====================================================
    the multiplier                          the unit
    ======================================  ====================================================
    takes x beside y, and keeps results     passes on which of them are kept
    takes x beside y                        brings words of a result back as they come
    takes x before y                        passes on x, then y; the words of a pair come twice
    takes the modulus with each product     keeps it, and adds it
    takes operands in every other clock     takes them a clock before, so that they never wait
    ======================================  ====================================================

    Latency and throughput: see :class:`~.unit.Unit`.
    """

    def __init__(self, unit):
        self.unit = unit
        width = unit.width
        super().__init__({
            # The words of key_fields, while no product is under way.
            "k": In(stream.Signature(width)),
            # The words of a pair, twice unless chains. If both operands are kept, there are
            # square_words.
            "i": In(stream.Signature(pair_layout(width))),
            # The words of an x that is given. While ``i`` has no word, ``x_given`` has to be low.
            "given": In(stream.Signature(width)),
            "o": Out(stream.Signature(width)),  # the words of products
            # The product whose word is at ``o`` is kept for the next one. If forwards, its words
            # wait for those of that pair.
            "forward": In(1),
            # Operands may come in this clock, and not in the next one if they are taken in every
            # other clock.
            "turn": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        unit, inner, width = self.unit, self.unit.inner, self.unit.width
        keeps, every = traits(inner).keeps_results, traits(inner).takes_every
        m.submodules.multiplier = multiplier = inner.create()
        m.submodules.joined = joined = Skid(width * (2 if unit.chains else 1) + 2 * keeps)
        # A word is at the multiplier a clock after it was joined.
        turn = later(m, multiplier.i.ready, every - 1, "turn", reset_less=False) if every > 1 else 1
        m.d.comb += [self.turn.eq(turn), self.o.payload.eq(multiplier.o.payload),
                     multiplier.i.valid.eq(joined.o.valid), joined.o.ready.eq(multiplier.i.ready)]
        modulus = self._key(m, multiplier)

        # A word of a pair moves when all that is joined with it is there, and room for it.
        pairs = self.i
        if unit.forwards:
            m.submodules.pairs = waiting = Skid(len(self.i.p.as_value()))
            wiring.connect(m, wiring.flipped(self.i), waiting.i)
            pairs = waiting.o
        pair = data.View(pair_layout(width), pairs.payload)
        given, there, moves = signals("is_given there moves")
        ready = there & joined.i.ready & self.turn
        m.d.comb += [pairs.ready.eq(ready & (~given | self.given.valid)),
                     moves.eq(pairs.valid & pairs.ready),
                     self.given.ready.eq(pairs.valid & ready & given)]
        x, y = Mux(given, self.given.payload, pair.x), pair.y
        if not unit.chains:
            self._in_turns(m, pair, x, given, there, moves, modulus)
            return m
        m.d.comb += [given.eq(pair.x_given), joined.i.valid.eq(moves)]
        if unit.forwards:
            x, y = self._with_result(m, pair, x, there, moves)
        else:
            m.d.comb += [there.eq(1), self.o.valid.eq(multiplier.o.valid),
                         multiplier.o.ready.eq(self.o.ready)]
        kept = gate(pair.first, Cat(pair.x_kept, pair.y_kept))
        out = joined.o.payload
        words = {"x": out[:width], "y": out[width:2 * width], "kept": out[2 * width:],
                 "modulus": modulus}
        m.d.comb += [
            joined.i.payload.eq(Cat(x, y, kept)), multiplier.i.payload.eq(Cat(
                words[field.name][:field.bits] for field in inner.operands.fields))]
        return m

    def _key(self, m, multiplier):
        """Send the words of a key to the multiplier, or return the modulus that they are."""
        unit, width = self.unit, self.unit.width
        if unit.inner.k_words:
            m.submodules.key = key = Skid(width)
            wiring.connect(m, wiring.flipped(self.k), key.i)
            wiring.connect(m, key.o, multiplier.k)
            return None
        modulus = Signal(width * unit.words, name="modulus", reset_less=True)
        m.d.comb += self.k.ready.eq(1)
        with m.If(self.k.valid):
            m.d.sync += modulus.eq(Cat(modulus, self.k.payload)[width:])
        return modulus

    def _with_result(self, m, pair, x, there, moves):
        """Return words of operands, some of which are words of the product before."""
        multiplier = m.submodules.multiplier
        m.submodules.result = result = Skid(self.unit.width)
        kept = pair.x_kept | pair.y_kept
        m.d.comb += [
            result.i.valid.eq(multiplier.o.valid & self.forward & self.o.ready),
            result.i.payload.eq(multiplier.o.payload), result.o.ready.eq(moves & kept),
            self.o.valid.eq(multiplier.o.valid & result.i.ready),
            multiplier.o.ready.eq(self.o.ready & result.i.ready),
            there.eq(result.o.valid | ~kept),
        ]
        return (Mux(pair.x_kept, result.o.payload, x),
                Mux(pair.y_kept, result.o.payload, pair.y))

    def _in_turns(self, m, pair, x, given, there, moves, modulus):
        """Send one operand after the other, and after them the modulus if there is no key."""
        multiplier, joined = m.submodules.multiplier, m.submodules.joined
        operand = Signal(2 if modulus is None else 3, name="operand", init=1)  # one-hot
        m.submodules.place = place = Pointer(self.unit.words)
        sends = ~there  # the modulus
        m.d.comb += [
            there.eq(operand[0] | operand[1]), given.eq(pair.x_given & operand[0]),
            joined.i.valid.eq(moves | sends), place.step.eq(moves | (sends & joined.i.ready)),
            joined.i.payload.eq(gate(operand[0], x) | gate(operand[1], pair.y)),
            multiplier.i.payload.eq(joined.o.payload), self.o.valid.eq(multiplier.o.valid),
            multiplier.o.ready.eq(self.o.ready),
        ]
        with m.If(place.step & place.last):
            m.d.sync += operand.eq(operand.rotate_left(1))
        if modulus is not None:
            with m.If(sends):
                m.d.comb += joined.i.payload.eq(modulus)
                with m.If(joined.i.ready):
                    m.d.sync += modulus.eq(modulus.rotate_right(self.unit.width))
