"""Numbers as words of a stream."""

from collections.abc import Iterable

__all__ = ["ceil_div", "from_words", "to_words"]


def ceil_div(a: int, b: int) -> int:
    """Return the smallest integer not below ``a / b``."""
    return -(-a // b)


def to_words(value: int, word_width: int, count: int) -> list[int]:
    """Split ``value`` into ``count`` words of ``word_width`` bits, least significant first."""
    return [(value >> (word_width * index)) & ((1 << word_width) - 1) for index in range(count)]


def from_words(words: Iterable[int], word_width: int) -> int:
    """Join words of ``word_width`` bits, least significant first."""
    return sum(word << (word_width * index) for index, word in enumerate(words))
