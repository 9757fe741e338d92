"""The datapath of the multi-step multiplier."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.gather import Gather
from ..blocks.streams import Narrow, Widen, adapt
from ..blocks.word_buffer import WordBuffer
from ..core import Signature
from .layout import Layout
from .multiples import Gates, Tables
from .operands import Operands

__all__ = ["Multiplier"]


def _sum(values):
    """Return the sum of ``values`` by a balanced tree of adders."""
    values = list(values)
    while len(values) > 1:
        values = [a + b for a, b in zip(values[::2], values[1::2], strict=False)] + (
            values[-1:] if len(values) % 2 else [])
    return values[0] if values else C(0, 1)


def _add(a, b, carry):
    """Return ``a + b + carry`` by one carry chain."""
    return (Cat(C(1, 1), a) + Cat(carry, b))[1:]


class _Core(wiring.Component):
    def __init__(self, layout):
        self.layout = layout
        super().__init__({"i": In(stream.Signature(layout.pe_width)),
                          "o": Out(stream.Signature(layout.pe_width))})

    def elaborate(self, platform):
        m = Module()
        g, s, word = self.layout, self.layout.steps, self.layout.pe_width
        m.submodules.operands = operands = Operands(g)
        wiring.connect(m, wiring.flipped(self.i), operands.i)
        multiples = (Tables if g.look_up else Gates)(m, g, operands)

        # -- x y, for each PE a clock later than for the one below.
        products = []
        digit, over = operands.digit, C(0, 1)
        for v in range(g.elements):
            if v:
                late = Signal(s, name=f"digit_{v}", reset_less=True)
                m.d.sync += late.eq(digit)
                digit = late
            found = []
            for group in g.groups:
                # Column 0 of a PE ``v`` has bit v word of y times bit 0 of the digit.
                low = v * word - group.offset
                high = min(low + word, g.width + group.size)
                if high > max(low, 0):
                    value = multiples.of_y(
                        group, max(low, 0), high, skew=v,
                        index=digit[group.offset:group.offset + group.size])
                    found.append(Cat(C(0, max(-low, 0)), value))
            product = Signal(word, name=f"product_{v}", reset_less=True)
            total = _sum([*found, over] if v else found)
            over = Signal(range(len(g.groups) + 1), name=f"product_over_{v}", reset_less=True)
            m.d.sync += Cat(product, over).eq(total)
            products.append(product)

        # -- The head: the quotient, and q m for the columns that cannot wait.
        head = Signal(s, reset_less=True)
        above = Signal(s)  # what the lowest PE shifts into the head
        value = Cat(head, C(0, s), products[0])
        digits = []
        for group in g.groups:
            index = value[:group.size]
            digits.append(index)
            part = multiples.of_modulus(group, group.size, min(2 * s + word - group.offset,
                                                               g.width + group.size),
                                        skew=1, index=index)
            # The bits below are 0 with q m, and carry a 1 unless they were 0 without.
            carry = index.any()
            total = (value[group.size:] + part if group is g.groups[-1] else
                     _add(value[group.size:], part, carry))
            value = Signal(len(total), name=f"value_{group.offset}")
            m.d.comb += value.eq(total)
        carry_out = Signal(reset_less=True)
        m.d.sync += Cat(head, carry_out).eq(_add(above, value[:s], carry))
        with m.If(operands.clear):
            m.d.sync += [head.eq(0), carry_out.eq(0)]
        addend = Signal(word, name="addend_0", reset_less=True)
        over = Signal(range(len(g.groups) + 1), name="over_0", reset_less=True)
        m.d.sync += Cat(addend, over).eq(value[s:])
        quotient = Signal(s, name="quotient_0", reset_less=True)
        m.d.sync += quotient.eq(Cat(*digits))

        # -- PEs.
        numbers, addends, carries, sums = [], [], [], []
        clear = operands.clear
        for v in range(g.elements):
            if v:
                found = []
                for group in g.groups:
                    low = v * word + 2 * s - group.offset
                    high = min(low + word, g.width + group.size)
                    if high > low:
                        found.append(multiples.of_modulus(
                            group, low, high, skew=v + 1,
                            index=quotient[group.offset:group.offset + group.size]))
                addend = Signal(word, name=f"addend_{v}", reset_less=True)
                total = _sum([*found, products[v], over])
                over = Signal(range(len(g.groups) + 1), name=f"over_{v}", reset_less=True)
                m.d.sync += Cat(addend, over).eq(total)
                late = Signal(s, name=f"quotient_{v}", reset_less=True)
                m.d.sync += late.eq(quotient)
                quotient = late
                late = Signal(name=f"clear_{v}", init=1)
                m.d.sync += late.eq(clear)
                clear = late
            number = Signal(word, name=f"number_{v}", reset_less=True)
            sum_ = Signal(word + 1, name=f"sum_{v}")
            carry = carry_out
            carry_out = Signal(name=f"carry_out_{v}", reset_less=True)
            m.d.sync += Cat(number, carry_out).eq(sum_)
            with m.If(clear):
                m.d.sync += [number.eq(0), carry_out.eq(0)]
            numbers.append(number)
            addends.append(addend)
            carries.append(carry)
            sums.append(sum_)
        for v in range(g.elements):
            from_above = sums[v + 1][:s] if v + 1 < g.elements else C(0, s)
            m.d.comb += sums[v].eq(_add(Cat(numbers[v][s:], from_above), addends[v], carries[v]))
        m.d.comb += above.eq(sums[0])

        # -- Result.
        m.submodules.gather = gather = Gather(word, g.operand_words + 1)
        chosen = [operands.done]
        for v in range(g.operand_words):
            signal = Signal(name=f"chosen_{v}")
            m.d.sync += signal.eq(chosen[-1])
            chosen.append(signal)
        m.d.comb += [gather.chosen.eq(Cat(*chosen)),
                     gather.words[0].eq(Cat(C(0, word - s), head))]
        m.d.comb += [gather.words[v + 1].eq(numbers[v]) for v in range(g.operand_words)]
        first = operands.done
        for index in range(Gather.latency_of(g.operand_words + 1)):
            signal = Signal(name=f"first_{index}")
            m.d.sync += signal.eq(first)
            first = signal
        m.submodules.modulus = modulus = WordBuffer(word, g.operand_words)
        m.submodules.result = result = WordBuffer(2 * word, g.operand_words)
        tail = Signal(s, reset_less=True)
        z, d = Signal(word, reset_less=True), Signal(word, reset_less=True)
        borrow = Signal(reset_less=True)
        subtracting, storing, ends = Signal(), Signal(), Signal()
        last = subtracting & modulus.last
        now = Cat(tail, gather.word[:word - s])
        m.d.sync += [
            subtracting.eq((subtracting | first) & ~last),
            storing.eq(subtracting),
            ends.eq(last),
            tail.eq(gather.word[word - s:]),
            z.eq(now),
            Cat(d, borrow).eq((Cat(C(0, 1), now) - Cat(borrow, modulus.o.payload))[1:]),
        ]
        with m.If(first):
            m.d.sync += borrow.eq(0)
        decided, keep, available = Signal(), Signal(), Signal()
        finished = self.o.valid & self.o.ready & result.last
        with m.If(ends):
            m.d.sync += keep.eq(borrow & ~tail[0])
        m.d.sync += [
            decided.eq((decided | ends) & ~finished),
            available.eq((available | storing) & ~finished),
        ]
        m.d.comb += [
            modulus.push.eq(operands.load_m), modulus.data.eq(operands.word),
            modulus.available.eq(~(operands.taking_m | operands.load_m)), modulus.o.ready.eq(subtracting),
            result.push.eq(storing), result.data.eq(Cat(z, d)), result.available.eq(available),
            result.o.ready.eq(decided & self.o.ready),
            self.o.valid.eq(decided & result.o.valid),
            self.o.payload.eq(Mux(keep, result.o.payload[:word], result.o.payload[word:])),
            operands.finished.eq(finished),
        ]
        return m


class Multiplier(wiring.Component):
    """draft"""

    def __init__(self, params):
        self.layout = Layout.of(params)
        super().__init__(Signature(params.word_width))

    def elaborate(self, platform):
        m = Module()
        g = self.layout
        m.submodules.core = core = _Core(g)
        if g.parts > 1:
            m.submodules.widen = widen = Widen(g.pe_width // g.parts, g.parts)
            m.submodules.narrow = narrow = Narrow(g.pe_width // g.parts, g.parts)
            wiring.connect(m, wiring.flipped(self.i), widen.i)
            wiring.connect(m, widen.o, core.i)
            wiring.connect(m, core.o, narrow.i)
            wiring.connect(m, narrow.o, wiring.flipped(self.o))
        else:
            adapt(m, self, core, width=g.pe_width, ratio=g.ratio)
        return m
