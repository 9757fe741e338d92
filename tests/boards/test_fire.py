"""A board on a bad line: it never hangs, and no wrong answer is taken for a right one."""

import dataclasses
import random

import pytest
from toy_key import Keyed
from wire import BAUD

from boards.host import BoardError, Client, NoReply
from boards.protocol import COMPLAINT, Decoder, Reply, Request, framed, packed, unpacked
from boards.uart import LEAST_DIVISOR
from montgomery import exponentiators, registry
from montgomery.bus import RegisterMap
from montgomery.bus.registers import ERRORS, RESULT, Command, Status
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


def _bits(core=CORE):
    return core.result_words * results_of(core).width


def _key(tag, core=CORE, key=(MODULUS,)):
    """Return the request that gives a core a key, which is written behind the operands."""
    words = core.encode_key(*key)
    return Request(tag=tag, command=Command.LOAD, words=len(words),
                   write=RegisterMap(core).window("OPERANDS").slots,
                   data=packed(words, core.key_operands.width))


def _request(tag, *inputs, core=CORE):
    words = core.encode(*inputs)
    return Request(tag=tag, read=RESULT, count=RegisterMap(core).window("RESULT").slots,
                   command=Command.START, words=len(words),
                   data=packed(words, core.operands.width))


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
    assert decoder.damaged == 0
    return found


def _told(wire, *requests, core=CORE, clocks=20_000):
    """Send requests, and return tags and errors of the replies."""
    found = _replies(wire, b"".join(request.encode() for request in requests), clocks)
    bits = {request.tag: _bits(core) if request.count else 0 for request in requests}
    replies = [Reply.decode(frame, bits.get(Reply.tag_of(frame), 0)) for frame in found]
    return [(reply.tag, reply.status & ERRORS) for reply in replies]


def _product(frame):
    number = Reply.decode(frame, _bits()).number
    return CORE.decode(unpacked(number, results_of(CORE).width, CORE.result_words))


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
    expected, bits, right, problems, keyed = {}, {COMPLAINT: 0}, 0, set(), False
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
            count = rng.randrange(1, 8)
            request = {
                2: Request(tag=tag, command=Command.START, words=count, data=rng.randbytes(8)),
                3: Request(tag=tag, command=Command.CLEAR), 4: Request(tag=tag),
            }.get(kind, _request(tag, x, y, MODULUS))
            bits[tag] = _bits() if request.count else 0
            coded = bytearray(request.encode())
            if kind == 1:
                coded = bytearray(framed(b"\2" + rng.randbytes(rng.randrange(30))))
            if kind > 4:
                # The board has no other key, and none after a CLEAR.
                bits[tag + (1 << 31)] = 0
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
        for frame in _replies(wire, data):
            tag = Reply.tag_of(frame)
            reply = Reply.decode(frame, bits[tag])
            problem = reply.status & ERRORS
            problems.add(COMPLAINT if tag == COMPLAINT else problem)
            if tag in expected and not problem:
                assert reply.status == Status.DONE | Status.HAS_KEY
                assert _product(frame) == expected[tag]
                right += 1
    assert right > 300
    assert problems == {COMPLAINT, Status(0), Status.ERROR_KEY, Status.ERROR_WORDS}
    assert _told(wire, _key(99_998)) == [(99_998, 0)]
    frame, = _replies(wire, _request(99_999, 2, 3, MODULUS).encode())
    assert (Reply.tag_of(frame), _product(frame)) == (99_999, CORE.compute(2, 3, MODULUS))


def test_a_board_without_a_key_says_so_and_a_host_gives_it_one(wire):
    assert _told(wire, _request(1, 2, 3, MODULUS)) == [(1, Status.ERROR_KEY)]
    board = Client(wire, baud=BAUD)
    assert board.operate(3, 5, MODULUS).value == CORE.compute(3, 5, MODULUS)
    # Another program clears the board meanwhile.
    _replies(wire, Request(tag=3, command=Command.CLEAR).encode())
    assert board.operate(3, 6, MODULUS).value == CORE.compute(3, 6, MODULUS)
    assert board.operate(3, 6, MODULUS - 2).value == CORE.compute(3, 6, MODULUS - 2)


def test_a_key_is_sent_once(wire, monkeypatch):
    sent, write = [], wire.write
    monkeypatch.setattr(wire, "write", lambda data: (
        sent.extend(Request.decode(frame).command for frame in Decoder().feed(data)),
        write(data)))
    board = Client(wire, baud=BAUD)
    for x, modulus in ((1, MODULUS), (2, MODULUS), (3, 9), (4, 9), (5, MODULUS)):
        assert board.operate(x, 6, modulus).value == CORE.compute(x, 6, modulus)
        assert _key(1, key=(modulus,)).data not in vars(board).values()
    start, load = Command.START, Command.LOAD
    # What the board is was asked for first, and what that is took two requests.
    assert sent == [0, 0, load, start, start, load, start, start, load, start]


@pytest.mark.parametrize("cut", [1, 5, 12])
def test_a_host_that_goes_away_in_the_middle(wire, cut):
    wire.write(_request(1, 2, 3, MODULUS).encode()[:-cut])
    board = Client(wire, baud=BAUD)
    assert board.operate(4, 5, MODULUS).value == CORE.compute(4, 5, MODULUS)


@pytest.mark.parametrize("request_", [
    Request(tag=1, data=bytes(500), words=400, command=Command.START),
    Request(tag=1, words=10, command=Command.START)], ids=["words too many", "no words"])
def test_requests_whose_words_are_not_those_of_a_message(wire, request_):
    assert _told(wire, request_) in ([(1, Status.ERROR_WORDS)], [(COMPLAINT, 0)])


def test_a_board_of_another_version():
    """It finds what it is asked damaged, and says so by its own protocol: this is that of 2."""
    class Former:
        in_waiting = 0

        def write(self, data):
            self.reply = framed(bytes.fromhex("02 ff 00000000 0100 01"))

        def flush(self):
            pass

        def read(self, size):
            data, self.reply = self.reply, b""
            return data

    with pytest.raises(BoardError, match=r"\AThe board speaks version 2 of the protocol, and this "
                                         r"program version 3; build its bitstream anew with "
                                         r"'montgomery board build', and program it\Z"):
        Client(Former()).require("multiplier")


def test_a_host_of_another_version(wire):
    content = next(Decoder().feed(Request(tag=1).encode()))
    for changed in (b"\x02" + content[1:], bytes.fromhex("02 01 01000000 0000")):
        frame, = _replies(wire, framed(changed))
        assert (frame[0], Reply.tag_of(frame)) == (3, COMPLAINT)


def test_a_board_at_work(wired):
    """It tells others so, takes no notice of repetitions, can be asked, and can be stopped."""
    slow_wire = wired(SLOW)
    exponent, modulus = 0xffff, (1 << 256) - 189
    request = _request(7, 3, exponent, modulus, core=SLOW)
    # A byte takes ten bits. The board works for longer than it takes to send another request, and
    # is quiet for less long than is waited for it.
    clocks = 10 * LEAST_DIVISOR * len(request.encode())
    assert clocks < cycles_of(SLOW, 3, exponent, modulus).compute < QUIET

    def told(*requests):
        return _told(slow_wire, *requests, core=SLOW, clocks=QUIET)

    other = dataclasses.replace(request, tag=8)
    assert told(_key(6, SLOW, (exponent, modulus))) == [(6, 0)]
    assert told(request, request) == [(7, 0)]
    assert told(request, other) == [(8, Status.ERROR_BUSY)]
    assert told(request, Request(tag=9)) == [(9, 0)]
    assert told(request, Request(tag=3, command=Command.CLEAR)) == [(3, 0)]
    assert told(request) == [(7, Status.ERROR_KEY)]
    # A client is not in the way of what one before it began.
    told(_key(6, SLOW, (exponent, modulus)))
    slow_wire.write(request.encode())
    board = Client(slow_wire, baud=BAUD)
    assert board.operate(3, 5, 1001).value == 243
