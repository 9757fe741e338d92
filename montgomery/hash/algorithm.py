"""SHA-1 by the steps of FIPS 180-4, on octets and integers."""

import struct

__all__ = ["BLOCK", "CONSTANTS", "DIGEST", "INITIAL", "LENGTH", "MARK", "ROUNDS", "blocks", "sha1"]

#: Octets of a block, of the length at its end, and of a digest.
BLOCK, LENGTH, DIGEST = 64, 8, 20
#: The octet after a message: a one, and zeros.
MARK = 0x80
ROUNDS = 80
#: H(0) and K of FIPS 180-4, 5.3.1 and 4.2.1; each constant is that of twenty rounds.
INITIAL = (0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
CONSTANTS = (0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6)

_WORD = 0xffffffff


def blocks(octets):
    """Return the number of blocks of a message with its padding."""
    return (octets + 1 + LENGTH + BLOCK - 1) // BLOCK


def sha1(message):
    """Return the digest of a message; both are :class:`bytes`."""
    padded = message + bytes([MARK]) + bytes(-(len(message) + 1 + LENGTH) % BLOCK)
    padded += (8 * len(message)).to_bytes(LENGTH, "big")
    digest = INITIAL
    for start in range(0, len(padded), BLOCK):
        digest = _compressed(digest, struct.unpack(">16I", padded[start:start + BLOCK]))
    return struct.pack(">5I", *digest)


def _compressed(digest, block):
    """Return the digest after one more block, of sixteen words: 6.1.2, steps 1 to 4."""
    words = list(block)
    for index in range(len(block), ROUNDS):
        words.append(_rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14]
                              ^ words[index - 16], 1))
    a, b, c, d, e = digest
    for index, word in enumerate(words):
        quarter = index // 20
        f = ((b & c) ^ (~b & d), b ^ c ^ d, (b & c) ^ (b & d) ^ (c & d), b ^ c ^ d)[quarter]
        a, b, c, d, e = ((_rotated(a, 5) + f + e + CONSTANTS[quarter] + word) & _WORD, a,
                         _rotated(b, 30), c, d)
    return tuple((old + new) & _WORD for old, new in zip(digest, (a, b, c, d, e), strict=True))


def _rotated(word, count):
    return (word << count | word >> (32 - count)) & _WORD
