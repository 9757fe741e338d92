"""Words of code, how numbers are laid out in words, and how many clocks things take."""

from fractions import Fraction

from amaranth.lib import data, enum

from ..blocks.block_ram import BlockRam
from ..blocks.streams import Skid
from ..core import Message, ceil_div, to_words, traits
from ..points.microcode import Timing
from ..units.unit import Unit
from .reader import PairFeeder

__all__ = ["ENTRIES", "FREE", "MOST_WAIT", "ROWS", "SPARE", "WINDOW", "Control", "PointLayout",
           "Source", "code_layout", "table_number"]

#: Bits of a digit of the scalar, and multiples of the point in the table, 0 to 8.
WINDOW = 4
ENTRIES = (1 << WINDOW - 1) + 1
#: Bits that the modulus of the multiplier has more than the prime, so that sums need no reduction.
SPARE = 6
#: Rows that are added to differences, before those with the key.
ROWS = SPARE + 2
_NUMBERS = 64
_FIRST = 16 - ENTRIES


def table_number(part, multiple):
    """Return the number of the memory that holds coordinate 0 to 2 of a multiple of the point."""
    return 16 * part + _FIRST + multiple


_TABLE = {table_number(part, multiple) for part in range(3) for multiple in range(ENTRIES)}
#: Numbers of the memory that are not in the table.
FREE = tuple(number for number in range(_NUMBERS) if number not in _TABLE)


class PointLayout:
    """Numbers, slots and clocks of a :class:`~.point_engine.PointEngine` with so many ``arrays`` of
    a multiplier, ``inner``, which take products in turn. Words of ``width`` bits are some of those
    of the multiplier.

    In a slot all words of one number go by, and the next slot follows at once. A step takes
    :attr:`step_clocks` clocks, and moves a word.

    :exc:`ValueError` says that numbers do not fit in the words of the multiplier.
    """

    def __init__(self, inner, arrays, modulus, width):
        self.unit = unit = Unit(inner)
        self.arrays, self.width = arrays, width
        if inner.bound(modulus) < 2 * modulus:
            raise ValueError("The multiplier must give results below twice the modulus, so that "
                             "sums need not be compared, but gives them below the modulus; choose "
                             "another one, or other parameters of it")

        # -- Numbers.
        self.parts = width // unit.width  # words of the multiplier in a word
        self.words = ceil_div(unit.words, self.parts)  # of a number
        self.index_bits = (self.words - 1).bit_length()  # of the place of a word
        # The multiple of the modulus to which the multiplier reduces products.
        self.multiple = inner.bound(modulus) // 2
        # A product of numbers below a and b multiples is below a b ratio + 1 multiples.
        self.ratio = Fraction(self.multiple, inner.r)
        # Products by 1 are at most 2**halvings moduli; it is a multiple of words.
        self.halvings = width * ceil_div((self.multiple // modulus - 1).bit_length(), width)
        self.limit = modulus << self.halvings  # by which results are reduced, after doublings
        self.skipped = self.halvings // width  # words of a result that are 0, below the others
        room = unit.words * unit.width
        if self.limit << 1 > 1 << room:
            raise ValueError(f"The {room} bits of a number of the multiplier must leave more "
                             "room above the prime; choose another word_width")
        self.key = self._key(modulus)

        # -- Code, in the memory with rows, whose words have the bits of a block or more.
        self.code_width = max(width, 18)
        self.code_parts = ceil_div(code_layout().size, self.code_width)  # words of a word of code

        # -- Steps of a slot, from an address.
        cycles = inner.cycles
        # Clocks of a step: those in which the multiplier takes a word, 1 or 2.
        self.step_clocks = ceil_div(cycles.load, inner.i_words) if self.parts == 1 else 1
        # Short code is worth more than clocks where the multiplier takes words in turns.
        self.is_compact = self.step_clocks == 2
        self.read_steps = BlockRam.LATENCY // self.step_clocks  # until the word is there
        self.write_steps = self.read_steps + 3  # until the word of the result is written

        # -- Clocks from the first one of a slot.
        # Until the first word is read, and until the first one is written.
        self.first_read = self.step_clocks * self.read_steps + self.step_clocks - 1
        self.first_write = self.step_clocks * self.write_steps
        # Words go to the multiplier as they are read, since it takes one in each clock.
        self.is_direct = self.parts == self.step_clocks == 1 and unit.chains
        # Until the last word of its pair is at the multiplier. Words that come slower than they can
        # be fed are fed when all are there.
        self.fed = self.first_read + cycles.load - 1 + unit.front + Skid.LATENCY
        if not self.is_direct:
            waits = self.step_clocks * (self.words - 1) if self.step_clocks > 1 else 0
            self.fed += waits + PairFeeder.LATENCY + (0 if unit.chains else PairFeeder.BETWEEN)
        # Until words of its product come.
        last = unit.words - 1
        every = ceil_div(cycles.unload - 1, last)
        self.arrivals = [
            self.fed + cycles.compute + every * min(self.parts * (word + 1) - 1, last)
            for word in range(self.words)]

        # -- Steps and clocks of a slot, and slots.
        self.steps = self._steps()
        self.slot = self.step_clocks * self.steps
        # From a product to an order to square it; 0 unless the multiplier keeps results.
        self.squares = (ceil_div(self.fed + 1, self.slot) if traits(inner).keeps_results else 0)
        interval, product = self._between(self.slot), self._until(self.slot)
        if self.is_compact:
            # One word begins a product and writes the one before.
            interval = product = max(interval, product)
        #: In slots.
        self.timing = Timing(interval=ceil_div(interval, arrays), product=product + 1, sum=1,
                             memory=0, store=0, zero=1, registers=len(FREE), closed=self._closed(),
                             arrays=arrays)

    def _key(self, modulus):
        """Return the words of the key, in rows whose length a word of code can say."""
        inner = self.unit.inner
        if inner.k_words:
            words = inner.encode_key(modulus)
        else:
            words = Message(self.unit.width, tuple(self.unit.key_fields),
                            inner.operands.numbers).encode({"modulus": modulus})
        most = min(self.words, (1 << code_layout()["a"].width) - 1)
        return [words[start:start + most] for start in range(0, len(words), most)]

    def rows(self):
        """Return the rows that sums and the key are made with: 0, powers of 2 of multiples, keys.
        """
        numbers = [0, *(self.multiple << power for power in range(ROWS - 1))]
        return [to_words(number, self.width, self.words) for number in numbers] + self.key

    def memory(self, numbers):
        """Return the words of numbers that are in the memory at first, by their places."""
        stride, contents = 1 << self.index_bits, [0] * (_NUMBERS << self.index_bits)
        for place, number in numbers.items():
            contents[place * stride:place * stride + self.words] = to_words(
                number, self.width, self.words)
        return contents

    def _steps(self):
        """Return the least number of steps, or some more with which products follow sooner."""
        # What is written last may be read next, and the next word of code is there.
        least = max(self.words, self.write_steps + 1, self.code_parts + BlockRam.LATENCY + 2)
        if self.is_compact:
            return least
        return min(range(least, least + 4), key=lambda steps: (
            steps * ceil_div(self._between(self.step_clocks * steps), self.arrays), steps))

    def _closed(self):
        """Return the slots from a product to those in which its multiplier may make the next one
        wait.

        One that keeps results may take no numbers while a result leaves, unless it multiplies. If
        it takes them less often than results, they always enter when the result has left.
        """
        inner, cycles = traits(self.unit.inner), self.unit.inner.cycles
        if not inner.keeps_results:
            return range(0)
        ends = 0 if inner.initiation > cycles.interval else cycles.load + inner.initiation + 1
        left = self.arrivals[-1] + 1 - self.first_read
        return range(ceil_div(ends, self.slot), ceil_div(left, self.slot))

    def until_square(self, times):
        """Return the slots from a product to the one in which it is written, squared so often."""
        return self._until(self.slot) + ceil_div(times * self.unit.square_interval, self.slot)

    def _until(self, slot):
        """Return the slots of so many clocks from a product to the one in which it is written."""
        late = max(arrival - self.step_clocks * word for word, arrival in enumerate(self.arrivals))
        return ceil_div(late + 1 - self.step_clocks, slot)

    def _between(self, slot):
        """Return the slots from a product to the next one of the same multiplier."""
        read = self._until(slot) * slot + self.first_write + self.step_clocks * self.words
        return ceil_div(max(traits(self.unit.inner).initiation, self.fed + 1 - self.first_read,
                            read - self.arrivals[0], slot + 1), slot)


#: Idle slots after a word, at most.
MOST_WAIT = 63


class Source(enum.IntEnum):
    """What is written in a slot."""

    NOTHING, SUM, PRODUCT, INPUT = range(4)


class Control(enum.IntEnum):
    """What a word does with a counter: nothing, give it a value, or count and go back."""

    NONE, SET, LOOP = range(3)


def code_layout():
    """Return the layout of a word of code.

    =======================  =======================================================================
    field                    what it says of its slot
    =======================  =======================================================================
    ``a``, ``b``             numbers that are read
    ``d``                    number that is written
    ``a_digit``              a is in the table, at the digit; in a ladder: a and b are the numbers
                             that differ in the lowest bit, if the digit is not the one before.
                             ``d_turn``: d is in the table, at the outer counter
    ``has_a``, ``has_b``     the sum is of these, and of 0 in place of another
    ``negative``, ``signed``  subtract a; if the digit is negative
    ``row``                  row that is added to the sum; with ``signed``, if it is negative
    ``conditional``          leave a out, unless the sum captured last was negative
    ``twice``                b counts twice
    ``captures``             keep whether the sum is negative, for the slot after the next one
    ``checks``               unless it is, the operation fails
    ``shifts``               take a bit of the digit from the sum, for the slot after the next one
    ``product``, ``key``, ``sends``  words go to a multiplier, so many of the row as a says are
                             their key, or a goes out
    ``source``               what is written
    ``wait``                 idle slots that follow
    ``control``, ``inner``   what is done with which counter, the value and the place in the code to
                             go to being those of ``a`` to ``d_turn``
    ``squares``              the multiplier that got words last squares its product as often as a
                             and b say
    =======================  =======================================================================
    """
    return data.StructLayout({
        "a": 6, "b": 6, "d": 6, "a_digit": 1, "d_turn": 1,
        "has_a": 1, "has_b": 1, "negative": 1, "signed": 1, "row": 4, "conditional": 1, "twice": 1,
        "captures": 1, "checks": 1, "shifts": 1, "product": 1, "key": 1, "sends": 1,
        "source": Source, "wait": range(MOST_WAIT + 1), "control": Control, "inner": 1,
        "squares": 1})
