"""Code of an engine around a multiplier: what curves of all forms have in common."""

import abc
import functools
import itertools
from typing import ClassVar

from .point_layout import MOST_WAIT, ROWS, Control, Source, code_layout
from .point_segment import segment

__all__ = ["EngineCode", "Numbers", "powers"]


def powers(exponent):
    """Return how to raise a number to an odd power, by powers of it whose exponents are 2**n - 1.

    ``lengths`` are the numbers n, each of which is twice the one before, from 1 on. ``steps`` say
    how often to square, and the n of the power to multiply by; the first one begins with that.
    """
    steps, squarings = [], 0
    for bit, run in itertools.groupby(f"{exponent:b}"):
        left = len(list(run))
        if bit == "0":
            squarings += left
            continue
        while left:
            length = 1 << left.bit_length() - 1
            steps.append((squarings + length, length))
            squarings, left = 0, left - length
    most = max(length for _, length in steps)
    return [1 << place for place in range(most.bit_length())], steps


class EngineCode(abc.ABC):
    """Words of code, that hardware does and integers go through.

    The ``words`` are the fields of each that are not 0; ``target`` and ``value`` stand for the
    numbers of a word with a counter. An operation begins with word ``top``: what is before is done
    once after a reset.
    """

    #: Names of numbers that are the same for all listings.
    CONSTANTS: ClassVar[tuple[str, ...]]
    #: Numbers of the memory, by names: constants, and what one listing leaves to another.
    NUMBERS: ClassVar[dict[str, int]]
    #: Of numbers in a table of multiples of the point, by the names of their places.
    PLACES: ClassVar[dict[str, int]] = {}

    def __init__(self, curve, layout):
        self._curve, self._layout = curve, layout
        self.layout, self.words = code_layout(), []
        for number, row in enumerate(layout.key):
            self._emit(key=1, row=ROWS + number, a=len(row))
        self.top = len(self.words)
        self._operation()
        self._again(self.top)

    @abc.abstractmethod
    def _operation(self):
        """Add the words of an operation."""

    @abc.abstractmethod
    def addresses(self, word, digit):
        """Return the numbers of the memory that hardware reads as a and b in a slot.

        ``digit`` has five bits of the scalar, the one that came last the lowest.
        """

    @abc.abstractmethod
    def operands(self, word, bits):
        """Return the same for a :class:`dict` and an integer, and whether the digit is negative."""

    # -- Words.

    def _emit(self, **fields):
        """Add a word; names stand for numbers of the memory."""
        self.words.append({field: self.NUMBERS[value] if isinstance(value, str) else value
                           for field, value in fields.items()})

    def _sum(self, d, b, a, **fields):
        """Add a word with a sum that nothing is added to."""
        self._emit(d=d, b=b, a=a, has_a=1, has_b=1, source=Source.SUM, **fields)

    def _check(self, name, limit):
        self._emit(b=name, a=limit, has_a=1, has_b=1, negative=1, checks=1)

    def _shift(self, **fields):
        self._emit(d="scalar", b="scalar", has_b=1, twice=1, shifts=1, source=Source.SUM, **fields)

    def _reduce(self, name):
        """Bring a product by 1 below the prime, times a power of 2."""
        def once(**twice):
            self._sum(name, name, "limit", negative=1, captures=1, wait=1, **twice)
            self._sum(name, name, "limit", conditional=1)

        once()
        if self._layout.halvings:
            self._loop(range(self._layout.halvings), lambda: once(twice=1))

    def _loop(self, turns, body, inner=1):
        """Add words that are repeated.

        Counters count up to 0. The outer one is so many less than where the table ends.
        """
        self._emit(control=Control.SET, inner=inner, value=-len(turns))
        start = len(self.words)
        body()
        self._emit(control=Control.LOOP, inner=inner, target=start)

    def _again(self, target):
        self._emit(control=Control.SET, inner=1, value=-2)
        self._emit(control=Control.LOOP, inner=1, target=target)

    def _segment(self, text, inputs, outputs):
        def numbers(names):
            return {name: self.NUMBERS[name] for name in (*names, *self.CONSTANTS)}

        self.words += segment(text, self._layout, self.PLACES, numbers(inputs), numbers(outputs))

    def _invert(self, name):
        """Raise a number to the power p - 2, for t: its inverse, and 0 for 0."""
        lengths, steps = powers(self._curve.p - 2)
        names = {length: f"n{length}" for length in lengths} | {1: name}
        for length in lengths[1:]:
            self._copy("t", names[length // 2])
            self._power(length // 2, names[length // 2])
            self._copy(names[length], "t")
        (_, first), *others = steps
        self._copy("t", names[first])
        for squarings, length in others:
            self._power(squarings, names[length])

    def _copy(self, d, b):
        self._emit(d=d, b=b, has_b=1, source=Source.SUM)

    def _power(self, squarings, factor):
        """Square t so often, and multiply it."""
        if self._layout.squares:
            # The multiplier keeps what it squares, and only the last product is read.
            more, begins = squarings - 1, self._layout.squares
            self._emit(a="t", b="t", product=1, wait=begins - 1)
            self._emit(squares=1, a=more & 63, b=more >> 6)
            for left in range(self._layout.until_square(more) - begins - 1, 0, -MOST_WAIT - 1):
                self._emit(wait=min(left - 1, MOST_WAIT))
            self._emit(d="t", source=Source.PRODUCT)
        else:
            self._loop(range(squarings), lambda: self._segment("t = t * t", ("t",), ("t",)))
        self._segment(f"t = t * {factor}", ("t", factor), ("t",))

    # -- In hardware.

    @property
    def bits(self):
        """Bits of a scalar that count."""
        return self._curve.width

    @functools.cached_property
    def counter_bits(self):
        """Bits of a counter."""
        most = max(-word["value"] for word in self.words if "value" in word)
        return max(most.bit_length(), 4)

    @functools.cached_property
    def square_bits(self):
        """Bits of how often a product is squared."""
        return max(word["a"] | word["b"] << 6 for word in self.words
                   if "squares" in word).bit_length()

    def constants(self, parts, width, start):
        """Return the words as integers, each in some parts of so many bits, that begin at a
        place.
        """
        found = []
        for word in self.words:
            fields = dict(word)
            if "control" in word:
                bits = self.counter_bits
                number = (fields.pop("value", 0) % (1 << bits)
                          | start + fields.pop("target", 0) * parts << bits)
                fields |= {"a": number & 63, "b": number >> 6 & 63, "d": number >> 12 & 63,
                           "a_digit": number >> 18 & 1, "d_turn": number >> 19 & 1}
                if number >> 20:
                    raise ValueError("Values and places in the code must have 20 bits")
            value = self.layout.const(fields).as_value().value
            found += [value >> width * part & (1 << width) - 1 for part in range(parts)]
        return found

    # -- On integers.

    def walk(self):
        """Yield each word of an operation in turn, with the outer counter."""
        place, counters = self.top, {0: 0, 1: 0}
        while place < len(self.words):
            word = self.words[place]
            yield word, counters[0]
            place += 1
            which = word.get("inner", 0)
            match word.get("control", Control.NONE):
                case Control.SET:
                    counters[which] = word["value"]
                case Control.LOOP:
                    counters[which] += 1
                    if counters[which]:
                        place = word["target"]
                        if place == self.top:
                            return

    @functools.cached_property
    def moments(self):
        """Clocks from the beginning of an operation to each slot with words from or to outside, and
        to the beginning of the next operation.
        """
        found, slots, met = [], 0, False
        for word, _ in self.walk():
            meets = word.get("source") is Source.INPUT or "sends" in word
            if meets:
                found.append(self._layout.slot * slots)
            # Steps that may wait, and those of the next slot, take twice the clocks.
            slots += 1 + word.get("wait", 0) + (meets or met)
            met = meets
        return [*found, self._layout.slot * slots]


class Numbers:
    """The memory, and the rest of what words change, on the integers that hardware has.

    ``constants`` are the numbers that are there at first, by their places; ``inputs`` are those of
    an operation, the scalar first.
    """

    def __init__(self, code, layout, constants, inputs):
        self._code, self._layout, self._r = code, layout, layout.unit.inner.r
        self._negated = -pow(layout.multiple, -1, self._r)
        self._inputs, self._top = iter(inputs), code.bits
        self._room = (1 << layout.width * layout.words) - 1
        self._numbers = [constants.get(number, 0) for number in range(64)]
        self._bits, self._negative, self._product = 0, False, []
        self.failed, self.sent = False, []

    def _reduced(self, product):
        return (product + product * self._negated % self._r * self._layout.multiple) // self._r

    def step(self, word, counter):
        """Do what a word says."""
        get, numbers = word.get, self._numbers
        a, b, minus = self._code.operands(word, self._bits)
        a, b = numbers[a], numbers[b]
        if get("product"):
            self._product.append(self._reduced(a * b))
        if get("squares"):
            for _ in range(get("a") | get("b") << 6):
                self._product.append(self._reduced(self._product.pop() ** 2))
        if get("sends"):
            self.sent.append(a)
        total = 0
        if get("has_b"):
            total = b << get("twice", 0)
        if get("has_a") and (self._negative or not get("conditional")):
            total += -a if get("negative") or (get("signed") and minus) else a
        if get("row") and not get("key") and (not get("signed") or minus):
            total += self._layout.multiple << get("row") - 1
        if get("captures"):
            self._negative = total < 0
        if get("checks"):
            self.failed |= total >= 0
        if get("shifts"):
            self._bits = (self._bits << 1 | (total >> self._top & 1)) & 31
        match get("source", Source.NOTHING):
            case Source.NOTHING:
                return
            case Source.SUM:
                value = total & self._room
            case Source.PRODUCT:
                value = self._product.pop(0)
            case Source.INPUT:
                value = next(self._inputs)
        d = word["d"]
        numbers[d + (counter & 15) if get("d_turn") else d] = value
