"""How numbers are laid out in words, and how many clocks things take, around a multiplier."""

import dataclasses
import functools

from ..blocks.block_ram import BlockRam
from ..blocks.skid import Skid
from ..blocks.word_buffer import WordBuffer
from ..core import Message, ceil_div, to_words, traits
from ..points.assembler import Timing

__all__ = ["ENTRIES", "FREE", "ROWS", "WINDOW", "PointLayout", "table_number"]

#: Bits of a digit of the scalar, and multiples of the point in the table, 0 to 8.
WINDOW = 4
ENTRIES = (1 << WINDOW - 1) + 1
#: Rows of multiples of the modulus that a sum may subtract, before those with the key.
ROWS = 8
#: Of these, rows at the end by which it adds them.
_MORE = 2
_NUMBERS = 64
_FIRST = 16 - ENTRIES


def table_number(part, multiple):
    """Return the number of the memory that holds coordinate 0 to 2 of a multiple of the point."""
    return 16 * part + _FIRST + multiple


_TABLE = {table_number(part, multiple) for part in range(3) for multiple in range(ENTRIES)}
#: Numbers of the memory that are not in the table.
FREE = tuple(number for number in range(_NUMBERS) if number not in _TABLE)


@dataclasses.dataclass(frozen=True)
class _Estimate:
    """How the highest bits of a sum tell what to subtract.

    Attributes
    ----------
    words : :class:`range`
        Words of the sum that are looked at.
    shift : :class:`int`
        The lowest bit that is used.
    multiples : :class:`dict` from :class:`int` to :class:`int`
        By the number that these bits are, with a sign: how often to subtract the modulus multiple.
    """

    words: range
    shift: int
    multiples: dict

    @property
    def bits(self):
        """Number of bits that are used."""
        return max(max(self.multiples).bit_length(), (-min(self.multiples) - 1).bit_length()) + 1


@dataclasses.dataclass(frozen=True)
class PointLayout:
    """Numbers, slots and clocks of a :class:`~.point_engine.PointEngine`.

    In a slot all words of one number go by, after the highest words of operands, from which follows
    what a sum has to subtract. A step takes :attr:`pace` clocks, and moves a word.

    Attributes
    ----------
    unit : :class:`~montgomery.units.unit.Unit`
    modulus : :class:`int`

    Raises
    ------
    ValueError
        If sums do not fit in the words of the multiplier, or are not told apart.
    """

    unit: object
    modulus: int

    def __post_init__(self):
        if self.bound < 2 * self.modulus:
            raise ValueError("The multiplier must give results below twice the modulus, so that "
                             "sums need not be compared, but gives them below the modulus; choose "
                             "another one, or other parameters of it")
        if self.estimate is None or self.limit << 1 > 1 << self.words * self.width:
            raise ValueError(f"The {self.words * self.width} bits of a number of the multiplier "
                             "must leave more room above the prime; choose another word_width")

    # -- Numbers.

    @property
    def width(self):
        """Bits of a word."""
        return self.unit.width

    @property
    def words(self):
        """Words of a number."""
        return self.unit.words

    @property
    def pace(self):
        """Clocks of a step: those in which the multiplier takes a word, 1 or 2."""
        inner = self.unit.inner
        return ceil_div(inner.cycles.load, inner.i_words)

    @property
    def index_bits(self):
        """Bits of the place of a word."""
        return (self.words - 1).bit_length()

    @property
    def bound(self):
        """All numbers are below, a multiple of twice the modulus."""
        return self.unit.inner.bound(self.modulus)

    @property
    def multiple(self):
        """Of this multiple of the modulus, multiples are subtracted from sums."""
        return self.bound // self.modulus // 2 * self.modulus

    @property
    def halvings(self):
        """The number h for which numbers are below 2**(h + 1) moduli, a multiple of words."""
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
    def estimate(self):
        """The :class:`_Estimate`; None if there is none."""
        room = self.words * self.width
        for count in (2, 3, 4):
            for less in (1, 2, 3):
                shift = self.multiple.bit_length() - less
                found = self._multiples(shift, 0, room)
                if found is None:
                    continue
                last = (shift + _Estimate(range(0), shift, found).bits - 1) // self.width
                first = max(last - count + 1, 0)
                found = self._multiples(shift, first * self.width, room)
                if found is not None and first * self.width <= shift:
                    return _Estimate(range(first, last + 1), shift, found)
        return None

    def _multiples(self, shift, below, room):
        """Return how often to subtract the multiple, if bits below a place are not looked at."""
        low, high, found = -self.bound, 3 * self.bound, {}
        for value in range((low >> shift) - 1, (high >> shift) + 2):
            least = max((value << shift) - (1 << below), low)
            most = min((value + 1 << shift) + (3 << below), high)
            if least >= most:
                continue
            times = least // self.multiple
            if most - times * self.multiple > self.bound or not -_MORE <= times < ROWS - _MORE:
                return None
            found[value] = times
        bits = _Estimate(range(0), shift, found).bits
        return found if shift + bits <= room else None

    @functools.cached_property
    def key(self):
        """The words of the key, in rows of as many each."""
        inner = self.unit.inner
        if inner.k_words:
            words = inner.encode_key(self.modulus)
        else:
            words = Message(self.width, tuple(self.unit.key_fields),
                            inner.operands.numbers).encode({"modulus": self.modulus})
        rows = next(rows for rows in range(1, len(words) + 1)
                    if len(words) % rows == 0 and len(words) // rows <= self.words)
        count = len(words) // rows
        return [words[row * count:(row + 1) * count] for row in range(rows)]

    def rows(self):
        """Return the rows that sums and the key are made with: -k times the multiple in row k."""
        room = self.words * self.width
        rows = [to_words(-(row if row < ROWS - _MORE else row - ROWS) * self.multiple % (1 << room),
                         self.width, self.words) for row in range(ROWS)]
        return rows + self.key

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
        return BlockRam.LATENCY // self.pace

    @property
    def lead(self):
        """Steps before the first word of a slot: the highest words, and what they tell."""
        return len(self.estimate.words) + BlockRam.LATENCY // self.pace

    @property
    def write_steps(self):
        """Steps from an address to the one in which the word of the result is written."""
        return self.read_steps + 2

    @property
    def steps(self):
        """Steps of a slot."""
        # What is written last may be read first, and what a word of code says is over.
        written = self.estimate.words[0] + self.write_steps + (self.pace == 1) - self.words
        return self.lead + self.words + max(self.read_steps + 1, written)

    @property
    def slot(self):
        """Clocks of a slot."""
        return self.pace * self.steps

    @property
    def again(self):
        """Clocks that a slot with a product takes longer."""
        return 0 if self.unit.chains else self.pace * self.words

    @property
    def first_read(self):
        """Clocks from the first one of a slot to that in which the first word is read."""
        return self.pace * (self.lead + self.read_steps) + self.pace - 1

    @property
    def first_write(self):
        """Clocks from the first one of a slot to that in which the first word is written."""
        return self.pace * (self.lead + self.write_steps)

    @functools.cached_property
    def arrivals(self):
        """Clocks from the first one of a slot to those in which words of its product come."""
        cycles = self.unit.inner.cycles
        sent = (self.first_read + self.pace * (self.words - 1) + self.again + self.unit.front
                + Skid.LATENCY)
        every = ceil_div(cycles.unload - 1, self.words - 1)
        return [sent + cycles.compute + every * word for word in range(self.words)]

    @property
    def until_product(self):
        """Slots from a product to the one in which its result is written."""
        late = max(arrival - self.pace * word for word, arrival in enumerate(self.arrivals))
        return ceil_div(late + WordBuffer.LATENCY - self.first_write - self.again, self.slot)

    @property
    def between_products(self):
        """Slots from a product to the next one, when the result of the one before has come.

        Then a product takes as long as it does alone.
        """
        alone = max(traits(self.unit.inner).initiation, self.arrivals[-1] + 1 - self.first_read)
        return ceil_div(alone - self.again, self.slot)

    @property
    def timing(self):
        """The :class:`~montgomery.points.assembler.Timing`, in slots.

        A product is written no sooner than the next one may begin, so that one word does both.
        """
        return Timing(interval=self.between_products,
                      product=max(self.until_product, self.between_products) + 1, sum=1,
                      memory=0, store=0, zero=1, registers=len(FREE))
