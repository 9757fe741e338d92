"""Multiples of y and of the modulus, chosen by a few bits: looked up, or gated."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.delay import delays

__all__ = ["Gates", "Table", "Tables"]


class Gates:
    """The multiples 0 and 1, with the operands in registers.

    Parameters
    ----------
    m : :class:`~amaranth.hdl.Module`
    layout : :class:`~.layout.Layout`
    loader : :class:`~.loader.Loader`
    digits : :class:`~.digits.Digits`
    """

    def __init__(self, m, layout, loader, digits):
        self._registers = {}
        for name, bits, load in (("m", layout.width, loader.loads_key),
                                 ("y", layout.bits, ~loader.loads_key)):
            register = Signal(bits, name=name, reset_less=True)
            for index, low in enumerate(range(0, bits, layout.pe_width)):
                with m.If(load & loader.place[index]):
                    m.d.sync += register[low:low + layout.pe_width].eq(loader.word_y)
            self._registers[name] = register
        m.d.comb += [digits.prepared.eq(1), loader.filling.eq(0)]

    def of_y(self, group, low, high, *, skew, index):
        """Return bits ``low`` to ``high`` of a multiple of y; see :meth:`Tables.of_y`."""
        return gate(index, self._registers["y"][low:high])

    def of_modulus(self, group, low, high, *, skew, index):
        """Return bits of a multiple of the modulus; see :meth:`Tables.of_modulus`."""
        return gate(index, self._registers["m"][low:high])


class Table(wiring.Component):
    """Some bits of all multiples of an operand.

    Latency: none; a multiple may be looked up in the clock after it was written. Throughput: one
    multiple is written and one is looked up per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits.
    depth : :class:`int`
        Number of multiples.

    Members
    -------
    write : :py:`In(1)`
    write_index : :py:`In(range(depth))`
    data : :py:`In(width)`
        Is kept as the multiple of ``write_index`` where ``write`` is high.
    index : :py:`In(range(depth))`
    word : :py:`Out(width)`
        The multiple of ``index``, in the same clock.
    """

    def __init__(self, width, depth):
        self.depth = depth
        self.width = width
        super().__init__({"write": In(1), "write_index": In(range(depth)), "data": In(width),
                          "index": In(range(depth)), "word": Out(width)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(shape=self.width, depth=self.depth, init=[])
        write = memory.write_port()
        read = memory.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(self.write),
            write.addr.eq(self.write_index),
            write.data.eq(self.data),
            read.addr.eq(self.index),
            self.word.eq(read.data),
        ]
        return m


class Tables:
    """All multiples in tables, which are filled as the words of the number come.

    The multiples of a number are made one per clock by adding it to itself. Each word is a clock
    later than the word below, whose carry it takes; a table whose bits lie in two words takes those
    of the lower one a clock late. The same adders serve the modulus and y. A number that comes
    again, from its lowest word on, is added up again.

    Parameters
    ----------
    m : :class:`~amaranth.hdl.Module`
    layout : :class:`~.layout.Layout`
    loader : :class:`~.loader.Loader`
    digits : :class:`~.digits.Digits`
    """

    def __init__(self, m, layout, loader, digits):
        self._m, self._layout = m, layout
        self._size = max(group.size for group in layout.groups)
        writes_m, writes_y, index = self._sequence(loader, digits)
        self._writes_m = self._in_each_word(writes_m, "writes_m")
        self._writes_y = self._in_each_word(writes_y, "writes_y")
        self._index = self._in_each_word(index, "index")
        self._adders(loader)
        # A multiple q m is looked up by the digit that it makes 0. It is known a clock late.
        negated = Signal(self._size, name="negated")
        m.d.sync += negated.eq(-self._words[0][:self._size])
        self._digit = [None, *self._in_each_word(negated, "digit")]

    def _in_each_word(self, value, name):
        """Return ``value``, and for each further word what it was a clock before."""
        # A table of the modulus in the uppermost PE is written a clock after that PE's word.
        return delays(self._m, value, self._layout.elements, name, reset_less=False, number=1)

    def _sequence(self, loader, digits):
        """Write the multiples of the lowest word, from the clock after it has come."""
        m, entries = self._m, self._layout.entries
        begins = loader.place[0]
        writes_m, writes_y = Signal(name="$signal"), Signal(name="$signal")
        prepared = Signal(name="prepared")
        index = Signal(self._size, name="index")
        ends = index == entries - 1
        soon = writes_y & (index == entries - 2)
        m.d.comb += [digits.prepared.eq(prepared | soon),
                     loader.filling.eq(begins | writes_m | writes_y)]
        m.d.sync += [
            writes_m.eq((writes_m & ~ends) | (begins & loader.loads_key)),
            writes_y.eq((writes_y & ~ends) | (begins & ~loader.loads_key)),
            prepared.eq((prepared | soon) & ~(begins | digits.done)),
            index.eq(index + 1),
        ]
        with m.If(begins):
            m.d.sync += index.eq(0)
        return writes_m, writes_y, index

    def _adders(self, loader):
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
            total = (Cat(Const(1, 1), multiple) + Cat(carry, addend))[1:]
            m.d.sync += [Cat(multiple, carry_out).eq(total), late.eq(multiple)]
            with m.If(loader.place[v]):
                m.d.sync += [multiple.eq(0), addend.eq(loader.word_y)]
            self._words.append(multiple)
            self._late.append(late)
            carry = carry_out

    def _bits(self, low, high, skew):
        """Return bits ``low`` to ``high`` of the multiple that word ``skew`` has."""
        word = self._layout.pe_width
        return Cat((self._words if bit // word == skew else self._late)[bit // word][bit % word]
                   for bit in range(low, high))

    def _table(self, group, low, high, skew, writes, addresses, index):
        table = Table(high - low, 1 << group.size)
        self._m.submodules += table
        write = writes[skew]
        if group.size < self._size:
            write &= self._index[skew] < 1 << group.size
        self._m.d.comb += [
            table.write.eq(write),
            table.write_index.eq(addresses[skew]),
            table.data.eq(self._bits(low, high, skew)),
            table.index.eq(index),
        ]
        return table.word

    def of_y(self, group, low, high, *, skew, index):
        """Return bits ``low`` to ``high`` of ``index`` times y.

        Parameters
        ----------
        group : :class:`~.layout.Group`
            What ``index`` is.
        skew : :class:`int`
            The bits are of words ``skew - 1`` and ``skew``.
        """
        return self._table(group, low, high, skew, self._writes_y, self._index, index)

    def of_modulus(self, group, low, high, *, skew, index):
        """Return bits of the multiple q of the modulus for which q m + ``index`` ends in zeros.

        Parameters are those of :meth:`of_y`.
        """
        return self._table(group, low, high, skew, self._writes_m, self._digit, index)
