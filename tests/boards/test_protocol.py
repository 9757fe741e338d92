"""Frames on the host's side."""

import zlib

import pytest

from boards.protocol import ESCAPE, FLAG, Decoder, Reply, Request, packed, unpacked
from montgomery.bus.registers import Command, Status

REQUESTS = [Request(tag=1), Request(tag=0x7E7D7E7D, data=bytes([FLAG, ESCAPE] * 40)),
            Request(tag=1 << 31, read=16, count=5, words=7, command=Command.START, write=9,
                    data=bytes(range(256)))]


@pytest.mark.parametrize("request_", REQUESTS, ids=range(len(REQUESTS)))
def test_what_is_sent_arrives(request_):
    coded = request_.encode()
    assert coded[0] == coded[-1] == FLAG
    assert FLAG not in coded[1:-1]
    decoder = Decoder()
    assert [Request.decode(frame) for frame in decoder.feed(b"noise" + coded + coded)] == [
        request_, request_]
    assert decoder.damaged == 1


def test_known_bytes():
    """As any other implementation has to send them."""
    def coded(text):
        content = bytes.fromhex(text)
        return b"\x7e" + content + zlib.crc32(content).to_bytes(4, "little") + b"\x7e"

    # Two words of 12 bits.
    request = Request(tag=0x04030201, read=0x0605, count=8, words=2, command=Command.LOAD,
                      write=0x0B0A, data=packed([0x123, 0xABC], 12))
    assert request.encode() == coded("03 01020304 0506 0800 0200 02 0a0b 23c1ab")
    reply = Reply(tag=0x04030201, number=0x5, cycles=0x00000102,
                  status=Status.DONE | Status.ERROR_KEY)
    # Registers of 4 bits, and the others behind them.
    assert reply.encode(4) == coded("03 01020304 25 10 00 00 20 20 00")


@pytest.mark.parametrize("bits", [0, 1, 7, 8, 65])
def test_replies(bits):
    reply = Reply(tag=7, number=(1 << bits) - 1, cycles=1 << 31,
                  status=Status.BUSY | Status.ERROR_WORDS)
    content, = Decoder().feed(reply.encode(bits))
    assert Reply.tag_of(content) == 7
    assert Reply.decode(content, bits) == reply
    with pytest.raises(ValueError, match=r"^A reply with 99 bits of registers must not have "):
        Reply.decode(content, 99)


def test_words_and_numbers():
    words = [5, 0, 511, 256]
    assert unpacked(int.from_bytes(packed(words, 9), "little"), 9, 4) == words
    assert len(packed(words, 9)) == 5
    assert packed([], 9) == b""


def test_bytes_may_come_one_at_a_time():
    decoder = Decoder()
    found = [Request.decode(frame) for byte in REQUESTS[1].encode()
             for frame in decoder.feed(bytes([byte]))]
    assert found == [REQUESTS[1]]


def test_what_is_no_frame_is_passed_over():
    decoder = Decoder()
    frame, = decoder.feed(bytes(1 << 17) + REQUESTS[2].encode())
    assert Request.decode(frame) == REQUESTS[2]
    assert decoder.damaged == 1
