"""Keys as ``cryptography`` has them, whose operations a board computes.

No message shows a number that depends on a private key.
"""

from __future__ import annotations

import functools
from typing import Any, ClassVar, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed

from .host import BoardError, Client

__all__ = ["OfPoints", "OnBoard", "digest_of", "hashed"]


class OnBoard:
    """A key on a board: the board does what a class defines, and the key itself all else.

    Objects are instances of the class of ``cryptography`` that is named ``of``, too.

    Attributes
    ----------
    clocks, operations : int
        Clocks of all operations for this object, counted on the board, and how many these were.

    Raises
    ------
    BoardError
        By each operation: the core on the board is of another kind or curve, the result is wrong,
        or what :meth:`boards.host.Client.operate` says.
    """

    of: ClassVar[Any] = None

    def __init_subclass__(cls, of: Any = None) -> None:
        if of:
            cls.of = of
            of.register(cls)

    def __init__(self, board: Client, key: Any) -> None:
        self._board, self._key = board, key
        self.clocks = self.operations = 0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._key, name)

    def __eq__(self, other: object) -> bool:
        return self._key == getattr(other, "_key", other)

    def __hash__(self) -> int:
        return hash(self._key)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict) -> Self:
        return self

    def _operate(self, *operands: int, **options: Any) -> int:
        try:
            result = self._board.operate(*operands, **options)
        except ValueError:
            # What the core refuses comes back as ones; a message may show operands.
            raise BoardError("The board refused its operands or its result, and gave nothing; run "
                             "its self-test") from None
        self.clocks += result.clocks
        self.operations += 1
        return result.value

    def _released(self, signature: bytes, *signed: Any) -> bytes:
        """Return a signature that verifies; two, of which one is wrong, may give the key away."""
        try:
            self._key.public_key().verify(signature, *signed)
        except InvalidSignature:
            raise BoardError("The signature that the board made does not verify; run its self-test"
                             ) from None
        return signature


class OfPoints(OnBoard):
    """A private key, whose public key is a multiple of a point."""

    def public_key(self) -> Any:
        """Return the public key, which the board computes for the first call."""
        return self._public

    @functools.cached_property
    def _public(self) -> Any:
        found = self._key.public_key()
        if not self._agrees(found):
            raise BoardError("The public key that the board computed is not that of the private "
                             "key; run its self-test")
        return found

    def _agrees(self, public: Any) -> bool:
        """Return whether the board computes the same public key."""
        raise NotImplementedError

    def _check_peer(self, peer: Any, kind: type) -> None:
        if not isinstance(peer, kind):
            raise TypeError(f"The public key must be of the kind {kind.__name__}, like the private "
                            f"key, not {type(peer).__name__}; give one of that kind")


def hashed(algorithm: hashes.HashAlgorithm, *parts: bytes) -> bytes:
    """Return the hash of several parts, one after the other."""
    state = hashes.Hash(algorithm)
    for part in parts:
        state.update(part)
    return state.finalize()


def digest_of(data: bytes, algorithm: hashes.HashAlgorithm | Prehashed,
              ) -> tuple[bytes, hashes.HashAlgorithm]:
    """Return the digest of data, or the data if they are one, and the hash.

    :exc:`ValueError` says that a digest has another length, :exc:`TypeError` that there is no hash.
    """
    if not isinstance(algorithm, Prehashed):
        return hashed(algorithm, data), algorithm
    if len(data) != algorithm.digest_size:
        raise ValueError(f"The data must be a digest of {algorithm.digest_size} bytes, not of "
                         f"{len(data)}; give the digest, or no Prehashed")
    return bytes(data), algorithm._algorithm
