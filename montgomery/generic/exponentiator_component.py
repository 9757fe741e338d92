"""The hardware of the generic exponentiator, put together."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks import windows
from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..blocks.program import OneHot
from ..blocks.values import signals
from ..blocks.windows import DigitSource
from ..core import Core
from ..units.residue import Residue
from ..units.unit import MultiplierUnit
from .reader import KeyLoader, OperandReader, product_layout

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
        writes, stores = signals("writes stores")
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


class Control(wiring.Component):
    """Says which product is next, and when keys, bases and results move.

    Its states:

    - IDLE: nothing has begun, or the words of a key come. A key that is offered goes before a base.
    - RADIX: entry 0 of the table, R, is R**2 times 1. STORE: wait for it.
    - ENTER: entry 1 is the base times R**2.
    - TABLE: each further entry is the one before times entry 1.
    - FIRST: the table is complete, and the power is the entry of the highest digit.
    - SQUARE, MULTIPLY: for each further digit, as many squares as it has bits, and a product.
    - LEAVE: the last product is by 1, or by a power of 2. FINISH: wait for the result.

    A product is prepared while those before it are under way, one at most, or three where results
    are operands without being stored first. So what is under way decides on no path of the clock
    in which a result comes, except whether the product that is prepared may go.

    Latency: a product is offered in the clock after the one that its state begins with. Throughput:
    as many products as the multiplier takes, since the next one waits at ``product``.

    With ``chains`` results are operands without being stored first. Digits have ``window`` bits,
    and the longest exponent has ``most`` of them. The slots of the table are first, and that of the
    power is next; R**2 is in slot ``r_squared``.
    """

    def __init__(self, *, chains, window, most, r_squared, slot_width):
        self._chains, self._window, self._r_squared = chains, window, r_squared
        self._slot_width = slot_width
        super().__init__({
            "idle": Out(1),  # state IDLE
            # The first word of a key comes; the last one came.
            "begins_key": In(1), "ends_key": In(1),
            "k_offered": In(1), "i_offered": In(1),  # there is a word at port ``k``, at port ``i``
            "begins": Out(1),  # an exponentiation begins, with the first digit
            "count": In(range(most + 1)),  # number of digits
            "digit": In(window), "next_digit": Out(1),  # for DigitSource
            # For the reader of operands.
            "product": Out(stream.Signature(product_layout(slot_width))),
            "received": In(1),  # the last word of a result came in the clock before
            "result_free": In(1),  # there is room for the result of an exponentiation
            # Words that came in the clock before, if any, are those of the last product.
            "final": Out(1),
            "finished": In(1),  # all is done with them
            "slot": Out(range((1 << window) + 1)),  # where the result that comes belongs
            "forward": Out(1),  # it is an operand of the product behind
        })

    def elaborate(self, platform):
        m = Module()
        chains, window = self._chains, self._window
        prepared = Signal(name="prepared")
        product = Signal(product_layout(self._slot_width), name="prepared_product")
        # Products under way: at least so many, one-hot from below. Before entry 1 is stored there
        # are two at most, since the one after them reads it.
        under_way = Signal(3 if chains else 1, name="under_way")
        full, takes, entered = signals("full takes entered")
        last = under_way[1] | (under_way[0] & ~entered) if chains else 1  # the next one fills it
        m.d.comb += [self.product.valid.eq(prepared & ~full), self.product.payload.eq(product),
                     takes.eq(self.product.valid & self.product.ready)]
        m.d.sync += full.eq((full | (takes & last)) & ~self.received)
        with m.If(takes & ~self.received):
            m.d.sync += under_way.eq(Cat(1, under_way[:-1]))
        with m.If(self.received & ~takes):
            m.d.sync += under_way.eq(under_way >> 1)
        settled = ~under_way[0] & ~prepared

        has_key = Signal(name="has_key")
        target = Signal.like(self.slot, name="target")  # slot of the last product prepared
        complete = Signal(name="complete")  # no entry of the table is missing
        fresh = Signal(name="fresh")  # the power is the entry of the first digit
        squares = Signal(window, name="squares", init=1)  # one-hot
        left = Signal.like(self.count, name="left")  # digits from the current one on
        more = Signal(name="more")  # there are others

        at = OneHot("IDLE", "RADIX", "STORE", "ENTER", "TABLE", "FIRST", "SQUARE", "MULTIPLY",
                    "LEAVE", "FINISH")
        free = ~prepared
        squared, multiplied = at["SQUARE"] & free, at["MULTIPLY"] & free
        leaves = at["LEAVE"] & free & self.result_free
        at.follow(m, [
            ("IDLE", "RADIX", self.ends_key),
            ("RADIX", "STORE", 1),
            ("STORE", "IDLE", settled),
            ("IDLE", "ENTER", self.i_offered & has_key & ~self.k_offered),
            ("ENTER", "FIRST" if window == 1 else "TABLE", 1),
            ("TABLE", "FIRST", free & complete),
            ("FIRST", "SQUARE", settled & more),
            ("FIRST", "LEAVE", settled & ~more),
            ("SQUARE", "MULTIPLY", free & squares[-1]),
            ("MULTIPLY", "SQUARE", free & more),
            ("MULTIPLY", "LEAVE", free & ~more),
            ("LEAVE", "FINISH", free & self.result_free),
            ("FINISH", "IDLE", self.finished),
        ])

        # The product of each state. What is not prepared yet may be anything.
        extends = at["TABLE"] & free & ~complete
        begins = at["RADIX"] | at["ENTER"]
        prepares = begins | extends | squared | multiplied | leaves
        operand = Mux(fresh, self.digit, target)
        m.d.sync += prepared.eq(prepares | (prepared & ~takes))
        with m.If(free):
            m.d.sync += [
                product.x.eq(Mux(at["RADIX"], self._r_squared, operand)),
                product.y.eq(gate(at["ENTER"], Const(self._r_squared, self._slot_width))
                             | at["TABLE"]  # entry 1
                             | gate(at["SQUARE"], operand) | gate(at["MULTIPLY"], self.digit)),
                product.x_kept.eq(~begins & ~fresh), product.x_is_base.eq(at["ENTER"]),
                product.y_kept.eq((at["TABLE"] & (target == 1)) | (at["SQUARE"] & ~fresh)),
                product.y_is_1.eq(at["RADIX"]), product.y_leaves.eq(at["LEAVE"]),
            ]
        m.d.sync += fresh.eq(at["FIRST"] | (fresh & ~prepares))
        with m.If(begins):
            m.d.sync += [target.eq(at["ENTER"]), self.slot.eq(at["ENTER"])]
        with m.Else():
            with m.If((extends | squared) & ~target[-1]):
                m.d.sync += target.eq(target + 1)
            with m.If(self.received & ~self.slot[-1]):
                m.d.sync += self.slot.eq(self.slot + 1)
        with m.If(squared):
            m.d.sync += squares.eq(squares.rotate_left(1))
        m.d.comb += [self.next_digit.eq((squared & fresh) | multiplied), self.idle.eq(at["IDLE"]),
                     self.begins.eq(at["ENTER"])]
        with m.If(self.begins):
            m.d.sync += left.eq(self.count)
        with m.Elif(self.next_digit):
            m.d.sync += left.eq(left - 1)
        m.d.sync += [
            complete.eq(target[:window].all()), more.eq(left > 1),
            has_key.eq((has_key & ~self.begins_key) | at["STORE"]),
            self.final.eq(at["FINISH"] & ~prepared & ~under_way[1:].any()),
            entered.eq(~begins & (entered | self.received)),
            # Neither entry 0, nor the last entry, nor the result.
            self.forward.eq(~((self.slot == 0) | self.slot[:window].all() | self.final)),
        ]
        return m
