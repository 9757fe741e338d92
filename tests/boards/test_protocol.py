"""Frames on the host's side."""

import random

import pytest

from boards.protocol import ESCAPE, FLAG, Decoder, Frame, Type

FRAMES = [Frame(Type.INFO, 0), Frame(Type.RUN, 0x7E7D7E7D, bytes([FLAG, ESCAPE] * 40)),
          Frame(Type.RUN, 1 << 31, bytes(range(256))), Frame(255, 5, b"\x01", version=9)]


@pytest.mark.parametrize("frame", FRAMES, ids=range(len(FRAMES)))
def test_what_is_sent_arrives(frame):
    coded = frame.encode()
    assert coded[0] == coded[-1] == FLAG
    assert FLAG not in coded[1:-1]
    decoder = Decoder()
    assert list(decoder.feed(b"noise" + coded + coded)) == [frame, frame]
    assert decoder.damaged == 1


def test_known_bytes():
    """As any other implementation has to send them."""
    assert Frame(Type.INFO, 0x04030201).encode().hex(" ") == (
        "7e 02 01 01 02 03 04 00 00 " + _crc("0201010203040000") + " 7e")


def _crc(text):
    import binascii

    return binascii.crc32(bytes.fromhex(text)).to_bytes(4, "little").hex(" ")


def test_bytes_may_come_one_at_a_time():
    decoder = Decoder()
    found = [frame for byte in FRAMES[1].encode() for frame in decoder.feed(bytes([byte]))]
    assert found == [FRAMES[1]]


def test_damage_is_seen():
    rng = random.Random(3)
    coded = FRAMES[2].encode()
    for _ in range(2000):
        damaged = bytearray(coded)
        at = rng.randrange(1, len(coded) - 1)
        change = rng.randrange(3)
        if change == 0:
            del damaged[at]
        elif change == 1:
            damaged[at] ^= 1 << rng.randrange(8)
        else:
            damaged[at:at + 2] = damaged[at:at + 2][::-1]
        if damaged != coded:
            assert FRAMES[2] not in list(Decoder().feed(bytes(damaged)))


def test_what_is_no_frame_is_passed_over():
    decoder = Decoder()
    assert list(decoder.feed(bytes(1 << 17) + FRAMES[2].encode())) == [FRAMES[2]]
    assert decoder.damaged == 1
