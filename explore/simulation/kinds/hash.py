"""Digests of messages: messages to try."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import Any

from montgomery.core import plural
from montgomery.kinds.hash import OCTET

from .base import Adapter as Base
from .base import Vector

__all__ = ["Adapter"]

#: Octets at which the padding of messages in blocks of 64 changes, of one block and of two.
_LENGTHS = (0, 1, 2, 3, 51, 52, 55, 56, 57, 59, 60, 63, 64, 65, 119, 120, 128)
#: Octets of masks at which digests of 20 octets end.
_MASKS = (0, 1, 19, 20, 21, 39, 40, 41)
_DIGEST, _COUNTER = 20, 4


def _sha1(octets: bytes) -> bytes:
    return hashlib.sha1(octets).digest()


class Adapter(Base):
    """The operations of a hash core: SHA-1, or MGF1 where there is an input ``mask_octets``."""

    @property
    def _masks(self) -> bool:
        return "mask_octets" in self.inputs

    def golden(self, message: int, octets: int, mask_octets: int | None = None) -> int:
        text = message.to_bytes(octets, "big")
        if mask_octets is None:
            return int.from_bytes(_sha1(text), "big")
        mask = b"".join(_sha1(text + index.to_bytes(_COUNTER, "big"))
                        for index in range(-(-mask_octets // _DIGEST)))[:mask_octets]
        return int.from_bytes(mask.ljust(self.params.result_words, b"\0"), "big")

    def contradiction(self, result: int, *inputs: int) -> str:
        golden = self.golden(*inputs)
        return "" if result == golden else f"{self.formula} is {golden:#x}"

    def longest(self) -> Vector:
        octets = self.params.most_octets
        return (1 << OCTET * octets) - 1, octets, *[octets] * self._masks

    def lengths(self, message: int, *octets: int) -> tuple[int, ...]:
        return octets

    def edges(self) -> list[Vector]:
        """Messages of the lengths at which the padding changes, of zeros and of ones; with masks of
        the lengths at which digests end.
        """
        most = self.params.most_octets
        usual = [octets for octets in _LENGTHS if octets < most - 1] + [most - 1, most]
        messages: list[Vector] = [
            (0, 0), *(((1 << OCTET * octets) - 1, octets) for octets in usual), (0, most),
            (1 << OCTET * most - 1, most)]
        if not self._masks:
            return messages
        lengths = [octets for octets in _MASKS if octets < most] + [most]
        # The first message is empty, and the last ones are the longest.
        return [*((*_turn(messages, index), _turn(lengths, index))
                  for index in range(max(len(messages), len(lengths)))),
                *((*message, most) for message in (messages[0], *messages[-3:]))]

    def solved(self) -> list[Vector]:
        """Messages of as many octets as powers of two, which carries in a counter of octets need,
        and masks whose last counter is around each power of two.
        """
        most = self.params.most_octets
        powers = [1 << exponent for exponent in range(8, most.bit_length())]
        if not self._masks:
            return [(octets, octets) for octets in powers]
        masks = (_DIGEST * (1 << exponent) + 1 for exponent in range(2, 32))
        return [*((octets, octets, 1) for octets in powers),
                *((5, 1, mask) for mask in masks if mask <= most)]

    def sample(self, rng: random.Random, *, shorter: bool = False) -> Vector:
        most = self.params.most_octets
        octets, *masks = (rng.randint(0, most) if shorter else most
                          for _ in range(1 + self._masks))
        return int.from_bytes(rng.randbytes(octets), "big"), octets, *masks

    def words(self) -> dict[str, Any]:
        return {**super().words(), "octet": OCTET, "has_mask": self._masks,
                "has_no_mask": not self._masks,
                "longest": plural(self.params.most_octets, "octet")}


def _turn(items: Sequence, index: int):
    return items[index % len(items)]
