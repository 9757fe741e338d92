"""The hardware of the generic exponentiator, put together."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring

from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..blocks.delay import delays
from ..blocks.skid import Skid
from ..blocks.word_buffer import WordBuffer
from ..core import ceil_div, results_of
from .control import Control
from .digits import Digits
from .loader import Loader
from .reader import FORWARDED, OperandReader

__all__ = ["Exponentiator"]


class Exponentiator(wiring.Component):
    """Exponentiation around any multiplier, by fixed windows from the highest bit of the exponent.

    With ``window=1`` it is Algorithm 5, square and multiply, of Morales-Romero et al., but for the
    products by R before the first digit, which are left out.

    All numbers lie in one block RAM: the table of powers, the power so far, the constants and the
    exponent. A loader takes the words of keys and bases there. A state machine prepares one product
    after the other, and a reader of operands sends it to the multiplier. Where the multiplier keeps
    results as operands, a product is on its way to it before the one before is complete, and
    dependent products follow each other as fast as the multiplier allows. Elsewhere the next
    product is sent when a result is stored.

    A key is kept by the multiplier if it has a port for keys. Of other multipliers, it is in the
    memory and sent with each product. Entry 0 of the table, R modulo the modulus, is computed for
    each key; R**2 modulo the modulus is a part of the key, since to find it takes a modular adder
    that nothing else here needs.

    The table is read at an address that depends on the exponent. With ``method=always`` the time
    depends on the length of the exponent alone, but power and emissions may tell the address.

    The last product is by 1, and at most the modulus. Where the multiplier does not subtract the
    modulus, the two are compared, and a product that equals the modulus becomes 0. That happens
    only if the modulus has a square factor.

    A result has a buffer of its own: the next key or base comes in while it waits to be taken.

    Latency and throughput: see
    :meth:`montgomery.generic.exponentiator.Parameters.cycles`; one exponentiation at a time.

    Parameters
    ----------
    params : :class:`~montgomery.generic.exponentiator.Parameters`

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        p, layout, width = self.params, self.params.layout, results_of(self.params).width
        shift = layout.slot_bits
        slot_width = (layout.depth - 1).bit_length() - shift
        m.submodules.multiplier = multiplier = p.inner.create()
        m.submodules.loader = loader = Loader(layout, width)
        m.submodules.control = control = Control(p, slot_width)
        m.submodules.digits = digits = Digits(width, p.window_bits, words=p.exponent_words,
                                              most=p.most_digits)
        m.submodules.reader = reader = OperandReader(p)
        m.submodules.memory = memory = BlockRam(width, layout.depth)
        m.submodules.operands = operands = Skid(len(reader.o.payload))
        m.submodules.results = results = WordBuffer(width, p.result_words)

        # Keys and bases.
        wiring.connect(m, wiring.flipped(self.k), loader.k)
        if p.inner.k_words:
            m.submodules.key = key = Skid(width)
            wiring.connect(m, loader.inner, key.i)
            wiring.connect(m, key.o, multiplier.k)
        names = [section.name for section in layout.key]
        count = Signal(p.header_words * width, reset_less=True)
        with m.If(loader.section[names.index("digits")]):
            m.d.sync += count.eq(Cat(count, loader.data)[width:])

        # The results of products: the slots up to that of the power, in their order.
        # They are counted a clock after they come, since whether one comes is known late.
        received = Signal()
        last = Signal(init=p.result_words == 1)
        left = Signal(range(p.result_words), init=p.result_words - 1)
        index = Signal(shift)
        slot = Signal(range(layout.power + 1))
        came = Signal()
        ended = Signal()
        m.d.sync += [came.eq(multiplier.o.valid & multiplier.o.ready), ended.eq(received)]
        m.d.comb += received.eq(came & last)
        with m.If(came):
            m.d.sync += [index.eq(index + 1), left.eq(left - 1), last.eq(left == 1)]
        with m.If(ended):  # the next result is not there yet
            m.d.sync += [index.eq(0), left.eq(p.result_words - 1), last.eq(p.result_words == 1)]
            with m.If(~slot[-1]):
                m.d.sync += slot.eq(slot + 1)
        starts = Signal(2)
        m.d.sync += starts.eq(Cat(control.start_key, control.start_base))
        with m.If(starts.any()):
            m.d.sync += slot.eq(starts[1])

        # What is written; words are loaded when no result is under way.
        writes = Signal()
        loads = Signal()
        word = Signal(width, reset_less=True)
        loaded = Signal(range(layout.depth), reset_less=True)  # to there
        m.d.sync += [
            writes.eq(loader.store | (multiplier.o.valid & multiplier.o.ready)),
            loads.eq(loader.store), loaded.eq(loader.address),
            word.eq(Mux(loader.store, loader.data, multiplier.o.payload))]
        address = Mux(loads, loaded, Cat(index, slot))

        # Port a of the memory writes, reads x where y is read beside it, and reads the exponent.
        exponent = digits.index | (layout.exponent << shift)
        ports = {name: Signal(range(layout.depth), name=f"{name}_address", reset_less=True)
                 for name in ("a", "b")}
        stores = Signal()
        stored = Signal(width, reset_less=True)
        m.d.sync += [stores.eq(writes), stored.eq(word)]
        with m.If(writes | reader.moves):
            m.d.sync += ports["a"].eq(Mux(writes, address,
                                          Mux(reader.x_read, reader.x_address, exponent)))
        with m.If(reader.moves):
            m.d.sync += ports["b"].eq(reader.y_address)
        m.d.comb += [
            memory.a.address.eq(ports["a"]), memory.a.write.eq(stores), memory.a.data.eq(stored),
            memory.a.enable.eq(stores | reader.moves),
            memory.b.address.eq(ports["b"]), memory.b.enable.eq(reader.moves),
            digits.free.eq(~writes & ~reader.x_read & reader.moves),
        ]

        # Operands.
        wiring.connect(m, reader.o, operands.i)
        if p.forwards:
            self._forward(m, operands.o, slot)
        else:
            wiring.connect(m, operands.o, multiplier.i)
            wiring.connect(m, wiring.flipped(self.i), loader.i)
            m.d.comb += [loader.start_base.eq(starts[1]), multiplier.o.ready.eq(1)]
        m.d.comb += [reader.x.eq(memory.a.q), reader.y.eq(memory.b.q)]
        if p.beside:
            others = Signal(len(reader.others), reset_less=True)
            m.d.comb += reader.others.eq(others)
            for number, name in enumerate(p.beside):
                with m.If(loader.section[names.index(name)]):
                    m.d.sync += others.word_select(number, width).eq(loader.data)

        m.d.comb += [
            control.k_offered.eq(self.k.valid), control.i_offered.eq(self.i.valid),
            loader.start_key.eq(starts[0]),
            control.received.eq(received),
            digits.count.eq(count), digits.word.eq(memory.a.q),
            control.digit.eq(digits.digit), control.digit_ready.eq(digits.ready),
            control.digit_last.eq(digits.last),
        ]
        m.d.sync += [control.loaded.eq(loader.done), digits.start.eq(control.begins),
                     digits.take.eq(control.digit_take | control.begins)]
        wiring.connect(m, control.product, reader.product)

        # The last result.
        m.d.sync += results.push.eq(came & control.final)
        m.d.comb += [results.data.eq(stored), control.result_free.eq(~results.available)]
        available = Signal()
        m.d.comb += results.available.eq(available)
        with m.If(control.finished):
            m.d.sync += available.eq(1)
        with m.Elif(results.o.valid & results.o.ready & results.last):
            m.d.sync += available.eq(0)
        wiring.connect(m, results.o, wiring.flipped(self.o))
        if p.reduces:
            self._compare(m, came & control.final, word, index_of=index)
        return m

    def _forward(self, m, operands, slot):
        """Connect the multiplier, to which words of results and of bases go as they come.

        A result is forwarded to the product behind it, but for entry 0 of the table, the last
        entry, and the last product.
        """
        p, multiplier = self.params, m.submodules.multiplier
        m.submodules.forward = forward = Skid(results_of(p).width)
        m.submodules.joined = joined = Skid(p.inner.operands.width)
        wiring.connect(m, joined.o, multiplier.i)
        forwards = Signal()
        last = p.layout.entries - 1
        m.d.sync += forwards.eq(~((slot == 0) | (slot == last) | m.submodules.control.final))
        m.d.comb += [
            forward.i.valid.eq(multiplier.o.valid & forwards),
            multiplier.o.ready.eq(forward.i.ready),
            forward.i.payload.eq(multiplier.o.payload),
        ]
        result, payload = forward.o, operands.payload
        x_kept, y_kept, any_kept, x_is_base = payload[-len(FORWARDED):]
        words = {name: payload.word_select(number, results_of(p).width)
                 for number, (name, _) in enumerate(p.sent)}
        words["x"] = Mux(x_is_base, self.i.payload, Mux(x_kept, result.payload, words["x"]))
        words["y"] = Mux(y_kept, result.payload, words["y"])
        there = (~any_kept | result.valid) & (~x_is_base | self.i.valid)
        m.d.comb += [
            joined.i.valid.eq(operands.valid & there),
            joined.i.payload.eq(Cat(words[name] for name, _ in p.sent)),
            operands.ready.eq(joined.i.ready & there),
            # A product of a base is not one of a result.
            self.i.ready.eq(joined.i.ready & operands.valid & x_is_base),
            result.ready.eq(joined.i.ready & operands.valid & any_kept),
        ]

    def _compare(self, m, came, word, index_of):
        """Have results that equal the modulus become 0."""
        reader, results, control = (m.submodules.reader, m.submodules.results,
                                    m.submodules.control)
        m.d.comb += [reader.idle_slot.eq(self.params.layout.slot_of("modulus")),
                     reader.idle_index.eq(index_of)]
        before = delays(m, word, OperandReader.LATENCY, "word", number=1)
        compares = Signal(OperandReader.LATENCY)
        differing = Signal(len(word), reset_less=True)
        parts = Signal(ceil_div(len(word), 4), reset_less=True)  # that differ
        compared = Signal(2)
        is_modulus = Signal()
        m.d.sync += [compares.eq(Cat(came, compares)), compared.eq(Cat(compares[-1], compared)),
                     differing.eq(before[-1] ^ reader.y),
                     parts.eq(Cat(differing.word_select(index, 4).any()
                                  for index in range(len(parts))))]
        leaves = Signal()
        m.d.sync += leaves.eq(control.leaves)
        with m.If(leaves):
            m.d.sync += is_modulus.eq(1)
        with m.Elif(compared[-1] & parts.any()):
            m.d.sync += is_modulus.eq(0)
        m.d.comb += self.o.payload.eq(gate(~is_modulus, results.o.payload))
