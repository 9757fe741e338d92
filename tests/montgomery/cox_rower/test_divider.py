"""Division in hardware."""

import random

import pytest
from bench import transfer

from montgomery.core import from_words, to_words
from montgomery.cox_rower.divider import Divider

SEED = 2001


def _tasks(rng, width):
    """Return dividends and divisors with their numbers of words: ends, and some between."""
    for divisor_words in (1, 2, 3, 5):
        low, high = 1 << width * (divisor_words - 1), (1 << width * divisor_words) - 1
        for divisor in (low, high, rng.randint(low, high)):
            for dividend_words in range(divisor_words - 1, divisor_words + 4, 2):
                top = (1 << width * dividend_words) - 1
                for dividend in (0, top, rng.randint(0, top)):
                    yield dividend, dividend_words, divisor, divisor_words


def _encode(dividend, dividend_words, divisor, divisor_words, width):
    return [divisor_words - 1, dividend_words - divisor_words + 1,
            *to_words(divisor, width, divisor_words),
            *reversed(to_words(dividend, width, dividend_words))]


@pytest.mark.parametrize("width", [4, 7])
@pytest.mark.parametrize("pauses", [False, True])
def test_hardware(width, pauses):
    rng = random.Random(f"{SEED} {width}")
    tasks = list(_tasks(rng, width))
    rng.shuffle(tasks)
    words = [word for task in tasks for word in _encode(*task, width)]
    gaps = {"put_after": lambda index: rng.randrange(3), "get_after": lambda index: rng.randrange(
        3)} if pauses else {}
    done = transfer(Divider(width, 5), words, sum(task[-1] for task in tasks), **gaps)
    found = iter(done.words)
    for dividend, _, divisor, divisor_words in tasks:
        rest = from_words([next(found) for _ in range(divisor_words)], width)
        assert rest == dividend % divisor, f"{dividend} % {divisor}, seed {SEED}"
    clocks = sum(Divider.clocks(dividend_words, divisor_words, width)
                 for _, dividend_words, _, divisor_words in tasks)
    assert pauses or done.received[-1] - done.sent[0] + 1 == clocks
