"""Carries and correction in hardware, against the integer model."""

import random

import pytest
from bench import run

from montgomery.core import from_words, to_words
from montgomery.cox_rower.conversion import carry
from montgomery.cox_rower.correction import Correction
from montgomery.cox_rower.rsa import correct

SEED = 2001


def _sums(value, rng, width, sum_width, count):
    """Return numbers of more than a digit that stand for the value, up to what leaves the last."""
    sums = to_words(value, width, count)
    for index in range(count):
        # What is added to a sum is taken away from those above.
        more = rng.getrandbits(sum_width - width - 1)
        sums[index] += more << width
        if index + 1 < count:
            rest = (from_words(sums[index + 1:], width) - more) % (1 << width * (count - 1 - index))
            sums[index + 1:] = to_words(rest, width, count - 1 - index)
    return sums


@pytest.mark.parametrize("gap", [0.0, 0.4])
@pytest.mark.parametrize(("width", "sum_width", "words"), [(4, 11, 5), (6, 20, 3)])
def test_hardware(width, sum_width, words, gap):
    rng = random.Random(f"{SEED} {width} {gap}")
    component = Correction(width, sum_width, words)
    seen = set()

    async def testbench(ctx):
        for turn in range(60):
            count, doubles = rng.randint(1, words), rng.randrange(2)
            # The last digit is at most half full, as with B > 8N, or it is not.
            top = 1 << width * count - turn % 3
            modulus = rng.randrange(top // 2, top) | 1
            multiple = rng.randrange(4 if doubles else 2)
            value = min(rng.choice((0, modulus - 1, rng.randrange(modulus))) + multiple * modulus,
                        (1 << width * count) - 1)
            sums = _sums(value, rng, width, sum_width, count)
            assert from_words(carry(sums, width), width) == value
            ctx.set(component.last, count - 1)
            ctx.set(component.last_sum, count - 1)
            ctx.set(component.doubles, doubles)
            found, clocks, started = [], 0, False
            sources = ((component.modulus, to_words(modulus, width, count)), (component.i, sums))
            sent = [0, 0]
            while len(found) < count:
                offers = [part[position] if (position := sent[index]) < count
                          and rng.random() >= gap else None
                          for index, (_, part) in enumerate(sources)]
                for (port, _), offer in zip(sources, offers, strict=True):
                    ctx.set(port.valid, offer is not None)
                    ctx.set(port.payload, offer or 0)
                takes = rng.random() >= gap
                ctx.set(component.o.ready, takes)
                *_, first, second, valid, word = await ctx.tick().sample(
                    component.modulus.ready, component.i.ready, component.o.valid,
                    component.o.payload)
                for index, ready in enumerate((first, second)):
                    sent[index] += ready and offers[index] is not None
                started |= sent[1] > 0
                clocks += started
                if valid and takes:
                    found.append(word)
                assert clocks < 1000
            expected = correct(value, modulus, 4 if doubles else 2)
            assert from_words(found, width) == expected, f"{value} {modulus} seed {SEED}"
            assert gap or clocks == Correction.clocks(count, doubles)
            seen.add((doubles, value // modulus))

    run(component, testbench)
    assert len(seen) == 6
