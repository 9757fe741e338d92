"""The ports of every core."""

from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Core", "Signature"]


class Signature(wiring.Signature):
    """The ports of every core.

    Parameters
    ----------
    word_width : :class:`int`
        Bits per word of either stream.
    i_width, o_width : :class:`int` or ``None``
        Bits per word of one of them, where a word holds more than one number; ``word_width`` if
        None.
    k_width : :class:`int`
        Bits per word of the keys; 0 for a core without port ``k``.

    Members
    -------
    i : :py:`In(stream.Signature(i_width))`
        Words of one operation after another, as :attr:`CoreParameters.operands` has them.
    k : :py:`In(stream.Signature(k_width))`
        Words of keys, as :attr:`CoreParameters.key_operands` has them. A key is what operations
        have in common: the modulus and its constants, and the exponent if there is one. It stays
        until another key has been received in full, or the core is reset. Operations whose first
        word is accepted after that use the new key; operations before use the old one. While the
        core has only a part of a key, or none, it accepts no first word. An operation that is
        offered in a later clock than a key does not begin before that key has been received; of
        both offered in one clock, either may go first. A key waits for operations that have begun,
        but not for their results to be taken. ``i.ready`` does not depend on this port in the same
        clock.
    o : :py:`Out(stream.Signature(o_width))`
        Words of the results, for :meth:`CoreParameters.decode`. The result of an operation whose
        words have all been accepted never waits for words of another one, or of a key: not even
        after some of them have been accepted.
    """

    def __init__(self, word_width: int, *, i_width: int | None = None,
                 o_width: int | None = None, k_width: int = 0) -> None:
        self.word_width = word_width
        self.k_width = k_width
        self.i_width = word_width if i_width is None else i_width
        self.o_width = word_width if o_width is None else o_width
        super().__init__({
            "i": In(stream.Signature(self.i_width)),
            "o": Out(stream.Signature(self.o_width)),
            **({"k": In(stream.Signature(k_width))} if k_width else {}),
        })

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.members == self.members


class Core(wiring.Component):
    """A core: what :meth:`CoreParameters.create` returns.

    Latency and throughput are those of :attr:`CoreParameters.cycles`.

    Members
    -------
    i, k, o : see :class:`Signature`
        Without k if there are no keys.
    """

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)
