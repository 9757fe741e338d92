"""Scalar multiplication on secp256k1: the halves of a scalar, the program, and its products."""

import itertools
import random

import pytest
from amaranth.sim import Simulator
from cryptography.hazmat.primitives.asymmetric import ec

from montgomery.numbers.catalogue import WEIERSTRASS
from montgomery.points.assembler import assemble
from montgomery.points.listing import Operation
from montgomery.wide.datapath.primes import DIGITS
from montgomery.wide.datapath.ranges import BASE
from montgomery.wide.scalar_multiplication import Parameters
from montgomery.wide.units.scalar_halves import (
    BETA,
    BITS,
    LAMBDA,
    ScalarHalves,
    half_digits,
    halves,
    steps,
)

SEED = 2001
CURVE = WEIERSTRASS["secp256k1"]
N, P = CURVE.n, CURVE.p
EDGES = (0, 1, 2, N // 2, N // 2 + 1, N - 2, N - 1, N, N + 1, (1 << 256) - 1, 1 << 255, 1 << 128,
         LAMBDA, LAMBDA - 1, N - LAMBDA, (1 << 128) - 1)


def _scalars(count):
    print("seed", SEED)
    rng = random.Random(SEED)
    return [*EDGES, *(rng.getrandbits(256) for _ in range(count))]


def test_the_endomorphism():
    x, y = CURVE.base
    assert CURVE.multiply(LAMBDA, CURVE.base) == (BETA * x % P, y)


def test_halves_are_the_scalar():
    for scalar in _scalars(1000):
        first, second = halves(scalar)
        assert (first + LAMBDA * second - scalar) % N == 0
        assert max(abs(first), abs(second)) < 1 << BITS - 1
        digits = half_digits(scalar)
        for turn, half in enumerate((first, second)):
            assert sum((-size if negative else size) << 5 * place for place, (size, negative)
                       in enumerate(reversed(digits[turn::2]))) == half


def test_columns_fit_their_register():
    total, most = 0, (1 << BASE) - 1
    for step in steps():
        total += most * step.factor
        assert total < 1 << 36
        total >>= BASE * step.ends


def test_digits_of_halves():
    core, scalars, found = ScalarHalves(), _scalars(4), []

    async def testbench(ctx):
        for pause, scalar in zip(itertools.cycle((0, 300)), scalars):
            for place in range(DIGITS):
                if pause and place == DIGITS - 1:
                    await ctx.tick().repeat(pause)
                ctx.set(core.push, 1)
                ctx.set(core.word, scalar >> BASE * place & (1 << BASE) - 1)
                await ctx.tick()
                ctx.set(core.push, 0)
            await ctx.tick().repeat(core.DIVIDED)
            digits = []
            for _ in half_digits(scalar)[::2]:
                ctx.set(core.next, 1)
                await ctx.tick()
                ctx.set(core.next, 0)
                await ctx.tick().repeat(core.LATENCY - 1)
                for second in range(2):
                    ctx.set(core.magnitude_of, second)
                    ctx.set(core.negative_of, second)
                    await ctx.tick()
                    size = ctx.get(core.magnitude)
                    digits.append(-size if ctx.get(core.negative) else size)
            found.append(digits)

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    assert found == [[-size if negative else size for size, negative in half_digits(scalar)]
                     for scalar in scalars]


@pytest.fixture(params=[2, 4])
def params(request):
    return Parameters(width=256, curve="secp256k1", digits_per_clock=request.param)


@pytest.fixture
def program(params):
    return params._program(1)


def test_scalars_are_divided_before_digits_are_needed(params, monkeypatch):
    params.create()
    monkeypatch.setattr(ScalarHalves, "DIVIDED", 1 << 12)
    with pytest.raises(ValueError, match="before it is divided"):
        params.create()


def test_microcode(program):
    names = [segment.name for segment, _, _ in program.walk()]
    assert names.count("window") == 25
    assert program.microcode.layout.size <= 36
    assert len(program.microcode.words) <= 2048


def test_products_of_a_window_seldom_wait(program):
    """Both multiples are added to one another while the point is doubled."""
    window = next(segment for segment, _, _ in program.walk() if segment.name == "window")
    products = sum(line.operation is Operation.PRODUCT for line in window.lines)
    idle = program.microcode.clocks["window"] - program.timing.interval * products
    assert idle < 120


def test_the_last_multiple_is_stored_before_digits_choose_it(program):
    first, = {segment.name: segment for segment, digit, _ in program.walk()
              if segment.name == "first"}.values()
    issues = assemble(first.lines, program.timing, first.inputs, first.outputs,
                      loads_from=first.loads_from).issues
    stored, loaded = ([issue for issue in issues if issue.line.operation is operation]
                      for operation in (Operation.STORE, Operation.LOAD))
    assert len(stored) == 3
    assert max(issue.written for issue in stored) < min(issue.clock for issue in loaded)


def test_products(params):
    rng = random.Random(SEED)
    for scalar in _scalars(8):
        point = CURVE.multiply(rng.randrange(1, N), CURVE.base)
        product = 0
        if scalar % N:
            # That of a public key, by OpenSSL.
            other = rng.randrange(1, N)
            point = ec.derive_private_key(other, ec.SECP256K1()).public_key().public_numbers()
            point = point.x, point.y
            numbers = ec.derive_private_key(scalar * other % N, ec.SECP256K1()).public_key(
                ).public_numbers()
            product = numbers.x | numbers.y << 256
        assert params.compute(scalar, *point) == product


def test_a_vector(params):
    """The multiple by 2 of the base point, as many publish it."""
    x = 0xC6047F9441ED7D6D3045406E95C07CD85C778E4B8CEF3CA7ABAC09B95C709EE5
    y = 0x1AE168FEA63DC339A3C58419466CEAEEF7F632653266D0E1236431A950CFE52A
    assert params.compute(2, *CURVE.base) == x | y << 256
