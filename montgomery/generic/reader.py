"""Takes the operands of products from the memory to the multiplier."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..core import results_of, traits

__all__ = ["FORWARDED", "OperandReader", "product_layout"]

#: Operands that are not read but come from elsewhere, by the flags in :func:`product_layout`; and
#: ``any_kept``, if either is a result.
FORWARDED = ("x_kept", "y_kept", "any_kept", "x_is_base")


def product_layout(slot_width):
    """Return the layout of a product that is asked for.

    Its members: the slots ``x`` and ``y`` of the operands; ``x_kept`` and ``y_kept``, for those
    that are the result of the product before, which is not read; ``x_is_base``, for a first operand
    that comes from port ``i``; and ``y_is_1``, for a second operand 1, which is in no slot.
    """
    return data.StructLayout({"x": slot_width, "y": slot_width, "x_kept": 1, "y_kept": 1,
                              "x_is_base": 1, "y_is_1": 1})


class OperandReader(wiring.Component):
    """Memory to multiplier: sends the operands of one product after the other.

    Where a word of the multiplier holds a word of each operand, port a of the memory reads x and
    port b reads y. Elsewhere port b reads one operand after the other.

    Latency: the first word is at ``o`` in the clock that :attr:`LATENCY` says, counted from the one
    in which the product is accepted. Throughput: a word per clock, and a clock between products.

    Parameters
    ----------
    params : :class:`~montgomery.generic.exponentiator.Parameters`

    Attributes
    ----------
    LATENCY : :class:`int`

    Members
    -------
    product : :py:`In(stream.Signature(product_layout(...)))`
    idle_slot, idle_index : :py:`In(...)`
        Port b reads this word, as if it were an operand, while no product is sent.
    x_read, x_address : :py:`Out(1)`, :py:`Out(range(depth))`
        Port a is to read x. Its address has a register, and so has that of port b.
    y_address : :py:`Out(range(depth))`
        For port b.
    moves : :py:`Out(1)`
        The registers with addresses, and what the ports read, move on.
    x, y : :py:`In(o_width)`
        Words that the ports have read.
    others : :py:`In(...)`
        Words of the numbers that are side by side with x and y, in order.
    o : :py:`Out(stream.Signature(...))`
        For the multiplier. Where results and bases are forwarded, the flags :data:`FORWARDED` are
        the highest bits of each word.
    """

    #: A register with the index, one before the address of the port, and the memory.
    LATENCY = 2 + BlockRam.LATENCY

    def __init__(self, params):
        self.params = params
        layout = params.layout
        self._slot_width = (layout.depth - 1).bit_length() - layout.slot_bits
        address = Out(range(layout.depth))
        width = results_of(params).width
        super().__init__({
            "product": In(stream.Signature(product_layout(self._slot_width))),
            "idle_slot": In(self._slot_width), "idle_index": In(max(layout.slot_bits, 1)),
            "x_read": Out(1), "x_address": address, "y_address": address, "moves": Out(1),
            "x": In(width), "y": In(width), "others": In(width * len(params.beside)),
            "o": Out(stream.Signature(
                params.inner.operands.width + (len(FORWARDED) if params.forwards else 0))),
        })

    def elaborate(self, platform):
        m = Module()
        now = Signal(product_layout(self._slot_width))
        busy = Signal()
        last = Signal()
        idle = ~busy & ~self.product.valid
        m.d.comb += [self.moves.eq(self.o.ready), self.product.ready.eq(~busy)]
        with m.If(~busy):
            m.d.sync += [busy.eq(self.product.valid), now.eq(self.product.payload)]
        with m.Elif(self.moves):
            m.d.sync += busy.eq(~last)
        (self._side_by_side if self.params.side_by_side else self._one_by_one)(
            m, now, busy, last, idle)
        m.d.comb += self.o.valid.eq(self._later(m, "sent", busy))
        return m

    def _later(self, m, name, value):
        """Return what ``value`` was when the address of the word that is there now was given."""
        states = Signal(self.LATENCY - 1, name=name)
        with m.If(self.moves):
            m.d.sync += states.eq(Cat(value, states))
        return states[-1]

    def _side_by_side(self, m, now, busy, last, idle):
        p = self.params
        index = Signal(p.layout.slot_bits)
        left = Signal(range(p.operand_words + 1))  # words behind the current one
        first = Signal()
        single = Const(p.operand_words == 1, 1)
        given = self.product.payload
        with m.If(~busy):
            single |= given.x_kept & given.y_kept & traits(p.inner).keeps_results
            m.d.sync += [first.eq(1), left.eq(p.operand_words - 1), last.eq(single),
                         index.eq(gate(idle, self.idle_index))]
        with m.Elif(self.moves):
            m.d.sync += [first.eq(0), left.eq(left - 1), last.eq(left == 1), index.eq(index + 1)]
        with m.If(~busy):
            # In gates, since a reset would come later.
            m.d.sync += now.y.eq(gate(~idle, given.y) | gate(idle, self.idle_slot))
            m.d.sync += self.x_read.eq(self.product.valid & ~given.x_kept & ~given.x_is_base)
        with m.Elif(self.moves):
            m.d.sync += self.x_read.eq(self.x_read & ~last)
        m.d.comb += [self.x_address.eq(Cat(index, now.x)), self.y_address.eq(Cat(index, now.y))]

        is_1, one = self._later(m, "is_1", now.y_is_1), self._later(m, "one", first)
        words = {"x": self.x, "y": Mux(is_1, one, self.y)}
        others = iter(self.others.word_select(number, results_of(p).width)
                      for number in range(len(p.beside)))
        payload = [words[name] if name in words else next(others) for name, _ in p.sent]
        if traits(p.inner).keeps_results:
            payload += [self._later(m, name, getattr(now, name) & first)
                        for name in ("x_kept", "y_kept")]
        if p.forwards:
            flags = {name: getattr(now, name) for name in now.shape().members}
            flags["any_kept"] = now.x_kept | now.y_kept
            payload += [self._later(m, name, flags[name]) for name in FORWARDED]
        m.d.comb += self.o.payload.eq(Cat(payload))

    def _one_by_one(self, m, now, busy, last, idle):
        p = self.params
        names, counts = zip(*p.sent, strict=True)
        index = Signal(range(max(counts)))
        left = Signal(range(max(counts) + 1))  # words of the operand behind this one
        ends = Signal()  # its last word
        first = Signal()  # its first one
        part = Signal(len(names))  # the operand, one-hot
        slot = Signal(self._slot_width)

        def to(part, given):
            """Return statements that go to the operands that are flagged; ``given`` has slots."""
            def chosen(values, width):
                return reduce(or_, (gate(flag, Const(value, width) if isinstance(value, int)
                                         else value) for flag, value in zip(part, values,
                                                                            strict=True)))
            slots = [given[name] if name in ("x", "y") else p.layout.slot_of(name)
                     for name in names]
            return [index.eq(0), first.eq(1), slot.eq(chosen(slots, len(slot))),
                    left.eq(chosen([count - 1 for count in counts], len(left))),
                    ends.eq(chosen([count == 1 for count in counts], 1))]

        with m.If(~busy):
            m.d.sync += [part.eq(1), *to(Const(1, len(names)), self.product.payload),
                         last.eq(len(names) == 1 and counts[0] == 1)]
        with m.Elif(self.moves):
            with m.If(ends):
                m.d.sync += [part.eq(part << 1), *to(part.shift_left(1)[:-1], now),
                             last.eq((counts[-1] == 1) & part[-2])]
            with m.Else():
                m.d.sync += [index.eq(index + 1), first.eq(0), left.eq(left - 1),
                             ends.eq(left == 1), last.eq((left == 1) & part[-1])]
        with m.If(idle):
            m.d.sync += [slot.eq(self.idle_slot), index.eq(self.idle_index)]
        m.d.comb += self.y_address.eq(index | (slot << p.layout.slot_bits))

        is_1 = self._later(m, "is_1", now.y_is_1 & part[names.index("y")])
        m.d.comb += self.o.payload.eq(Mux(is_1, self._later(m, "one", first), self.y))
