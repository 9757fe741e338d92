"""SHA-1, of FIPS 180-4, for MGF1 and the encodings of messages for RSA that name it."""

import dataclasses

from ..core import About, Cycles, Traits
from ..kinds.hash import Hash
from .algorithm import BLOCK, DIGEST, sha1
from .sha1_component import Sha1

__all__ = ["Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Hash):
    """Parameters of :class:`~montgomery.hash.sha1_component.Sha1`.

    ``width`` gives the number of bits of the counter of octets, and nothing else.
    """

    _about = About(
        source="FIPS 180-4, 6.1.2",
        summary="SHA-1 with a round a clock",
        formula="SHA-1 of message", quick_width=512)
    result_words = DIGEST

    def compute(self, message, octets):
        """Return the digest, by the steps of FIPS 180-4."""
        self._check_operands(message, octets)
        return int.from_bytes(sha1(message.to_bytes(octets, "big")), "big")

    @property
    def _traits(self):
        return Traits(
            initiation=self.cycles.interval,
            advice="The time depends on the length alone. SHA-1 has collisions that were found: it "
                   "is not for new signatures, only for what names it, such as MGF1 and OAEP.")

    def _cycles_of(self, message, octets):
        total = Sha1.clocks(octets)
        # Blocks that are full already have been compressed, or are about to be.
        load = octets + octets // BLOCK * Sha1.COMPRESSION + 1
        return Cycles(load=load, compute=total - load + 1, unload=DIGEST, interval=total + DIGEST)

    def create(self):
        return Sha1(self.most_octets)
