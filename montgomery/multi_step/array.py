"""The array of the multi-step multiplier: its head and its elements, and what they are fed with.

An iteration stands for s steps of Algorithm 3, which the paper's Main structure does in a clock.
With digits x_i of s bits, and the quotient digit q that makes the lowest s bits of V + q m zero::

    V <- (V + q m) / 2**s + 2**s x_i y

The product x_i y enters the sum two digits above the digit that q is found from. So q does not wait
for a product, and only (V + q m) / 2**s is a chain of steps. V stays below m (2**(2 s) + 1) if y is
below m, and ends below 2 m. If x and y are below 2 m, it stays below m (2**(2 s + 1) + 1), and ends
below 2 m if R is above 4 m.
"""

from amaranth.hdl import C, Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.values import add_with_carry, delays, later, signals
from .loader import moved_signature

__all__ = ["FactorDigits", "MultipleTables", "StepArray"]


class FactorDigits(wiring.Component):
    """Keeps x and serves it in digits of ``steps`` bits.

    x is served with zeros below, so that the last digit is whole: Figure 2's Remainder comes first.

    Latency: two clocks from ``start`` to the first digit. Throughput: a digit per clock.
    """

    def __init__(self, layout):
        self.layout = layout
        super().__init__({
            "moved": In(moved_signature(layout)),  # words of x
            # Multiples of y are there when the first digit is; high until ``done``.
            "prepared": In(1),
            "reserved": In(1),  # there is no place for the result yet
            "start": Out(1),  # an operation begins
            "digit": Out(layout.steps),  # one per clock; 0 before and after
            "clear": Out(1, init=1),  # low from two clocks after the first digit
            "done": Out(1),  # the head has the end of the last iteration
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
        self._size = max(len(group) for group in layout.groups)
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
        writes_m, writes_y, prepared = signals("writes_m writes_y prepared")
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
        table = Memory(shape=high - low, depth=1 << len(group), init=[])
        self._m.submodules += table
        write, read = table.write_port(), table.read_port(domain="comb")
        enable = writes[skew]
        if len(group) < self._size:
            enable &= self._index[skew] < 1 << len(group)
        self._m.d.comb += [
            write.en.eq(enable), write.addr.eq(addresses[skew]),
            write.data.eq(self._bits(low, high, skew)), read.addr.eq(index),
        ]
        return read.data

    def of_y(self, group, low, high, *, skew, index):
        """Return bits ``low`` to ``high`` of ``index`` times y, in words ``skew - 1`` and ``skew``.
        """
        return self._table(group, low, high, skew, self._writes_y, self._index, index)

    def of_modulus(self, group, low, high, *, skew, index):
        """Return the same bits of q m, the multiple for which q m + ``index`` ends in zeros."""
        return self._table(group, low, high, skew, self._writes_m, self._digit, index)


def _sum(m, name, v, values, carries):
    """Return a register with PE ``v``'s sum of values, and its carries to the PE above.

    A sum of three or more in one expression would be made of full adders; a carry chain takes half
    as many look-up tables. ``carries``, one fewer than values, come from the PE below.
    """
    word, left, out = len(values[0]), list(values), []
    # Neighbours first: a balanced tree.
    for carry_in in carries:
        a, b, *left = left
        carry = Signal(name=f"{name}_carry_{v}_{len(out)}", reset_less=True)
        total = Signal(word + 1, name=f"{name}_total_{v}_{len(out)}")
        m.d.comb += total.eq(add_with_carry(a, b, carry_in))
        m.d.sync += carry.eq(total[word])
        out.append(carry)
        left.append(total[:word])
    register = Signal(word, name=f"{name}_{v}", reset_less=True)
    m.d.sync += register.eq(left[0])
    return register, out


class StepArray:
    """Does the iterations.

    The head has the lowest ``steps`` columns and finds q from them. PE v has ``pe_width`` columns
    above, and does an iteration v + 1 clocks after the head: q, the digit of x and the carries go
    from PE to PE, and nothing is broadcast. A PE shifts the bits of its adder, not of its register,
    into the PE below, which is a clock ahead. So the number is binary after each iteration: the
    ``head`` has its lowest columns, and ``numbers`` those of each PE, each a clock later than those
    below.
    """

    def __init__(self, m, layout, digits, multiples):
        self._m, self._layout = m, layout
        self._digits, self._multiples = digits, multiples
        products = self._products()
        above = Signal(layout.steps)  # what PE 0 shifts into the head
        addend, carries, quotient, carry = self._head(products[0], above)
        addends = [addend, *self._addends(products, carries, quotient)]
        m.d.comb += above.eq(self._elements(addends, carry))

    def _columns(self, multiple_of, group, low, bits, skew, index):
        """Return a word, from bit ``low`` on, of a multiple of a number of ``bits`` bits."""
        word = self._layout.pe_width
        start, stop = max(low, 0), min(low + word, bits + len(group))
        if stop <= start:
            return C(0, word)
        return Cat(C(0, start - low),
                   multiple_of(group, start, stop, skew=skew, index=index[group.start:group.stop]),
                   C(0, low + word - stop))

    def _products(self):
        """Return x_i y for each PE, a register per word."""
        m, g, word = self._m, self._layout, self._layout.pe_width
        products, digit, carries = [], self._digits.digit, [C(0, 1)] * (len(g.groups) - 1)
        for v in range(g.elements):
            if v:
                digit = later(m, digit, 1, "digit", number=v)
            # Bit 0 of y times bit 0 of the digit stands in column 0 of PE 0.
            found = [self._columns(self._multiples.of_y, group, v * word - group.start, g.bits,
                                   v, digit) for group in g.groups]
            product, carries = _sum(m, "product", v, found, carries)
            products.append(product)
        return products

    def _head(self, product, above):
        """Find the quotient, and add q m to the columns that cannot wait for it.

        Return what PE 0 adds, the carries above that, the quotient, and the carry from the head.
        """
        m, g, s = self._m, self._layout, self._layout.steps
        self.head = head = Signal(s, name="head", reset_less=True)
        value = Cat(head, above, product)
        digits = []
        for group in g.groups:
            index, rest = value[:len(group)], value[len(group):]
            digits.append(index)
            part = self._multiples.of_modulus(
                group, len(group), min(2 * s + g.pe_width - group.start, g.width + len(group)),
                skew=1, index=index)
            # With q m the lowest bits become 0, and carry 1 if they were not 0 before.
            rounded = index.any()
            if group is not g.groups[-1]:
                value = Signal(len(rest) + 1, name=f"value_{group.start}")
                m.d.comb += value.eq(add_with_carry(rest, part, rounded))
        carry = Signal(reset_less=True)
        m.d.sync += Cat(head, carry).eq(add_with_carry(rest[:s], part[:s], rounded))
        with m.If(self._digits.clear):
            m.d.sync += [head.eq(0), carry.eq(0)]
        addend = Signal(g.pe_width, name="addend_0", reset_less=True)
        over = Signal(range(len(g.groups) + 1), name="over", reset_less=True)
        m.d.sync += Cat(addend, over).eq(rest[s:] + part[s:])
        quotient = Signal(s, name="quotient_0", reset_less=True)
        m.d.sync += quotient.eq(Cat(digits))
        return addend, [over > index for index in range(len(g.groups))], quotient, carry

    def _addends(self, products, carries, quotient):
        """Return q m + x_i y for each PE but the lowest, a register per word."""
        m, g, word, s = self._m, self._layout, self._layout.pe_width, self._layout.steps
        addends = []
        for v in range(1, g.elements):
            found = [self._columns(self._multiples.of_modulus, group,
                                   v * word + 2 * s - group.start, g.width, v + 1, quotient)
                     for group in g.groups]
            addend, carries = _sum(m, "addend", v, [*found, products[v]], carries)
            addends.append(addend)
            quotient = later(m, quotient, 1, "quotient", number=v)
        return addends

    def _elements(self, addends, carry):
        """Add to the number of each PE; return what the lowest one shifts into the head."""
        m, elements, word, s = (self._m, self._layout.elements, self._layout.pe_width,
                                self._layout.steps)
        self.numbers = [Signal(word, name=f"number_{v}", reset_less=True) for v in range(elements)]
        sums = [Signal(word + 1, name=f"sum_{v}") for v in range(elements)]
        clear = self._digits.clear
        for v in range(elements):
            # 2 s columns or more: these s bits do not depend on what comes from further above.
            shifted_in = sums[v + 1][:s] if v + 1 < elements else C(0, s)
            number = Cat(self.numbers[v][s:], shifted_in)
            m.d.comb += sums[v].eq(add_with_carry(number, addends[v], carry))
            carry = Signal(name=f"number_carry_{v}", reset_less=True)
            m.d.sync += Cat(self.numbers[v], carry).eq(sums[v])
            if v:
                clear = later(m, clear, 1, "clear", number=v, reset_less=False, init=1)
            with m.If(clear):
                m.d.sync += [self.numbers[v].eq(0), carry.eq(0)]
        return sums[0][:s]
