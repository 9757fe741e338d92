"""Words of keys, of operands and of products on their way to where they belong."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import WordBuffer
from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..blocks.values import signals
from ..core import ceil_div
from ..units.unit import pair_layout

__all__ = ["KeyLoader", "OperandReader", "PairFeeder", "ProductBuffer", "product_layout"]


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
        accepts, takes, last = signals("accepts takes last")
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
        busy, first = signals("busy first")
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


class PairFeeder(wiring.Component):
    """Buffer of both operands of a product.

    All words of a pair come before those of the next one, which must not come while the pair is
    fed. A word is one or more of the multiplier. If that takes x before y, it gets all words twice.

    Latency: the first word is at ``o`` :attr:`LATENCY` clocks after ``starts``. Throughput: a word
    per clock, with :attr:`BETWEEN` idle clocks before words come a second time.
    """

    LATENCY, BETWEEN = 3, 3

    def __init__(self, unit, parts):
        self.unit, self.parts = unit, parts
        super().__init__({
            # Words of the operands.
            "push": In(1), "x": In(parts * unit.width), "y": In(parts * unit.width),
            # The pair may be fed: no word of it will be missing when it is its turn.
            "starts": In(1),
            "o": Out(stream.Signature(pair_layout(unit.width))),  # for the multiplier
        })

    def elaborate(self, platform):
        m = Module()
        unit, width, parts = self.unit, self.unit.width, self.parts
        word = parts * width
        m.submodules.buffer = buffer = WordBuffer(2 * word, -(-unit.words // parts))
        feeds, first = Signal(name="feeds"), Signal(name="first", init=1)
        m.d.comb += [
            buffer.push.eq(self.push), buffer.data.eq(Cat(self.x, self.y)),
            buffer.available.eq(feeds), self.o.valid.eq(buffer.o.valid), self.o.p.first.eq(first)]
        x, y = buffer.o.payload[:word], buffer.o.payload[word:]
        moves, ends = self.o.valid & self.o.ready, buffer.last
        if parts == 1:
            m.d.comb += [self.o.p.x.eq(x), self.o.p.y.eq(y), buffer.o.ready.eq(self.o.ready)]
        else:
            part = Signal(range(parts), name="part")
            whole = part == parts - 1
            if unit.words % parts:
                whole |= buffer.last & (part == unit.words % parts - 1)
            m.d.comb += [self.o.p.x.eq(x.word_select(part, width)),
                         self.o.p.y.eq(y.word_select(part, width)),
                         buffer.o.ready.eq(self.o.ready & whole)]
            with m.If(moves):
                m.d.sync += part.eq(Mux(whole, 0, part + 1))
            ends = ends & whole
        with m.If(moves):
            m.d.sync += first.eq(ends)
        if unit.chains:
            with m.If(self.starts):
                m.d.sync += feeds.eq(1)
            with m.Elif(moves & ends):
                m.d.sync += feeds.eq(0)
        else:
            again, restarts = signals("again restarts")
            m.d.sync += restarts.eq(moves & ends & ~again)
            with m.If(self.starts | restarts):
                m.d.sync += feeds.eq(1)
            with m.Elif(moves & ends):
                m.d.sync += [feeds.eq(0), again.eq(~again)]
        return m


class ProductBuffer(wiring.Component):
    """Buffer of a product, in words that are one or more of the multiplier.

    Latency: a word may be looked up in the clock after its last part was at ``data``. Throughput: a
    part comes and a word leaves per clock.
    """

    def __init__(self, unit, parts):
        self.unit, self.parts = unit, parts
        super().__init__({
            "push": In(1), "data": In(unit.width),  # a word of the multiplier
            "available": In(1),  # see WordBuffer
            "next": In(1),  # the word is taken
            "word": Out(parts * unit.width),  # from two clocks after ``available`` rises on
        })

    def elaborate(self, platform):
        m = Module()
        count = self.unit.words
        m.submodules.buffer = buffer = WordBuffer(len(self.word), ceil_div(count, self.parts))
        m.d.comb += [buffer.available.eq(self.available), buffer.o.ready.eq(self.next),
                     self.word.eq(buffer.o.payload)]
        if self.parts == 1:
            m.d.comb += [buffer.push.eq(self.push), buffer.data.eq(self.data)]
            return m
        part = Signal(range(self.parts), name="part")
        low = [Signal(self.unit.width, name=f"part_{place}", reset_less=True)
               for place in range(self.parts - 1)]
        whole, words = part == self.parts - 1, [*low, self.data]
        if left := count % self.parts:
            # Above the last word there is none.
            ends = buffer.full & (part == left - 1)
            words = [*low[:left - 1], Mux(ends, self.data, low[left - 1]),
                     *(gate(~ends, word) for word in words[left:])]
            whole |= ends
        m.d.comb += [buffer.data.eq(Cat(words)), buffer.push.eq(self.push & whole)]
        with m.If(self.push):
            m.d.sync += part.eq(Mux(whole, 0, part + 1))
            for place, word in enumerate(low):
                with m.If(part == place):
                    m.d.sync += word.eq(self.data)
        return m
