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
        for turn in range(90):
            # A modulus comes first, stays for the next number, and gives way to another one of as
            # many digits, which comes while that number is handed over.
            if turn % 3 == 0:
                count, doubles = rng.randint(1, words), rng.randrange(2)
                # The last digit is at most half full, as with B > 8N, or it is not.
                top = 1 << width * count - turn // 3 % 3
                moduli = [rng.randrange(top // 2, top) | 1 for _ in range(2)]
                coming = to_words(moduli[0], width, count)
            modulus = moduli[turn % 3 // 2]
            multiple = rng.randrange(4 if doubles else 2)
            value = min(rng.choice((0, modulus - 1, rng.randrange(modulus))) + multiple * modulus,
                        (1 << width * count) - 1)
            sums = _sums(value, rng, width, sum_width, count)
            assert from_words(carry(sums, width), width) == value
            ctx.set(component.last, count - 1)
            ctx.set(component.last_sum, count - 1)
            ctx.set(component.doubles, doubles)
            found, clocks, sent, waits_for_next = [], 0, 0, turn % 3 == 1
            while len(found) < count or coming:
                offers = coming and rng.random() >= gap
                offers_sum = not coming and sent < count and rng.random() >= gap
                ctx.set(component.modulus.valid, bool(offers))
                ctx.set(component.modulus.payload, coming[0] if offers else 0)
                ctx.set(component.i.valid, offers_sum)
                ctx.set(component.i.payload, sums[sent] if offers_sum else 0)
                # The last digit is kept until all of the next modulus has come.
                takes = rng.random() >= gap and not (coming and len(found) == count - 1)
                ctx.set(component.o.ready, takes)
                *_, taken, taken_sum, valid, word = await ctx.tick().sample(
                    component.modulus.ready, component.i.ready, component.o.valid,
                    component.o.payload)
                coming = coming[1:] if offers and taken else coming
                sent += offers_sum and taken_sum
                clocks += sent > 0
                if valid and waits_for_next:
                    coming, waits_for_next = to_words(moduli[1], width, count), False
                if valid and takes:
                    found.append(word)
                assert clocks < 1000
            expected = correct(value, modulus, 4 if doubles else 2)
            assert from_words(found, width) == expected, f"{value} {modulus} seed {SEED}"
            assert gap or turn % 3 == 1 or clocks == Correction.clocks(count, doubles)
            seen.add((doubles, value // modulus))

    run(component, testbench)
    assert len(seen) == 6
