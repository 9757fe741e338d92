"""Ports of a core, and the words that go through them."""

import abc

from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..arithmetic import shown
from ..operations import plural
from .rules import Rules
from .words import from_words, to_words

__all__ = ["Ports", "Signature"]


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
        Words of one operation after another, as :meth:`CoreParameters.encode` lists them.
    k : :py:`In(stream.Signature(k_width))`
        Words of keys, as :meth:`CoreParameters.encode_key` lists them. A key is what operations
        have in common: the modulus and its constants, and the exponent if there is one. It stays
        until another key has been received in full, or the core is reset. Operations whose first
        word is accepted after that use the new key; operations before use the old one. While the
        core has only a part of a key, or none, it accepts no first word. A key that is offered goes
        before operations that have not begun, and waits for those that have, but not for their
        results to be taken.
    o : :py:`Out(stream.Signature(o_width))`
        Words of the results, for :meth:`CoreParameters.decode`.
    """

    def __init__(self, word_width, *, i_width=None, o_width=None, k_width=0):
        self.word_width = word_width
        self.k_width = k_width
        self.i_width = word_width if i_width is None else i_width
        self.o_width = word_width if o_width is None else o_width
        super().__init__({
            "i": In(stream.Signature(self.i_width)),
            "o": Out(stream.Signature(self.o_width)),
            **({"k": In(stream.Signature(k_width))} if k_width else {}),
        })

    def __eq__(self, other):
        return type(other) is type(self) and (
            (other.word_width, other.i_width, other.o_width, other.k_width)
            == (self.word_width, self.i_width, self.o_width, self.k_width))


class Ports(Rules, abc.ABC):
    """What goes through the ports of a core, as words; see :class:`montgomery.CoreParameters`."""

    #: The noun for one operation of the core.
    operation = ""
    #: The names of the inputs alone.
    inputs = ()
    #: Names of the inputs that make up a key, the last ones of :attr:`inputs`; empty for a core
    #: without port ``k``. See :class:`Signature`.
    key_inputs = ()

    @property
    @abc.abstractmethod
    def result_words(self):
        """Number of words of a result."""

    @property
    def i_width(self):
        """Bits per word of port ``i``, as :meth:`encode` returns them."""
        return self.word_width

    @property
    def o_width(self):
        """Bits per word of port ``o``, as :meth:`decode` takes them."""
        return self.word_width

    @property
    def k_width(self):
        """Bits per word of port ``k``, as :meth:`encode_key` returns them; 0 without the port."""
        return self.word_width if self.key_inputs else 0

    @property
    def signature(self):
        """:class:`Signature` of the component."""
        return Signature(self.word_width, i_width=self.i_width, o_width=self.o_width,
                         k_width=self.k_width)

    def key_of(self, *inputs):
        """Return the inputs that make up the key of an operation, in order."""
        return inputs[len(self.inputs) - len(self.key_inputs):]

    def encode_key(self, *key):
        """Return the list of words to send to port ``k``, in order, for the key of :meth:`key_of`.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """
        raise TypeError(f"{self.name()} takes no key; send its inputs with each {self.operation}")

    @abc.abstractmethod
    def encode(self, *inputs):
        """Return the list of words to send to port ``i``, in order.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """

    def decode(self, words):
        """Return the result from the list of words received from port ``o``.

        Raises
        ------
        ValueError
            If the number of words is not :attr:`result_words`, or one has more than
            :attr:`o_width` bits.
        """
        if len(words) != self.result_words:
            raise ValueError(f"A result has {plural(self.result_words, 'word')}, not {len(words)}; "
                             f"collect all words of one operation")
        width = self.o_width
        for index, word in enumerate(words):
            if not 0 <= word < 1 << width:
                raise ValueError(f"Word {index} of a result must be from 0 to 2**{width} - 1, not "
                                 f"{shown(word)}; give each word as it comes from the core")
        return from_words(words, width)

    def result(self, *inputs):
        """Return the list of words that come from port ``o``, in order.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """
        return to_words(self.compute(*inputs), self.o_width, self.result_words)

    @abc.abstractmethod
    def compute(self, *inputs):
        """Return the result of the hardware, by the steps of the paper's algorithm.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """
