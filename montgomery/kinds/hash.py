"""The contract of hash cores."""

import abc
import dataclasses
import types
from typing import ClassVar

from ..arithmetic import shown
from ..core import CoreParameters, ceil_div, parameter
from ..operations import Description, Operand, WholeOperation, plural

__all__ = ["END", "OCTET", "Hash"]

#: Bits of an octet.
OCTET = 8
#: The word after the last octet of a message.
END = 1 << OCTET

#: Octets at which the padding of messages in blocks of 64 changes, of one block and of two.
_LENGTHS = (0, 1, 2, 3, 51, 52, 55, 56, 57, 59, 60, 63, 64, 65, 119, 120, 128)


def _number(octets):
    return int.from_bytes(octets, "big")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Hash(CoreParameters):
    """What a hash core is instantiated with; see :class:`montgomery.core.CoreParameters`.

    There is no modulus. A message is a string of octets, and so is a result. As numbers, the first
    octet is the highest one, as RFC 8017 has it (OS2IP); since messages that begin with zeros are
    messages of their own, the number of octets is an input beside. A word of port ``i`` is an
    octet, or :data:`END` after the last one; a word of port ``o`` is an octet. They come in the
    order of the string, so that a message can be hashed while it comes.

    The time may depend on the number of octets, which is public, and on nothing else.

    Parameters
    ----------
    width : :class:`int`
        Bits of the longest message, and of the longest result where the length of results is an
        input. Messages have whole octets, so that the longest one is as long as a number of
        ``width`` bits that is written in octets: a core has the width of the RSA keys that it is
        for.
    """

    kind = "hash"
    prefix = "hash"
    group = "hashes"
    noun, nouns = "hash core", "hash cores"
    operation = "digest"
    formula = "hash of message"
    input_help = types.MappingProxyType({
        "message": "Message to hash; its first octet is the highest one.",
        "octets": "Octets of the message.",
        "mask_octets": "Octets of the result, of a mask generation function."})
    inputs = ("message", "octets")
    quick_width = 512

    width: int = parameter(help="bits of the longest message", minimum=4, maximum=1 << 23)
    word_width: ClassVar = OCTET

    @property
    def most_octets(self):
        """Octets of the longest message."""
        return ceil_div(self.width, OCTET)

    @property
    def i_width(self):
        return OCTET + 1

    def check_operands(self, message, octets):
        """Refuse a message that the core is not made for.

        Raises
        ------
        TypeError
            If an input is not an integer.
        ValueError
            If the message is longer than ``octets``, or these are more than those of the core.
        """
        self.check_octets("octets", octets)
        if not isinstance(message, int) or isinstance(message, bool):
            raise TypeError(f"The message must be an integer, not {message!r}")
        if not 0 <= message < 1 << OCTET * octets:
            raise ValueError(f"The message must be from 0 to 2**{OCTET * octets} - 1, not "
                             f"{shown(message)}; give octets as the length that it has")

    def check_octets(self, name, octets):
        """Refuse a length that is out of range; see :meth:`check_operands`."""
        if not isinstance(octets, int) or isinstance(octets, bool):
            raise TypeError(f"Input {name} must be an integer, not {octets!r}")
        if not 0 <= octets <= self.most_octets:
            raise ValueError(f"Input {name} must be from 0 to {self.most_octets}, not "
                             f"{shown(octets)}; choose width {OCTET * max(octets, 1)}")

    def encode(self, message, octets):
        """Return the octets of the message, each a word, and :data:`END`.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """
        self.check_operands(message, octets)
        return self.message_words(message, octets)

    @staticmethod
    def message_words(message, octets):
        """Return the words of a message, :data:`END` included."""
        return [*message.to_bytes(octets, "big"), END]

    def decode(self, words):
        super().decode(words)
        return _number(words)

    def result(self, *inputs):
        return list(self.compute(*inputs).to_bytes(self.result_words, "big"))

    def contradiction(self, result, *inputs):
        golden = self.golden(*inputs)
        return "" if result == golden else f"{self.formula} is {golden:#x}"

    @abc.abstractmethod
    def cycles_of(self, message, octets):
        """Return the :class:`montgomery.Cycles` of one message, exactly."""

    @property
    def initiation(self):
        """A message begins when the result before has gone."""
        return self.cycles_of(*self.longest).interval

    @staticmethod
    def lengths(message, octets):
        return (octets,)

    @property
    def longest(self):
        octets = self.most_octets
        return (1 << OCTET * octets) - 1, octets

    def usual_lengths(self):
        """Return the numbers of octets of edge cases, in order."""
        most = self.most_octets
        return [octets for octets in _LENGTHS if octets < most - 1] + [most - 1, most]

    def edge_operands(self):
        """Messages of the lengths at which the padding changes, of zeros and of ones.

        See :meth:`montgomery.CoreParameters.edge_operands`.
        """
        found = [(0, 0)]
        for octets in self.usual_lengths():
            found += [((1 << OCTET * octets) - 1, octets)]
        return [*found, (0, self.most_octets), (1 << OCTET * self.most_octets - 1,
                                                self.most_octets)]

    def solved_operands(self):
        """Messages of as many octets as powers of two, which carries in a counter of octets need.

        Short ones are among :meth:`edge_operands`.
        """
        powers = (1 << exponent for exponent in range(8, self.most_octets.bit_length()))
        return [(octets, octets) for octets in powers]

    def random_operands(self, rng, *, shorter=False):
        octets = rng.randint(0, self.most_octets) if shorter else self.most_octets
        return _number(rng.randbytes(octets)), octets

    def whole_operation(self, rng):
        inputs = self.random_operands(rng)
        return WholeOperation(
            inputs=dict(zip(self.inputs, inputs, strict=True)), operations=[inputs],
            result=self.compute(*inputs), golden=self.golden(*inputs), exponent_bits=0)

    def describe(self):
        """Return the :class:`~montgomery.operations.Description` of the operations.

        A core adds its ``result``, and the operands that it has besides.
        """
        most = self.most_octets
        return Description(
            result=f"The {self.formula}.",
            rules=[("message", "a string of octets; as a number, its first octet is the highest "
                               "one, as OS2IP of RFC 8017 has it"),
                   ("octets", f"the length of the message, from 0 to {most}")],
            sent=f"A message is sent in words of {self.i_width} bits, in this order. The lowest "
                 f"{OCTET} bits of a word are an octet, and the highest bit tells that the message "
                 f"has ended. A message of fewer octets than {most} has as many words fewer.",
            operands=[
                Operand("message", most, "the octets of the message, the first one first",
                        'message.to_bytes(octets, "big")'),
                Operand("end", 1, f"{END}: the message has ended", f"[{END}]")],
            received=f"A result comes in {plural(self.result_words, 'word')} of {self.o_width} "
                     "bits, which are its octets, the first one first.",
            decoded='int.from_bytes(bytes(words), "big")',
            conversion="There is nothing to convert: message and result are strings of octets.",
            advice="The time depends on lengths alone.",
            timed=f"a message of {plural(most, 'octet')}")
