"""A board on a bad line: it never hangs, and no wrong answer is taken for a right one."""

import random

import pytest
from toy_key import Keyed
from wire import BAUD

from boards.host import Client, NoReply
from boards.protocol import (
    REPLY,
    Decoder,
    Frame,
    Problem,
    Type,
    packed,
    unpacked,
    word_bytes,
)
from boards.uart import LEAST_DIVISOR
from montgomery import exponentiators, registry
from montgomery.core import cycles_of, kind_of, results_of

CORE = Keyed(width=8)
#: That of test_run.py, so that its board is compiled once.
SLOW = exponentiators()["single_dsp"](width=256)
MODULUS = 251
#: Operations on a bad line: enough for each kind of damage.
TRIES = 40
#: Clocks without a word after which a board at work has nothing more to say.
QUIET = 60_000


@pytest.fixture(autouse=True)
def keyed(monkeypatch):
    """Add the toy that keeps a key to the multipliers."""
    cores = registry.cores
    monkeypatch.setattr(registry, "cores", lambda kind: (
        {**cores(kind), "keyed": Keyed} if kind == kind_of(Keyed).name else cores(kind)))


@pytest.fixture
def wire(wired):
    return wired(CORE)


def _payload(words, width, size=0):
    return size.to_bytes(2, "little") + packed(words, width)


def _key(tag, core=CORE, key=(MODULUS,)):
    return Frame(Type.KEY, tag, _payload(core.encode_key(*key), core.key_operands.width))


def _request(tag, *inputs, core=CORE):
    size = core.result_words * word_bytes(results_of(core).width)
    return Frame(Type.RUN, tag, _payload(core.encode(*inputs), core.operands.width, size))


def _replies(wire, data=b"", clocks=20_000):
    """Send bytes and return the frames that come back until the board has been quiet."""
    decoder, found, last = Decoder(), [], wire.clocks
    wire.write(data)
    wire.flush()
    last = wire.clocks
    while wire.clocks < last + clocks:
        if data := wire.read(1 << 16):
            found += decoder.feed(data)
            last = wire.clocks
    return found, decoder.damaged


def _product(frame):
    return CORE.decode(unpacked(frame.payload[8:], results_of(CORE).width))


@pytest.mark.sample(1)
@pytest.mark.parametrize("rate", [0.002, 0.01])
def test_damage_on_the_line_costs_time_and_nothing_else(wire, rate):
    board = Client(wire, baud=BAUD)
    assert board.info.parameters == CORE
    wire.rate = rate
    rng, missed = random.Random(5), 0
    for _ in range(TRIES):
        x, y = rng.randrange(MODULUS), rng.randrange(MODULUS)
        try:
            assert board.operate(x, y, MODULUS).value == CORE.compute(x, y, MODULUS)
        except NoReply:
            missed += 1
    assert all(wire.damage.values()), wire.damage
    # At 1 % of some 60 bytes, nearly half of the tries are damaged, of which there are five.
    assert missed < TRIES / 10, f"{missed} of {TRIES} without a reply"
    wire.rate = 0
    assert board.operate(3, 5, MODULUS).value == CORE.compute(3, 5, MODULUS)


def test_fuzzed_frames(wire):
    """Each reply is to a request that was sent as it is, and right."""
    rng = random.Random(7)
    expected, right, problems, keyed = {}, 0, set(), False
    for batch in range(6):
        data = b""
        for index in range(500):
            tag = batch * 500 + index + 1
            x, y = rng.randrange(MODULUS), rng.randrange(MODULUS)
            kind = rng.randrange(8)
            keyed = keyed and kind != 3
            if kind == 0:
                data += rng.randbytes(rng.randrange(24))
                continue
            frame = {
                1: Frame(rng.randrange(256), tag, rng.randbytes(rng.randrange(8))),
                2: Frame(Type.RUN, tag, rng.randbytes(rng.randrange(20))),
                3: Frame(Type.RESET, tag), 4: Frame(Type.INFO, tag, version=rng.randrange(256)),
            }.get(kind, _request(tag, x, y, MODULUS))
            coded = bytearray(frame.encode())
            if kind > 4:
                # The board has no other key, and none after a RESET.
                data += b"" if keyed else _key(tag + (1 << 31)).encode()
                keyed = True
                expected[tag] = CORE.compute(x, y, MODULUS)
            for _ in range(rng.choice((0, 0, 1, 3))):
                at = rng.randrange(len(coded))
                change = rng.randrange(3)
                if change == 0:
                    del coded[at]
                elif change == 1:
                    coded[at] ^= 1 << rng.randrange(8)
                else:
                    coded.insert(at, rng.randrange(256))
            data += bytes(coded)
        found, damaged = _replies(wire, data)
        # Replies that are broken off by a RESET are damaged, and known to be.
        assert damaged <= 500
        for frame in found:
            assert frame.type & REPLY
            if frame.type == Type.RUN | REPLY and frame.tag in expected:
                assert _product(frame) == expected[frame.tag]
                right += 1
            elif frame.type == Type.ERROR | REPLY:
                problems.add(Problem(frame.payload[0]))
    assert right > 300
    assert problems == set(Problem)
    found, _ = _replies(wire, _key(99_998).encode())
    assert [(frame.type, len(frame.payload)) for frame in found] == [(Type.KEY | REPLY, 0)]
    (frame,), _ = _replies(wire, _request(99_999, 2, 3, MODULUS).encode())
    assert (frame.tag, _product(frame)) == (99_999, CORE.compute(2, 3, MODULUS))


def test_a_board_without_a_key_says_so_and_a_host_gives_it_one(wire):
    found, _ = _replies(wire, _request(1, 2, 3, MODULUS).encode())
    assert [(frame.type, frame.payload[0]) for frame in found] == [
        (Type.ERROR | REPLY, Problem.NO_KEY)]
    board = Client(wire, baud=BAUD)
    assert board.operate(3, 5, MODULUS).value == CORE.compute(3, 5, MODULUS)
    # Another program resets the board meanwhile.
    _replies(wire, Frame(Type.RESET, 3).encode())
    assert board.operate(3, 6, MODULUS).value == CORE.compute(3, 6, MODULUS)
    assert board.operate(3, 6, MODULUS - 2).value == CORE.compute(3, 6, MODULUS - 2)


def test_a_key_is_sent_once(wire, monkeypatch):
    sent, write = [], wire.write
    monkeypatch.setattr(wire, "write", lambda data: (
        sent.extend(frame.type for frame in Decoder().feed(data)), write(data)))
    board = Client(wire, baud=BAUD)
    for x, modulus in ((1, MODULUS), (2, MODULUS), (3, 9), (4, 9), (5, MODULUS)):
        assert board.operate(x, 6, modulus).value == CORE.compute(x, 6, modulus)
        assert _key(1, key=(modulus,)).payload not in vars(board).values()
    assert sent[1:] == [Type.KEY, Type.RUN, Type.RUN, Type.KEY, Type.RUN, Type.RUN, Type.KEY,
                        Type.RUN]


@pytest.mark.parametrize("cut", [1, 5, 12])
def test_a_host_that_goes_away_in_the_middle(wire, cut):
    wire.write(_request(1, 2, 3, MODULUS).encode()[:-cut])
    board = Client(wire, baud=BAUD)
    assert board.operate(4, 5, MODULUS).value == CORE.compute(4, 5, MODULUS)


def test_frames_too_long(wire):
    found, _ = _replies(wire, Frame(Type.RUN, 1, bytes(500)).encode())
    assert [(frame.type, frame.tag, frame.payload[0]) for frame in found] == [
        (Type.ERROR | REPLY, 0, Problem.LENGTH)]


def test_a_board_at_work(wired):
    """It tells others so, takes no notice of repetitions, tells what it is, and can be stopped."""
    slow_wire = wired(SLOW)
    exponent, modulus = 0xffff, (1 << 256) - 189
    request = _request(7, 3, exponent, modulus, core=SLOW)
    # A byte takes ten bits. The board works for longer than it takes to send another request, and
    # is quiet for less long than is waited for it.
    clocks = 10 * LEAST_DIVISOR * len(request.encode())
    assert clocks < cycles_of(SLOW, 3, exponent, modulus).compute < QUIET
    found, _ = _replies(slow_wire, _key(6, SLOW, (exponent, modulus)).encode(), clocks=QUIET)
    assert [(frame.type, frame.tag) for frame in found] == [(Type.KEY | REPLY, 6)]
    other = Frame(Type.RUN, 8, request.payload)
    found, _ = _replies(slow_wire, b"".join(frame.encode() for frame in (request, request)),
                        clocks=QUIET)
    assert [(frame.type, frame.tag) for frame in found] == [(Type.RUN | REPLY, 7)]
    found, _ = _replies(slow_wire, request.encode() + Frame(Type.INFO, 9).encode(), clocks=QUIET)
    assert [frame.tag for frame in found] == [9, 7]
    found, _ = _replies(slow_wire, request.encode() + other.encode(), clocks=QUIET)
    assert [(frame.type, frame.tag) for frame in found] == [
        (Type.ERROR | REPLY, 8), (Type.RUN | REPLY, 7)]
    assert found[0].payload[0] == Problem.BUSY
    found, _ = _replies(slow_wire, request.encode() + Frame(Type.RESET, 3).encode(), clocks=QUIET)
    assert [(frame.type, frame.tag) for frame in found] == [(Type.RESET | REPLY, 3)]
    # A client is not in the way of what one before it began.
    slow_wire.write(request.encode())
    board = Client(slow_wire, baud=BAUD)
    assert board.operate(3, 5, 1001).value == 243
