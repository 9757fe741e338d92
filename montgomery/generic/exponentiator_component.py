"""The hardware of the generic exponentiator, put together."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring

from ..blocks import windows
from ..blocks.block_ram import BlockRam
from ..blocks.windows import DigitSource
from ..core import Core
from ..units.residue import Residue
from ..units.unit import MultiplierUnit
from .control import Control
from .reader import KeyLoader, OperandReader

__all__ = ["Exponentiator"]


class Exponentiator(Core):
    """Exponentiation around any multiplier, by fixed windows from the highest bit of the exponent.

    With ``window=1`` it is Algorithm 5, square and multiply, of Morales-Romero et al., but for the
    products by R before the first digit, which are left out.

    All numbers lie in one block RAM: the table of powers, the power so far and the constants; the
    exponent lies in another one. A loader takes the words of keys there. A state machine prepares
    one product after the other, and a reader of operands sends it to the multiplier. A base goes
    straight to the multiplier. Where a result can be an operand before it is stored, the next
    product is on its way to the multiplier before the one before is complete, and dependent
    products follow each other as fast as the multiplier allows. Elsewhere the next product is sent
    when a result is stored.

    Entry 0 of the table, R modulo the modulus, is computed for each key; R**2 modulo the modulus is
    a part of the key, since to find it takes a modular adder that nothing else here needs.

    The table is read at an address that depends on the exponent. The time depends on the length of
    the exponent alone, but power and emissions may tell the address.

    The last product is brought below the modulus in a buffer of its own: the next key or base comes
    in while the result waits to be taken.

    Latency and throughput: see
    :meth:`montgomery.generic.exponentiator.Parameters.cycles`; one exponentiation at a time.
    """

    def elaborate(self, platform):
        m = Module()
        p = self.params
        unit, slots, width = p.unit, p.slots, p.unit.width
        index_width = max((unit.words - 1).bit_length(), 1)
        slot_width = (len(slots) - 1).bit_length()
        words = {field.name: field.words for field in p.key_operands.fields}
        m.submodules.unit = multiplier = MultiplierUnit(unit)
        m.submodules.loader = loader = KeyLoader(width, words, len(unit.key_fields))
        m.submodules.control = control = Control(
            chains=unit.chains, window=p.window_bits,
            most=windows.digit_count(p.exponent_limit, p.window_bits),
            r_squared=slots.index("r_squared"), slot_width=slot_width)
        m.submodules.digits = digits = DigitSource(width, words["exponent"], p.window_bits)
        m.submodules.reader = reader = OperandReader(unit, slot_width, index_width)
        m.submodules.memory = memory = BlockRam(width, len(slots) << index_width)
        m.submodules.residue = residue = Residue(unit, OperandReader.LATENCY)

        # Keys.
        wiring.connect(m, wiring.flipped(self.k), loader.k)
        wiring.connect(m, loader.multiplier, multiplier.k)
        m.d.comb += [
            loader.open.eq(control.idle & multiplier.turn), control.begins_key.eq(loader.begins),
            control.ends_key.eq(loader.ends), control.k_offered.eq(self.k.valid),
            digits.write.eq(loader.of.exponent), digits.index.eq(loader.index),
            digits.word.eq(loader.word),
        ]
        count = Signal(words["digits"] * width, name="count", reset_less=True)
        with m.If(loader.of.digits):
            m.d.sync += count.eq(Cat(count, loader.word)[width:])

        # Operands, of which a base comes from outside.
        wiring.connect(m, control.product, reader.product)
        wiring.connect(m, reader.o, multiplier.i)
        wiring.connect(m, wiring.flipped(self.i), multiplier.given)
        m.d.comb += control.i_offered.eq(self.i.valid)

        # The results of products. They are counted a clock after they come, since whether one comes
        # is known late.
        came, last = Signal(name="came"), Signal(name="last", init=unit.words == 1)
        index = Signal(index_width, name="index")
        word = Signal(width, name="result_word", reset_less=True)
        m.d.comb += [multiplier.o.ready.eq(1), multiplier.forward.eq(control.forward),
                     control.received.eq(came & last)]
        m.d.sync += [came.eq(multiplier.o.valid), word.eq(multiplier.o.payload)]
        with m.If(came):
            m.d.sync += [index.eq(Mux(last, 0, index + 1)),
                         last.eq((index == unit.words - 2) | (unit.words == 1))]

        # Port a of the memory writes, or reads x. Words of keys come when no result is under way.
        stored = [name for name in words if name in slots]
        loads = Cat(loader.of[name] for name in stored).any()
        place = Signal(slot_width, name="place")
        for name in stored:
            with m.If(loader.of[name]):
                m.d.comb += place.eq(slots.index(name))
        writes, stores = Signal(name="writes"), Signal(name="stores")
        addresses = [Signal(slot_width + index_width, name=f"{name}_address", reset_less=True)
                     for name in ("a", "b")]
        written = Signal(width, name="written", reset_less=True)
        m.d.comb += writes.eq(came | loads)
        m.d.sync += [stores.eq(writes), written.eq(Mux(loads, loader.word, word))]
        with m.If(writes | reader.moves):
            m.d.sync += addresses[0].eq(Mux(writes, Mux(
                loads, Cat(loader.index[:index_width], place),
                Cat(index, control.slot)), reader.x_address))
        with m.If(reader.moves):
            m.d.sync += addresses[1].eq(reader.y_address)
        m.d.comb += [
            memory.a.address.eq(addresses[0]), memory.a.write.eq(stores), memory.a.data.eq(written),
            memory.a.enable.eq(stores | reader.moves), memory.b.address.eq(addresses[1]),
            memory.b.enable.eq(reader.moves), reader.x.eq(memory.a.q), reader.y.eq(memory.b.q),
        ]

        # Digits, and the result.
        m.d.comb += [
            control.count.eq(count), control.digit.eq(digits.digit),
            digits.rewind.eq(control.begins), digits.next.eq(control.next_digit),
            residue.push.eq(came & control.final), residue.data.eq(word),
            residue.modulus.eq(reader.y), reader.idle_index.eq(residue.index),
            control.finished.eq(residue.done), control.result_free.eq(residue.free),
        ]
        if "modulus" in slots:
            m.d.comb += reader.idle_slot.eq(slots.index("modulus"))
        wiring.connect(m, residue.o, wiring.flipped(self.o))
        return m
