"""Words of code, how numbers are laid out in words, and how many clocks things take."""

import dataclasses
import functools
from fractions import Fraction

from amaranth.lib import data, enum

from ..blocks.block_ram import BlockRam
from ..blocks.streams import Skid
from ..core import Message, ceil_div, to_words, traits
from ..points.microcode import Timing
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


@dataclasses.dataclass(frozen=True)
class PointLayout:
    """Numbers, slots and clocks of a :class:`~.point_engine.PointEngine`.

    In a slot all words of one number go by, and the next slot follows at once. A step takes
    :attr:`step_clocks` clocks, and moves a word.

    :exc:`ValueError` says that numbers do not fit in the words of the multiplier.
    """

    unit: object  # a units.unit.Unit
    arrays: int  # multipliers, which take products in turn
    modulus: int
    width: int  # bits of a word: a multiple of those of the multiplier

    def __post_init__(self):
        if self.unit.inner.bound(self.modulus) < 2 * self.modulus:
            raise ValueError("The multiplier must give results below twice the modulus, so that "
                             "sums need not be compared, but gives them below the modulus; choose "
                             "another one, or other parameters of it")
        if self.limit << 1 > 1 << self.room:
            raise ValueError(f"The {self.room} bits of a number of the multiplier must leave more "
                             "room above the prime; choose another word_width")

    # -- Numbers.

    @property
    def parts(self):
        """Words of the multiplier in a word."""
        return self.width // self.unit.width

    @property
    def words(self):
        """Words of a number."""
        return ceil_div(self.unit.words, self.parts)

    @property
    def room(self):
        """Bits of a number."""
        return self.unit.words * self.unit.width

    @property
    def step_clocks(self):
        """Clocks of a step: those in which the multiplier takes a word, 1 or 2."""
        inner = self.unit.inner
        return ceil_div(inner.cycles.load, inner.i_words) if self.parts == 1 else 1

    @property
    def is_compact(self):
        """Whether short code is worth more than clocks: the multiplier takes words in turns."""
        return self.step_clocks == 2

    @property
    def index_bits(self):
        """Bits of the place of a word."""
        return (self.words - 1).bit_length()

    @functools.cached_property
    def multiple(self):
        """The multiple of the modulus to which the multiplier reduces products."""
        return self.unit.inner.bound(self.modulus) // 2

    @property
    def ratio(self):
        """:attr:`multiple` by R: a product of numbers below a and b multiples is below
        a b ratio + 1 multiples.
        """
        return Fraction(self.multiple, self.unit.inner.r)

    @property
    def halvings(self):
        """The number h for which products by 1 are at most 2**h moduli, a multiple of words."""
        return self.width * ceil_div((self.multiple // self.modulus - 1).bit_length(), self.width)

    @property
    def limit(self):
        """The number by which results are reduced, after h doublings."""
        return self.modulus << self.halvings

    @property
    def skipped(self):
        """Words of a result that are 0, below the others."""
        return self.halvings // self.width

    @functools.cached_property
    def key(self):
        """The words of the key, in rows whose length a word of code can say."""
        inner = self.unit.inner
        if inner.k_words:
            words = inner.encode_key(self.modulus)
        else:
            words = Message(self.unit.width, tuple(self.unit.key_fields),
                            inner.operands.numbers).encode({"modulus": self.modulus})
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

    # -- Steps of a slot, and clocks.

    @property
    def read_steps(self):
        """Steps from an address to the word."""
        return BlockRam.LATENCY // self.step_clocks

    @property
    def write_steps(self):
        """Steps from an address to the one in which the word of the result is written."""
        return self.read_steps + 3

    @property
    def code_width(self):
        """Bits of a word of the memory with rows and code, at least those of a block."""
        return max(self.width, 18)

    @functools.cached_property
    def code_parts(self):
        """Words of that memory that a word of code is in."""
        return ceil_div(code_layout().size, self.code_width)

    @functools.cached_property
    def steps(self):
        """Steps of a slot: the least number, or some more with which products follow sooner."""
        # What is written last may be read next, and the next word of code is there.
        least = max(self.words, self.write_steps + 1, self.code_parts + BlockRam.LATENCY + 2)
        if self.is_compact:
            return least
        return min(range(least, least + 4), key=lambda steps: (
            steps * ceil_div(self._between(self.step_clocks * steps), self.arrays), steps))

    @property
    def slot(self):
        """Clocks of a slot."""
        return self.step_clocks * self.steps

    @property
    def first_read(self):
        """Clocks from the first one of a slot to that in which the first word is read."""
        return self.step_clocks * self.read_steps + self.step_clocks - 1

    @property
    def first_write(self):
        """Clocks from the first one of a slot to that in which the first word is written."""
        return self.step_clocks * self.write_steps

    @property
    def is_direct(self):
        """Whether words go to the multiplier as they are read, since it takes one in each clock."""
        return self.parts == self.step_clocks == 1 and self.unit.chains

    @property
    def fed(self):
        """Clocks from the first one of a slot to the last word of its pair at the multiplier."""
        cycles = self.unit.inner.cycles
        if self.is_direct:
            return self.first_read + cycles.load - 1 + self.unit.front + Skid.LATENCY
        # Words that come slower than they can be fed are fed when all are there.
        waits = self.step_clocks * (self.words - 1) if self.step_clocks > 1 else 0
        return (self.first_read + waits + PairFeeder.LATENCY + cycles.load - 1
                + (0 if self.unit.chains else PairFeeder.BETWEEN) + self.unit.front + Skid.LATENCY)

    @functools.cached_property
    def arrivals(self):
        """Clocks from the first one of a slot to those in which words of its product come."""
        cycles, last = self.unit.inner.cycles, self.unit.words - 1
        every = ceil_div(cycles.unload - 1, last)
        return [self.fed + cycles.compute + every * min(self.parts * (word + 1) - 1, last)
                for word in range(self.words)]

    @property
    def closed(self):
        """Slots from a product to those in which its multiplier may make the next one wait.

        One that keeps results may take no numbers while a result leaves, unless it multiplies. If
        it takes them less often than results, they always enter when the result has left.
        """
        inner, cycles = traits(self.unit.inner), self.unit.inner.cycles
        if not inner.keeps_results:
            return range(0)
        ends = 0 if inner.initiation > cycles.interval else cycles.load + inner.initiation + 1
        left = self.arrivals[-1] + 1 - self.first_read
        return range(ceil_div(ends, self.slot), ceil_div(left, self.slot))

    @property
    def squares(self):
        """Slots from a product to an order to square it; 0 unless the multiplier keeps results."""
        return (ceil_div(self.fed + 1, self.slot)
                if traits(self.unit.inner).keeps_results else 0)

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

    @functools.cached_property
    def timing(self):
        """The :class:`~montgomery.points.microcode.Timing`, in slots."""
        interval, product = self._between(self.slot), self._until(self.slot)
        if self.is_compact:
            # One word begins a product and writes the one before.
            interval = product = max(interval, product)
        return Timing(interval=ceil_div(interval, self.arrays), product=product + 1, sum=1,
                      memory=0, store=0, zero=1, registers=len(FREE), closed=self.closed,
                      arrays=self.arrays)


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
