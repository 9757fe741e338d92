"""MGF1, the mask generation function of RSAES-OAEP and RSASSA-PSS, with SHA-1."""

import dataclasses

from ..core import About, Cycles, Field, Message, Traits, ceil_div, plural
from ..kinds.hash import OCTET, Hash
from .algorithm import BLOCK, DIGEST, sha1
from .mgf1_component import Mgf1
from .sha1_component import Sha1

__all__ = ["Parameters"]


def _mask(seed, octets):
    """Return the digests of the seed and 0, 1, 2 and so on, cut to a number of octets."""
    digests = (sha1(seed + counter.to_bytes(Mgf1.COUNTER, "big"))
               for counter in range(ceil_div(octets, DIGEST)))
    return b"".join(digests)[:octets]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Hash):
    """Parameters of :class:`~montgomery.hash.mgf1_component.Mgf1`.

    ``width`` gives the longest seed, which is the message, and the longest mask: that of an RSA key
    is enough for its encodings, from 160 bits on.
    """

    _about = About(
        source="RFC 2437 (PKCS #1 v2.0), 10.2.1; RFC 8017, B.2.1",
        summary="MGF1 with SHA-1, a mask of any length from a seed of any length",
        formula="MGF1 of message", quick_width=512)

    @property
    def result_words(self):
        """Octets of the longest mask."""
        return self.most_octets

    @property
    def length_words(self):
        """Number of words of the length of a mask."""
        return Mgf1.length_words(self.most_octets)

    @property
    def _traits(self):
        return Traits(
            initiation=self.cycles.interval,
            advice=f"The time depends on lengths alone. Zeros follow the mask, up to "
                   f"{plural(self.most_octets, 'octet')} in all.")

    @property
    def operands(self):
        message = super().operands
        length = Field("length", self.length_words, "mask_octets, the lowest octet first",
                       "mask_octets", OCTET, filler=self.most_octets)
        return Message(message.width, (length, *message.fields))

    def compute(self, message, octets, mask_octets):
        """Return the mask, and zeros up to the length of the longest one, by the steps of B.2.1."""
        self._check_operands(message, octets, mask_octets)
        mask = _mask(message.to_bytes(octets, "big"), mask_octets)
        return int.from_bytes(mask.ljust(self.result_words, b"\0"), "big")

    def _cycles_of(self, message, octets, mask_octets):
        load = self.length_words + octets + octets // BLOCK * Sha1.COMPRESSION + 1
        hashed = octets + Mgf1.COUNTER
        # The end of a seed takes a clock more, the first time.
        first = self.length_words + Sha1.clocks(hashed) + 1
        more = max(ceil_div(mask_octets, DIGEST), 1) - 1
        again = more * (DIGEST + Sha1.clocks(hashed))
        rest = self.result_words - more * DIGEST
        return Cycles(load=load, compute=first - load + 1, unload=again + rest,
                      interval=first + again + max(rest, DIGEST))

    @property
    def cycles(self):
        octets = self.most_octets
        return self._cycles_of((1 << OCTET * octets) - 1, octets, octets)

    def create(self):
        return Mgf1(self.most_octets)
