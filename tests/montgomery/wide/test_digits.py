"""What makes digits of scalars, beside the functions of the models that do the same."""

import itertools
import random

import pytest
from bench import run

from montgomery.numbers.catalogue import WEIERSTRASS
from montgomery.wide.datapath.ranges import BASE
from montgomery.wide.units.joint_digits import (
    JointDigits,
    JointHalves,
    base_place,
    joint_digits,
    joint_half_digits,
)
from montgomery.wide.units.scalar_digits import CombDigits, ScalarDigits, comb_digits, signed_digits
from montgomery.wide.units.scalar_halves import (
    BITS,
    LAMBDA,
    ScalarHalves,
    half_digits,
    halves,
    steps,
)

SEED = 1985
N256, CURVE = WEIERSTRASS["P-256"].n, WEIERSTRASS["secp256k1"]
N, P = CURVE.n, CURVE.p
SCALARS = (0, 1, 5, 16, 31, 1 << 255, (1 << 256) - 1, N256, 0x5555 << 238, 0x9ABCDEF0)
#: Those of which a half is near the end of its range, or the division by the order is.
EDGES = (0, 1, 2, N // 2, N // 2 + 1, N - 2, N - 1, N, N + 1, (1 << 256) - 1, 1 << 255, 1 << 128,
         LAMBDA, LAMBDA - 1, N - LAMBDA, (1 << 128) - 1)


def _random(count, bits=256):
    print("seed", SEED)
    rng = random.Random(SEED)
    return [rng.getrandbits(bits) for _ in range(count)]


def _wait(ctx, clocks):
    return ctx.tick().repeat(clocks) if clocks else ctx.delay(0)


def _digits(core, numbers, count, *, words, settled=0, latency=None, choices=({},), clocks=1,
            pauses=(0,)):
    """Return what is at the outputs for each digit of each of the numbers.

    Parameters
    ----------
    words : int
        Of a number, the lowest one first.
    settled, latency : int
        Clocks from the last word to the first digit, and from ``next`` to what is chosen.
    choices : sequence of dict
        Inputs by name that choose one output after the other, and ``clocks`` from one to the next.
    pauses : sequence of int
        Clocks before the last word of one number after the other.
    """
    found, outputs = [], [name for name in ("magnitude", "odd", "negative") if hasattr(core, name)]

    async def testbench(ctx):
        for number, pause in zip(numbers, itertools.cycle(pauses)):
            for place in range(words):
                await _wait(ctx, pause if place == words - 1 else 0)
                ctx.set(core.word, number >> BASE * place & (1 << BASE) - 1)
                ctx.set(core.push, 1)
                await ctx.tick()
                ctx.set(core.push, 0)
            await _wait(ctx, settled)
            digits = []
            for _ in range(count):
                ctx.set(core.next, 1)
                await ctx.tick()
                ctx.set(core.next, 0)
                await _wait(ctx, core.LATENCY - 1 if latency is None else latency)
                for choice in choices:
                    for name, value in choice.items():
                        ctx.set(getattr(core, name), value)
                    await _wait(ctx, clocks if choice else 0)
                    digits.append(tuple(ctx.get(getattr(core, name)) for name in outputs))
            found.append(digits)

    run(core, testbench)
    return found


@pytest.mark.parametrize("words", [16, 24])
def test_windows(words):
    scalars = [*SCALARS, (1 << BASE * words) - 1, *_random(20, BASE * words)]
    expected = [signed_digits(scalar, BASE * words) for scalar in scalars]
    for scalar, digits in zip(scalars, expected, strict=True):
        assert sum(digit << 5 * place for place, digit in enumerate(reversed(digits))) == scalar
        assert max(map(abs, digits)) <= 16
    found = _digits(ScalarDigits(words), scalars, len(expected[0]), words=words)
    assert [[-size if negative else size for size, negative in digits]
            for digits in found] == expected


def test_combs():
    scalars = [*SCALARS, *_random(20)]
    expected = [comb_digits(scalar) for scalar in scalars]
    assert _digits(CombDigits(), scalars, len(expected[0]), words=16) == expected


def test_halves_are_the_scalar():
    for scalar in [*EDGES, *_random(1000)]:
        first, second = halves(scalar)
        assert (first + LAMBDA * second - scalar) % N == 0
        assert max(abs(first), abs(second)) < 1 << BITS - 1
        digits = half_digits(scalar)
        for turn, half in enumerate((first, second)):
            assert sum((-size if negative else size) << 5 * place for place, (size, negative)
                       in enumerate(reversed(digits[turn::2]))) == half


def test_columns_of_halves_fit_their_register():
    total, most = 0, (1 << BASE) - 1
    for step in steps():
        total += most * step.factor
        assert total < 1 << 36
        total >>= BASE * step.ends


def test_halves():
    scalars = [*EDGES, *_random(4)]
    expected = [half_digits(scalar) for scalar in scalars]
    found = _digits(ScalarHalves(), scalars, len(expected[0]) // 2, words=16,
                    settled=ScalarHalves.DIVIDED, pauses=(0, 300), choices=[
                        {"magnitude_of": second, "negative_of": second} for second in (0, 1)])
    assert [[-size if negative else size for size, negative in digits] for digits in found] == [
        [-size if negative else size for size, negative in digits] for digits in expected]


@pytest.mark.parametrize(("bits", "count"), [(256, 52), (384, 77)])
def test_both_scalars(bits, count):
    """Every second digit for the point, and so the last one, comes with one for the base point."""
    core, more = JointDigits(bits // BASE), _random(4, bits)
    pairs = [(0, (1 << bits) - 1), (N256, 1), (1, sum(512 << 20 * at for at in range(12))),
             tuple(more[:2]), tuple(more[2:])]
    found = _digits(core, [first | second << bits for first, second in pairs], count,
                    words=2 * core.count, settled=1, latency=core.LATENCY - 2, choices=[
                        {"of_base": of_base, "of_z": of_z, "negative_of_base": of_base}
                        for of_base, of_z in ((0, 0), (1, 0), (1, 1))])
    for pair, digits in zip(pairs, found, strict=True):
        expected = joint_digits(*pair, bits)
        for number in range(count):
            first, second, of_z = digits[3 * number:3 * number + 3]
            (size, negative), (base_size, base_negative) = expected[2 * number:2 * number + 2]
            # The sign of 0 says nothing.
            assert (first[0], first[2] and size > 0) == (size, negative and size > 0)
            if (count - 1 - number) % 2:
                continue
            entry, part = base_place(base_size, 0)
            assert second[:2] == (entry, part // 2)
            assert of_z[:2] == base_place(base_size, 2)
            assert not base_size or second[2] == base_negative


def test_both_scalars_in_halves():
    core, more = JointHalves(), _random(4)
    pairs = [(N - 1, (1 << 256) - 1), (1, 0), tuple(more[:2]), tuple(more[2:])]
    found = _digits(core, [first | second << 256 for first, second in pairs], 26, words=32,
                    settled=core.DIVIDED, latency=core.LATENCY - 2, clocks=2, choices=[
                        {"of_half": of_half, "negative_of_half": of_half, "of_base": of_base,
                         "negative_of_base": of_base}
                        for of_base, of_half in ((0, 0), (0, 1), (1, 0))])
    for pair, digits in zip(pairs, found, strict=True):
        for at, ((entry, odd, sign), (size, negative)) in enumerate(
                zip(digits, joint_half_digits(*pair), strict=True)):
            of_base = at % 3 == 2
            assert (entry, 2 * odd if of_base else 0) == (
                base_place(size, 0) if of_base else (size, 0))
            assert sign == negative or size == 0
