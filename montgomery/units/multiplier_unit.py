"""Any multiplier as a unit of an engine: keys go in, and pairs of operands become products."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer
from ..blocks.carry_save import gate
from ..blocks.delay import later
from ..blocks.skid import Skid
from ..core import traits

__all__ = ["MultiplierUnit", "pair_layout"]


def pair_layout(width):
    """Return the layout of a word of both operands.

    Its members: words of ``x`` and ``y``; ``x_kept`` and ``y_kept``, where these are not read,
    since the operand is the result of the product before; and ``first``, in the first word.
    """
    return data.StructLayout({"x": width, "y": width, "x_kept": 1, "y_kept": 1, "first": 1})


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

    Parameters
    ----------
    unit : :class:`~.unit.Unit`

    Members
    -------
    k : :py:`In(stream.Signature(width))`
        The words of :attr:`.Unit.key_fields`, while no product is under way.
    i : :py:`In(stream.Signature(pair_layout(width)))`
        The words of a pair, :attr:`.Unit.passes` times. If both operands are kept, those after the
        first one say nothing.
    o : :py:`Out(stream.Signature(width))`
        The words of products.
    forward : :py:`In(1)`
        The product whose word is at ``o`` is kept for the next one. If :attr:`.Unit.forwards`, its
        words wait for those of that pair.
    turn : :py:`Out(1)`
        Operands may come in this clock, and not in the next one if they are taken in every other
        clock.
    """

    def __init__(self, unit):
        self.unit = unit
        width = unit.width
        super().__init__({
            "k": In(stream.Signature(width)), "i": In(stream.Signature(pair_layout(width))),
            "o": Out(stream.Signature(width)), "forward": In(1), "turn": Out(1)})

    def elaborate(self, platform):
        m = Module()
        unit, inner, width = self.unit, self.unit.inner, self.unit.width
        m.submodules.multiplier = multiplier = inner.create()
        modulus = Const(0, width)
        if inner.k_words:
            m.submodules.key = key = Skid(width)
            wiring.connect(m, wiring.flipped(self.k), key.i)
            wiring.connect(m, key.o, multiplier.k)
        else:
            modulus = Signal(width * unit.words, name="modulus", reset_less=True)
            m.d.comb += self.k.ready.eq(1)
            with m.If(self.k.valid):
                m.d.sync += modulus.eq(Cat(modulus, self.k.payload)[width:])
        every = traits(inner).takes_every
        # A word is at the multiplier a clock after it was joined.
        m.d.comb += [self.turn.eq(later(m, multiplier.i.ready, every - 1, "turn", reset_less=False)
                                  if every > 1 else 1),
                     self.o.payload.eq(multiplier.o.payload)]
        if not unit.chains:
            self._in_turns(m, multiplier, modulus)
        elif unit.forwards:
            self._join(m, multiplier, modulus)
        else:
            pair, squares = self.i.p, self.i.p.x_kept & self.i.p.y_kept
            kept = gate(pair.first, Cat(pair.x_kept, pair.y_kept))
            self._beside(m, multiplier, pair.x, pair.y, modulus, kept)
            passes = pair.first | ~squares
            m.d.comb += [multiplier.i.valid.eq(self.i.valid & passes),
                         self.i.ready.eq(multiplier.i.ready | ~passes)]
        if not unit.forwards:
            m.d.comb += [self.o.valid.eq(multiplier.o.valid), multiplier.o.ready.eq(self.o.ready)]
        return m

    def _beside(self, m, multiplier, x, y, modulus, kept=None):
        """Give the multiplier a word that holds one of each operand."""
        words = {"x": x, "y": y, "modulus": modulus, "kept": kept}
        m.d.comb += multiplier.i.payload.eq(Cat(
            words[field.name][:field.bits] for field in self.unit.inner.operands.fields))

    def _join(self, m, multiplier, modulus):
        """Join words of pairs with those of the product before."""
        width, pair = self.unit.width, self.i.p
        m.submodules.result = result = Skid(width)
        m.submodules.joined = joined = Skid(2 * width)
        there = Signal(name="there")
        m.d.comb += [
            result.i.valid.eq(multiplier.o.valid & self.forward & self.o.ready),
            result.i.payload.eq(multiplier.o.payload),
            self.o.valid.eq(multiplier.o.valid & result.i.ready),
            multiplier.o.ready.eq(self.o.ready & result.i.ready),
            there.eq(self.turn & (result.o.valid | ~(pair.x_kept | pair.y_kept))),
            joined.i.valid.eq(self.i.valid & there), self.i.ready.eq(joined.i.ready & there),
            joined.i.payload.eq(Cat(Mux(pair.x_kept, result.o.payload, pair.x),
                                    Mux(pair.y_kept, result.o.payload, pair.y))),
            result.o.ready.eq(self.i.valid & joined.i.ready & self.turn
                              & (pair.x_kept | pair.y_kept)),
            multiplier.i.valid.eq(joined.o.valid), joined.o.ready.eq(multiplier.i.ready),
        ]
        self._beside(m, multiplier, joined.o.payload[:width], joined.o.payload[width:], modulus)

    def _in_turns(self, m, multiplier, modulus):
        """Send one operand after the other, and after them the modulus if there is no key."""
        pair, to = self.i.p, multiplier.i
        operand = Signal(2 if self.unit.inner.k_words else 3, name="operand", init=1)  # one-hot
        m.submodules.place = place = Pointer(self.unit.words)
        pairs = operand[:2].any()
        m.d.comb += [
            to.valid.eq(self.i.valid | ~pairs), self.i.ready.eq(to.ready & pairs),
            place.step.eq(to.valid & to.ready),
            to.payload.eq(gate(operand[0], pair.x) | gate(operand[1], pair.y)
                          | gate(~pairs, modulus[:self.unit.width])),
        ]
        with m.If(place.step & place.last):
            m.d.sync += operand.eq(operand.rotate_left(1))
        if not self.unit.inner.k_words:
            with m.If(place.step & ~pairs):
                m.d.sync += modulus.eq(modulus.rotate_right(self.unit.width))
