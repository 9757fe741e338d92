"""The factors of a product: digits of one, and multiples of the other one and of the modulus."""

from amaranth.hdl import C, Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.values import add_with_carry, delays
from .loader import moved_signature

__all__ = ["FactorDigits", "MultipleTables"]


class FactorDigits(wiring.Component):
    """Keeps x and serves it in digits of ``steps`` bits.

    x is served with zeros below, so that the last digit is whole: Figure 2's Remainder comes first.

    Latency: two clocks from ``start`` to the first digit. Throughput: a digit per clock.

    Members
    -------
    moved : :py:`In(moved_signature(layout))`
        Words of x.
    prepared : :py:`In(1)`
        Multiples of y are there when the first digit is; high until ``done``.
    reserved : :py:`In(1)`
        There is no place for the result yet.
    start : :py:`Out(1)`
        An operation begins.
    digit : :py:`Out(steps)`
        The digits, one per clock, from two clocks after ``start``; 0 before and after.
    clear : :py:`Out(1)`
        Low from two clocks after the first digit.
    done : :py:`Out(1)`
        The head has the end of the last iteration.
    """

    def __init__(self, layout):
        self.layout = layout
        super().__init__({
            "moved": In(moved_signature(layout)), "prepared": In(1), "reserved": In(1),
            "start": Out(1), "digit": Out(layout.steps), "clear": Out(1, init=1), "done": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        g = self.layout
        waiting = Signal()  # with x complete
        serving = Signal()
        left = Signal(range(g.iterations + 2))
        m.d.comb += self.start.eq((waiting | self.moved.last) & self.prepared & ~self.reserved)
        m.d.sync += [
            waiting.eq((waiting | self.moved.last) & ~self.start),
            serving.eq((serving | self.start) & ~self.done),
            self.done.eq(serving & (left == 0)),
        ]
        with m.If(serving):
            m.d.sync += left.eq(left - 1)
        with m.Else():
            m.d.sync += left.eq(g.iterations + 1)
        late = Signal(2)
        m.d.sync += [late.eq(Cat(serving, late)), self.clear.eq(~late[-1])]

        # -- The digits of x.
        empty = g.digits * g.steps - g.r_bits
        x = Signal(empty + g.bits, reset_less=True)
        shifted = Cat(x[g.steps:], C(0, g.steps))
        for index in range(g.operand_words):
            low = index * g.pe_width
            part = slice(low + empty, min(low + g.pe_width, g.bits) + empty)
            with m.If(serving):
                m.d.sync += x[part].eq(shifted[part])
            with m.Elif(self.moved.place[index]):
                m.d.sync += x[part].eq(self.moved.x)
        if empty:
            m.d.sync += x[:empty].eq(gate(serving, shifted[:empty]))
        m.d.sync += self.digit.eq(gate(serving, x[:g.steps]))
        return m


class MultipleTables:
    """All multiples in tables, which are filled as the words of the number come.

    The multiples of a number are made one per clock by adding it to itself. Each word is a clock
    later than the word below, whose carry it takes; a table whose bits lie in two words takes those
    of the lower one a clock late. The same adders serve the modulus and y.
    """

    def __init__(self, m, layout, mover, digits):
        self._m, self._layout = m, layout
        self._size = max(group.size for group in layout.groups)
        writes_m, writes_y, index = self._sequence(mover, digits)
        self._writes_m = self._in_each_word(writes_m, "writes_m", reset_less=False)
        self._writes_y = self._in_each_word(writes_y, "writes_y", reset_less=False)
        self._index = self._in_each_word(index, "index")
        self._adders(mover)
        # A multiple q m is looked up by the digit that it makes 0. It is known a clock late.
        negated = Signal(self._size, reset_less=True)
        m.d.sync += negated.eq(-self._words[0][:self._size])
        self._digit = [None, *self._in_each_word(negated, "digit")]

    def _in_each_word(self, value, name, *, reset_less=True):
        """Return ``value``, and for each further word what it was a clock before."""
        # A table of the modulus in the uppermost PE is written a clock after that PE's word.
        return delays(self._m, value, self._layout.elements, name, reset_less=reset_less,
                      number=1)

    def _sequence(self, mover, digits):
        """Write the multiples of the lowest word, from the clock after it has come."""
        m, entries = self._m, self._layout.entries
        begins = mover.moved.place[0]
        writes_m, writes_y = Signal(name="writes_m"), Signal(name="writes_y")
        prepared = Signal()
        index = Signal(self._size, reset_less=True)
        ends = index == entries - 1
        soon = writes_y & (index == entries - 2)
        m.d.comb += [digits.prepared.eq(prepared | soon),
                     mover.filling.eq(begins | writes_m | writes_y)]
        m.d.sync += [
            writes_m.eq((writes_m & ~ends) | (begins & mover.moved.of_key)),
            writes_y.eq((writes_y & ~ends) | (begins & ~mover.moved.of_key)),
            prepared.eq((prepared | soon) & ~(begins | digits.done)),
            index.eq(index + 1),
        ]
        with m.If(begins):
            m.d.sync += index.eq(0)
        return writes_m, writes_y, index

    def _adders(self, mover):
        """Make the words of the multiples, and ``late``, the same a clock later."""
        m, g, word = self._m, self._layout, self._layout.pe_width
        self._words, self._late = [], []
        carry = Const(0, 1)
        for v in range(g.elements):
            size = max(0, min(word, g.bits - v * word))
            addend = Signal(size, name=f"multiplicand_{v}", reset_less=True)
            multiple, late = (Signal(word, name=f"{name}_{v}", reset_less=True)
                              for name in ("multiple", "late"))
            carry_out = Signal(name=f"multiple_carry_{v}", reset_less=True)
            m.d.sync += [Cat(multiple, carry_out).eq(add_with_carry(multiple, addend, carry)),
                         late.eq(multiple)]
            with m.If(mover.moved.place[v]):
                m.d.sync += [multiple.eq(0), addend.eq(mover.moved.y)]
            self._words.append(multiple)
            self._late.append(late)
            carry = carry_out

    def _bits(self, low, high, skew):
        """Return bits ``low`` to ``high`` of the multiple that word ``skew`` has."""
        word = self._layout.pe_width
        return Cat((self._words if bit // word == skew else self._late)[bit // word][bit % word]
                   for bit in range(low, high))

    def _table(self, group, low, high, skew, writes, addresses, index):
        table = Memory(shape=high - low, depth=1 << group.size, init=[])
        self._m.submodules += table
        write, read = table.write_port(), table.read_port(domain="comb")
        enable = writes[skew]
        if group.size < self._size:
            enable &= self._index[skew] < 1 << group.size
        self._m.d.comb += [
            write.en.eq(enable), write.addr.eq(addresses[skew]),
            write.data.eq(self._bits(low, high, skew)), read.addr.eq(index),
        ]
        return read.data

    def of_y(self, group, low, high, *, skew, index):
        """Return bits ``low`` to ``high`` of ``index`` times y, where ``index`` has a group's bits.

        The bits lie in words ``skew - 1`` and ``skew``.
        """
        return self._table(group, low, high, skew, self._writes_y, self._index, index)

    def of_modulus(self, group, low, high, *, skew, index):
        """Return the same bits of q m, the multiple for which q m + ``index`` ends in zeros."""
        return self._table(group, low, high, skew, self._writes_m, self._digit, index)
