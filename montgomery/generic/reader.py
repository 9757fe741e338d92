"""Words of keys and of operands on their way to where they belong."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..units.unit import pair_layout

__all__ = ["KeyLoader", "OperandReader", "product_layout"]


class KeyLoader(wiring.Component):
    """Goes through the parts of keys.

    Latency: a word that is accepted is at ``word`` one clock later. Throughput: a word per clock.

    ``parts`` has the words of each part of a key, in order; the multiplier takes the first parts,
    so many as ``own``.
    """

    def __init__(self, width, parts, own):
        self._parts, self._own = parts, own
        super().__init__({
            "k": In(stream.Signature(width)),  # the words of keys
            # A key may begin. After the last word of one it goes low in the second clock at the
            # latest.
            "open": In(1),
            # Those words of a key that the multiplier takes.
            "multiplier": Out(stream.Signature(width)),
            # The first word of a key is accepted; the last one was, in the clock before.
            "begins": Out(1), "ends": Out(1),
            # The word that was accepted in the clock before, and its place in its part.
            "word": Out(width), "index": Out(range(max(*parts.values(), 2))),
            "of": Out(data.StructLayout(dict.fromkeys(parts, 1))),  # that part, by its name
        })

    def elaborate(self, platform):
        m = Module()
        counts = list(self._parts.values())
        part = Signal(len(counts), name="part", init=1)  # one-hot
        # Words of the part after the next one: -1 with the last word.
        left = Signal(range(-1, max(*counts, 2)), name="left", init=counts[0] - 2)
        place = Signal.like(self.index, name="place")
        begun = Signal(name="begun")
        own = part[:self._own].any()
        accepts, takes, last = (Signal(name=name) for name in ("accepts", "takes", "last"))
        m.d.comb += [
            accepts.eq((self.open & ~self.ends) | begun),
            self.k.ready.eq(accepts & (~own | self.multiplier.ready)),
            self.multiplier.valid.eq(self.k.valid & accepts & own),
            self.multiplier.payload.eq(self.k.payload),
            takes.eq(self.k.valid & self.k.ready), last.eq(left < 0),
            self.begins.eq(takes & ~begun),
        ]
        m.d.sync += [self.word.eq(self.k.payload), self.index.eq(place),
                     self.of.eq(gate(takes, part)), self.ends.eq(takes & last & part[-1])]
        with m.If(takes):
            m.d.sync += [begun.eq(~(last & part[-1])), place.eq(Mux(last, 0, place + 1)),
                         left.eq(left - 1)]
            with m.If(last):
                m.d.sync += part.eq(part.rotate_left(1))
                for number, count in enumerate(counts):
                    with m.If(part[number - 1]):
                        m.d.sync += left.eq(count - 2)
        return m


def product_layout(slot_width):
    """Return the layout of a product that is asked for.

    Its members: the slots ``x`` and ``y`` of the operands; ``x_kept`` and ``y_kept``, for those
    that are the result of the product before; ``x_is_base``, for a first operand that comes from
    port ``i``; and ``y_is_1`` and ``y_leaves``, for a second operand that is 1, or the power of 2
    by which the last product is.
    """
    return data.StructLayout({"x": slot_width, "y": slot_width, "x_kept": 1, "y_kept": 1,
                              "x_is_base": 1, "y_is_1": 1, "y_leaves": 1})


class OperandReader(wiring.Component):
    """Memory to multiplier: sends the operands of one product after the other.

    Port a of the memory reads x, and port b reads y.

    Latency: the first word is at ``o`` in the clock that :attr:`LATENCY` says, counted from the one
    in which the product is accepted. Throughput: a word per clock, and a clock between products.
    """

    #: A register with the index, one before the address of the port, and the memory.
    LATENCY = 2 + BlockRam.LATENCY

    def __init__(self, unit, slot_width, index_width):
        self.unit, self._slot_width = unit, slot_width
        address = Out(slot_width + index_width)
        super().__init__({
            "product": In(stream.Signature(product_layout(slot_width))),
            # Port b reads this word, as if it were an operand, while no product is sent.
            "idle_slot": In(slot_width), "idle_index": In(index_width),
            # For the ports, which have a register for their addresses.
            "x_address": address, "y_address": address,
            "moves": Out(1),  # the registers with addresses, and what the ports read, move on
            "x": In(unit.width), "y": In(unit.width),  # words that the ports have read
            "o": Out(stream.Signature(pair_layout(unit.width))),  # for the multiplier
        })

    def elaborate(self, platform):
        m = Module()
        unit, given = self.unit, self.product.p
        now = Signal(product_layout(self._slot_width), name="now")
        busy, first = Signal(name="busy"), Signal(name="first")
        ends, last = Signal(name="ends"), Signal(name="last")  # of this pass; of the last one
        index = Signal.like(self.idle_index, name="index")
        left = Signal(range(unit.words + 1), name="left")  # words behind the current one
        again = Const(1) if unit.chains else Signal(name="again")
        m.d.comb += [self.moves.eq(self.o.ready), self.product.ready.eq(~busy),
                     last.eq(ends & again)]
        restart = [first.eq(1), left.eq(unit.words - 1), ends.eq(unit.words == 1), index.eq(0)]
        with m.If(~busy):
            m.d.sync += [busy.eq(self.product.valid), now.eq(given), *restart]
            if not unit.chains:
                m.d.sync += again.eq(0)
            with m.If(~self.product.valid):
                m.d.sync += [now.y.eq(self.idle_slot), index.eq(self.idle_index)]
            if unit.square_words == 1:
                with m.If(given.x_kept & given.y_kept):
                    m.d.sync += ends.eq(1)
        with m.Elif(self.moves):
            m.d.sync += [busy.eq(~last), first.eq(0), left.eq(left - 1), ends.eq(left == 1),
                         index.eq(index + 1)]
            if not unit.chains:
                with m.If(ends):
                    m.d.sync += [again.eq(1), *restart]
        m.d.comb += [self.x_address.eq(Cat(index, now.x)), self.y_address.eq(Cat(index, now.y))]

        def late(value, name):
            """Return what ``value`` was when the address of the word that is there was given."""
            states = Signal(self.LATENCY - 1, name=name)
            with m.If(self.moves):
                m.d.sync += states.eq(Cat(value, states))
            return states[-1]

        # 1, and a power of 2, are numbers of which a word has a bit.
        place, bit = divmod(unit.halvings, unit.width)
        is_constant = late(now.y_is_1 | now.y_leaves, "is_constant")
        constant = late(Mux(now.y_leaves, index == place, first), "has_bit")
        if unit.halvings:
            leaves = late(now.y_leaves, "leaves")
            constant = Mux(leaves, constant << bit, constant & ~leaves)
        m.d.comb += [
            self.o.valid.eq(late(busy, "sent")), self.o.p.x.eq(self.x),
            self.o.p.y.eq(Mux(is_constant, constant, self.y)),
            self.o.p.x_given.eq(late(now.x_is_base & busy, "x_is_base")),
            self.o.p.first.eq(late(first, "is_first")),
        ]
        for name in ("x_kept", "y_kept") if unit.chains else ():
            m.d.comb += self.o.p[name].eq(late(now[name], name))
        return m
