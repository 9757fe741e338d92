"""MGF1, the mask generation function of RSAES-OAEP and RSASSA-PSS, with SHA-1."""

import dataclasses
import hashlib

from ..core import Cycles, ceil_div
from ..kinds.hash import OCTET, Hash
from ..operations import Operand, plural
from .algorithm import BLOCK, DIGEST, sha1
from .mgf1_component import Mgf1
from .sha1_component import Sha1

__all__ = ["Parameters"]


def _mask(seed, octets, digest):
    """Return the digests of the seed and 0, 1, 2 and so on, cut to a number of octets."""
    digests = (digest(seed + counter.to_bytes(Mgf1.COUNTER, "big"))
               for counter in range(ceil_div(octets, DIGEST)))
    return b"".join(digests)[:octets]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Hash):
    """Parameters of :class:`~montgomery.hash.mgf1_component.Mgf1`.

    ``width`` gives the longest seed, which is the message, and the longest mask: that of an RSA key
    is enough for its encodings, from 160 bits on.
    """

    source = "RFC 2437 (PKCS #1 v2.0), 10.2.1; RFC 8017, B.2.1"
    summary = "MGF1 with SHA-1, a mask of any length from a seed of any length"
    formula = "MGF1 of message"
    inputs = (*Hash.inputs, "mask_octets")

    @property
    def result_words(self):
        """Octets of the longest mask."""
        return self.most_octets

    @property
    def length_words(self):
        """Number of words of the length of a mask."""
        return Mgf1.length_words(self.most_octets)

    def check_operands(self, message, octets, mask_octets):
        """See :meth:`montgomery.kinds.hash.Hash.check_operands`.

        Raises
        ------
        TypeError, ValueError
            Also if ``mask_octets`` is no integer, or more than those of the core.
        """
        super().check_operands(message, octets)
        self.check_octets("mask_octets", mask_octets)

    def _number(self, message, octets, mask_octets, digest):
        mask = _mask(message.to_bytes(octets, "big"), mask_octets, digest)
        return int.from_bytes(mask.ljust(self.result_words, b"\0"), "big")

    def compute(self, message, octets, mask_octets):
        """Return the mask, and zeros up to the length of the longest one, by the steps of B.2.1."""
        self.check_operands(message, octets, mask_octets)
        return self._number(message, octets, mask_octets, sha1)

    def golden(self, message, octets, mask_octets):
        return self._number(message, octets, mask_octets,
                            lambda data: hashlib.sha1(data).digest())

    def encode(self, message, octets, mask_octets):
        """Return the octets of the length of the mask, lowest first, and those of the seed."""
        self.check_operands(message, octets, mask_octets)
        length = mask_octets.to_bytes(self.length_words, "little")
        return [*length, *self.message_words(message, octets)]

    def cycles_of(self, message, octets, mask_octets):
        load = self.length_words + octets + octets // BLOCK * Sha1.COMPRESSION + 1
        hashed = octets + Mgf1.COUNTER
        # The end of a seed takes a clock more, the first time.
        first = self.length_words + Sha1.clocks(hashed) + 1
        more = max(ceil_div(mask_octets, DIGEST), 1) - 1
        again = more * (DIGEST + Sha1.clocks(hashed))
        rest = self.result_words - more * DIGEST
        return Cycles(load=load, compute=first - load + 1, unload=again + rest,
                      interval=first + again + max(rest, DIGEST))

    @staticmethod
    def lengths(message, octets, mask_octets):
        return octets, mask_octets

    @property
    def longest(self):
        return *super().longest, self.most_octets

    def edge_operands(self):
        """Seeds as messages are, with masks of the lengths at which digests end.

        See :meth:`montgomery.CoreParameters.edge_operands`.
        """
        most = self.most_octets
        lengths = [octets for octets in (0, 1, 19, 20, 21, 39, 40, 41) if octets < most] + [most]
        seeds = super().edge_operands()
        count = max(len(seeds), len(lengths))
        # The first seed is empty, and the last ones are the longest.
        return [*((*seeds[index % len(seeds)], lengths[index % len(lengths)])
                  for index in range(count)),
                *((*seed, most) for seed in (seeds[0], *seeds[-3:]))]

    def solved_operands(self):
        """Seeds as messages are, and masks whose last counter is around each power of two."""
        counters = (1 << exponent for exponent in range(2, 32))
        masks = [DIGEST * counter + 1 for counter in counters]
        return [*((*seed, 1) for seed in super().solved_operands()),
                *((5, 1, mask) for mask in masks if mask <= self.most_octets)]

    def random_operands(self, rng, *, shorter=False):
        mask_octets = rng.randint(0, self.most_octets) if shorter else self.most_octets
        return *super().random_operands(rng, shorter=shorter), mask_octets

    def describe(self):
        said, most = super().describe(), self.most_octets
        length = Operand("length", self.length_words,
                         "mask_octets, the lowest octet first",
                         f"split(mask_octets, {self.length_words})")
        return dataclasses.replace(
            said, operands=[length, *said.operands],
            rules=[*said.rules, ("mask_octets", f"the length of the mask, from 0 to {most}")],
            result="The mask of MGF1 with SHA-1: digests of the message, which is the seed, with "
                   "0, 1, 2 and so on in four octets behind it, one after the other, cut to "
                   f"mask_octets octets. Zeros follow, up to {plural(most, 'octet')} in all.",
            received=f"{said.received} Those after the mask are zeros.",
            conversion="There is nothing to convert: seed and mask are strings of octets. The mask "
                       f"as a number is the result without its lowest {OCTET} ({most} - "
                       "mask_octets) bits.",
            timed=f"a seed and a mask of {plural(most, 'octet')}")

    def create(self):
        return Mgf1(self.most_octets)
