"""Hash functions of strings of octets."""

import abc
import dataclasses
from typing import ClassVar

from ..arithmetic import check_integer, shown
from ..core import CoreParameters, Field, Kind, Message, ceil_div, input_names, parameter

__all__ = ["END", "KIND", "OCTET", "Hash"]

#: Bits of an octet.
OCTET = 8
#: The word after the last octet of a message.
END = 1 << OCTET

KIND = Kind(
    name="hash", prefix="hash", group="hashes", noun="hash core", nouns="hash cores",
    operation="digest", formula="hash of message",
    inputs={"message": "Message to hash; its first octet is the highest one.",
            "octets": "Octets of the message.",
            "mask_octets": "Octets of the result, of a mask generation function."})


@dataclasses.dataclass(frozen=True, kw_only=True)
class Hash(CoreParameters):
    """What a hash core is instantiated with; see :class:`montgomery.core.CoreParameters`.

    There is no modulus. A message is a string of octets, and so is a result. As numbers, the first
    octet is the highest one, as RFC 8017 has it (OS2IP); since messages that begin with zeros are
    messages of their own, the number of octets is an input beside. A word of port ``i`` is an
    octet, or :data:`END` after the last one; a word of port ``o`` is an octet. They come in the
    order of the string, so that a message can be hashed while it comes.

    The time may depend on the numbers of octets, which are public, and on nothing else.

    The width is that of the longest message in bits, and of the longest result where the length of
    results is an input; rounded up to whole octets. So a core has the width of the RSA keys that it
    is for.
    """

    _kind = KIND

    width: int = parameter(help="bits of the longest message", minimum=4, maximum=1 << 23)
    word_width: ClassVar = OCTET  # type: ignore[misc]

    @property
    def most_octets(self):
        """Octets of the longest message."""
        return ceil_div(self.width, OCTET)

    @property
    def operands(self):
        return Message(OCTET + 1, (
            Field("message", self.most_octets, "the octets of the message, the first one first",
                  'message.to_bytes(octets, "big")', OCTET, listed=True),
            Field("end", 1, f"{END}: the message has ended", str(END), filler=END)),
            varies=True)

    @property
    def _results(self):
        return Message(OCTET, (Field("result", self.result_words, "the octets of the result",
                                     highest_first=True),),
                       value='int.from_bytes(bytes(words), "big")')

    def _check_operands(self, message, octets, *more):
        for name, value in zip(input_names(self), (message, octets, *more), strict=True):
            check_integer(f"Input {name}", value)
            if name != "message" and not 0 <= value <= self.most_octets:
                raise ValueError(f"Input {name} must be from 0 to {self.most_octets}, not "
                                 f"{shown(value)}; choose width {OCTET * max(value, 1)}")
        if not 0 <= message < 1 << OCTET * octets:
            raise ValueError(f"The message must be from 0 to 2**{OCTET * octets} - 1, not "
                             f"{shown(message)}; give octets as the length that it has")

    @property
    def cycles(self):
        lengths = [self.most_octets] * (len(input_names(self)) - 1)
        return self._cycles_of((1 << OCTET * self.most_octets) - 1, *lengths)

    @abc.abstractmethod
    def _cycles_of(self, message, octets, *more): ...
