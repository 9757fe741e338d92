import random

import pytest
from bench import transfer

from montgomery.blocks.streams import Narrow, Skid, Widen
from montgomery.core import to_words
from montgomery.wide.units.intake import WordQueue
from montgomery.wide.units.result import Turns

SIZES = pytest.mark.parametrize(("width", "ratio"), [(4, 2), (5, 3), (8, 4), (1, 7)])
SEED = 7


def _words(width, ratio, count):
    rng = random.Random(SEED)
    wide = [rng.getrandbits(width * ratio) for _ in range(count)]
    return wide, [part for word in wide for part in to_words(word, width, ratio)]


@SIZES
def test_narrow_has_no_gap(width, ratio):
    wide, narrow = _words(width, ratio, 20)
    done = transfer(Narrow(width, ratio), wide, len(narrow))
    assert done.words == narrow
    first = done.sent[0] + 1
    assert done.received == list(range(first, first + len(narrow)))


@SIZES
def test_widen_has_no_gap(width, ratio):
    wide, narrow = _words(width, ratio, 20)
    done = transfer(Widen(width, ratio), narrow, len(wide))
    assert done.words == wide
    assert done.sent == list(range(done.sent[0], done.sent[0] + len(narrow)))
    assert done.received == [clock + 1 for clock in done.sent[ratio - 1::ratio]]


@SIZES
def test_nothing_is_lost_while_the_receiver_waits(width, ratio):
    wide, narrow = _words(width, ratio, 20)
    for block, sent, received in ((Narrow, wide, narrow), (Widen, narrow, wide)):
        done = transfer(block(width, ratio), sent, len(received),
                        get_after=lambda index: index % 3)
        assert done.words == received


QUEUES = pytest.mark.parametrize("queue", [Skid, Turns])


@QUEUES
def test_a_queue_of_two_has_no_gap(queue):
    words = random.Random(SEED).sample(range(256), 50)
    done = transfer(queue(8), words, len(words))
    assert done.words == words
    first = done.sent[0] + queue.LATENCY
    assert done.received == list(range(first, first + len(words)))


@QUEUES
def test_it_takes_two_words_from_a_sender_whose_receiver_waits(queue):
    done = transfer(queue(4), [1, 2, 3, 4], 4, get_after=lambda index: 20 if index == 0 else 0)
    assert done.words == [1, 2, 3, 4]
    assert done.sent[1] < 20 < done.sent[2]


@pytest.mark.parametrize("pause", [0, 3])
def test_words_of_an_operation_go_without_a_gap(pause):
    words, count = random.Random(SEED).sample(range(1 << 16), 18), 6
    done = transfer(WordQueue(count), words, len(words), put_after=lambda index: pause)
    assert done.words == words
    for end in range(count, len(words) + 1, count):
        first = done.sent[end - 1] + WordQueue.LATENCY
        assert done.received[end - count:end] == list(range(first, first + count))


def test_words_of_an_operation_wait_for_their_receiver():
    words, count = random.Random(SEED).sample(range(1 << 16), 18), 6
    done = transfer(WordQueue(count), words, len(words), get_after=lambda index: index % 4)
    assert done.words == words
    # The first word of an operation comes when the last one of another went.
    assert done.sent[count] > done.received[count - 3]
