"""Where the words of an exponentiation lie in the memory."""

import dataclasses

from ..core import ceil_div

__all__ = ["Layout", "Section"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Section:
    """Words that follow each other on one of the ports.

    Attributes
    ----------
    name : :class:`str`
    count : :class:`int`
        Number of words.
    slot : :class:`int` or ``None``
        Where they are stored, if they are.
    inner : :class:`bool`
        Whether they go to the multiplier's port ``k``.
    """

    name: str
    count: int
    slot: int | None
    inner: bool = False


@dataclasses.dataclass(frozen=True)
class Layout:
    """The memory is divided into slots of a power of two of words, each for a number.

    The first slots are the table of powers: entry 0 belongs to the key, entry 1 is the base, and
    before that the base as it was received, if it is loaded. Then come the power so far, R**2
    modulo the modulus, what the multiplier is sent with each product, and the exponent.

    Attributes
    ----------
    params : :class:`~montgomery.generic.exponentiator.Parameters`
    """

    params: object

    @property
    def entries(self):
        """Number of entries of the table."""
        return 1 << self.params.window_bits

    @property
    def power(self):
        """Slot of the power so far. Results fill the slots up to it in their order."""
        return self.entries

    @property
    def r_squared(self):
        return self.entries + 1

    @property
    def _stored(self):
        """Names and numbers of words of those numbers of a key that stay in the memory."""
        p = self.params
        if p.inner.k_words or p.side_by_side:
            return {"modulus": p.operand_words} if p.reduces else {}
        return {field.name: field.words for field in p.fixed}

    def slot_of(self, name):
        """Return the slot of a number that the multiplier is sent with each product."""
        return self.entries + 2 + [*self._stored].index(name)

    @property
    def slot_bits(self):
        """Bits of an address within a slot."""
        p = self.params
        most = max(p.operand_words, p.result_words, *self._stored.values(), 1)
        return (most - 1).bit_length()

    @property
    def exponent(self):
        """First slot of the exponent; its number is a multiple of the slots that it takes."""
        taken = ceil_div(self.params.exponent_words, 1 << self.slot_bits)
        taken = 1 << (taken - 1).bit_length()
        return ceil_div(self.entries + 2 + len(self._stored), taken) * taken

    @property
    def depth(self):
        """Number of words of the memory."""
        return (self.exponent << self.slot_bits) + self.params.exponent_words

    @property
    def key(self):
        """:class:`Section` of each part of a key, in order. Those of the multiplier are first."""
        p = self.params
        inner = bool(p.inner.k_words)
        return [
            *(Section(name=field.name, count=field.words, inner=inner,
                      slot=self.slot_of(field.name) if field.name in self._stored else None)
              for field in p.fixed),
            Section(name="digits", count=p.header_words, slot=None),
            Section(name="exponent", count=p.exponent_words, slot=self.exponent),
            Section(name="r_squared", count=p.operand_words, slot=self.r_squared)]

    @property
    def base(self):
        """:class:`Section` of what is sent to port ``i``."""
        return Section(name="base", count=self.params.operand_words, slot=1)
