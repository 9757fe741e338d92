"""Messages: what the words on a port mean, as data.

A message is a list of fields. The same list gives the words that are sent, the number of words, and
what documents say of them, so that the layout of the words is written once.
"""

import dataclasses
import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..arithmetic import check_operand, shown

__all__ = ["Field", "Message", "Number", "ceil_div", "from_words", "listed", "plural", "to_words"]


def ceil_div(a: int, b: int) -> int:
    """Return the smallest integer not below ``a / b``."""
    return -(-a // b)


def to_words(value: int, word_width: int, count: int) -> list[int]:
    """Split ``value`` into ``count`` words of ``word_width`` bits, least significant first."""
    return [(value >> (word_width * index)) & ((1 << word_width) - 1) for index in range(count)]


def from_words(words: Iterable[int], word_width: int) -> int:
    """Join words of ``word_width`` bits, least significant first."""
    return sum(word << (word_width * index) for index, word in enumerate(words))


def plural(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 word``, ``2 words``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(names: Sequence[str]) -> str:
    """Return names as in a sentence: ``x``, ``x and y``, ``x, y and z``."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


@functools.cache
def _compiled(formula):
    return compile(formula, f"<{formula[:60]}>", "eval")


@dataclasses.dataclass(frozen=True)
class Number:
    """A number that words depend on, in words and as a formula."""

    name: str
    # What the number is, for people. The modulus is m.
    meaning: str
    # A Python expression of the inputs of the operation, by their names, of ``math``, and of the
    # numbers before this one.
    formula: str


@dataclasses.dataclass(frozen=True)
class Field:
    """A part of a message."""

    name: str
    words: int  # number of words
    meaning: str  # what the words hold, in Markdown
    formula: str = ""  # the number as an expression, as of Number; its name if empty
    # Bits of each word that the field uses, from the lowest one on; 0 stands for all of them.
    bits: int = 0
    highest_first: bool = False  # whether the highest word is sent first, instead of the lowest one
    listed: bool = False  # whether the expression gives the list of words, instead of a number
    # The number in ``Message.filler``, of a field by which hardware knows what follows.
    filler: int = 0


@dataclasses.dataclass(frozen=True)
class Message:
    """What is sent to a port, or comes from it, for one operation or key."""

    width: int  # bits of a word
    fields: tuple[Field, ...] = ()  # in the order of their words
    numbers: tuple[Number, ...] = ()  # what formulas name beside the inputs
    # Whether each word holds a word of every field, that of the first field in its lowest bits.
    beside: bool = False
    # An expression that gives the number that ``words`` hold; ``join(words)`` is the number with
    # these words, the lowest one first. Only of results.
    value: str = "join(words)"
    varies: bool = False  # whether a message may have fewer words

    @property
    def words(self) -> int:
        """Number of words, of the longest message if lengths differ."""
        counts = [field.words for field in self.fields]
        return max(counts) if self.beside else sum(counts)

    @property
    def largest(self) -> int:
        """The number whose words have no bit 0."""
        return (1 << self.width * self.words) - 1

    def named(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs and the numbers of an operation, by name."""
        names = {"math": math, **inputs}
        for number in self.numbers:
            names[number.name] = eval(_compiled(number.formula), names)
        return names

    def values(self, inputs: Mapping[str, Any], **instead: Any) -> dict[str, Any]:
        """Return what each field holds, by name; parameters are those of :meth:`encode`."""
        names = self.named(inputs) | instead
        return {field.name: eval(_compiled(field.formula or field.name), names)
                for field in self.fields}

    def encode(self, inputs: Mapping[str, Any], **instead: Any) -> list[int]:
        """Return the list of words, in order, for inputs by their names.

        Fields have a value of ``instead`` in place of one of ``inputs`` or :attr:`numbers`.
        :exc:`TypeError` or :exc:`ValueError` says that a number does not fit in the words of its
        field.
        """
        return self._words(self.values(inputs, **instead).values())

    def filler(self) -> list[int]:
        """Return the words of a message that fills what a core keeps of messages.

        It is as long as the longest one, and its numbers are 0 where a field says nothing else.
        """
        return self._words([field.filler for field in self.fields])

    def _words(self, values):
        parts = [self._part(field, value)
                 for field, value in zip(self.fields, values, strict=True)]
        if not self.beside:
            return [word for part in parts for word in part]
        words, place = [0] * self.words, 0
        for field, part in zip(self.fields, parts, strict=True):
            for index, word in enumerate(part):
                words[index] |= word << place
            place += field.bits
        return words

    def _part(self, field, value):
        if field.listed and not isinstance(value, int):  # a filler is a number
            return list(value)
        bits = field.bits or self.width
        check_operand(field.name, value, 1 << bits * field.words)
        words = to_words(value, bits, field.words)
        return words[::-1] if field.highest_first else words

    def decode(self, words: Sequence[int]) -> int:
        """Return the number that the words of a result hold.

        :exc:`ValueError` says that there are more or fewer words than :attr:`words`, or that a word
        has more than :attr:`width` bits.
        """
        if len(words) != self.words:
            raise ValueError(f"A result has {plural(self.words, 'word')}, not {len(words)}; "
                             f"collect all words of one operation")
        for index, word in enumerate(words):
            if not 0 <= word < 1 << self.width:
                raise ValueError(f"Word {index} of a result must be from 0 to 2**{self.width} - 1, "
                                 f"not {shown(word)}; give each word as it comes from the core")
        join = functools.partial(from_words, word_width=self.width)
        return eval(_compiled(self.value), self.named({"words": words, "join": join}))
