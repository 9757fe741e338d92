"""Parts of the engine for scalar multiplication, and that its time says nothing."""

import dataclasses
import random

import pytest
from amaranth.sim import Simulator
from products import normalised

from montgomery import KINDS
from montgomery.numbers.catalogue import WEIERSTRASS
from montgomery.wide.datapath.core import dataflow
from montgomery.wide.datapath.primes import DIGITS, FOLDED, KOBLITZ, PRIMES
from montgomery.wide.datapath.ranges import BASE, RESULT_BITS, value
from montgomery.wide.programs import point_program
from montgomery.wide.scalar_multiplication import Parameters
from montgomery.wide.units.adder import DigitAdder
from montgomery.wide.units.held import Held, HeldNumber
from montgomery.wide.units.scalar_digits import CombDigits, ScalarDigits, comb_digits, signed_digits

SEED = 1985
P256, P384 = (WEIERSTRASS[name] for name in ("P-256", "P-384"))
PRIME = PRIMES["P-256"]
SCALARS = (0, 1, 5, 16, 31, 1 << 255, (1 << 256) - 1, P256.n, 0x5555 << 238, 0x9ABCDEF0)

all_paces = pytest.mark.parametrize(("name", "per_clock"), [("P-256", 2), ("P-256", 4),
                                                            ("P-384", 2)])
all_primes = pytest.mark.parametrize("prime", PRIMES.values(), ids=PRIMES)


def _scalars(bits):
    print("seed", SEED)
    rng = random.Random(SEED)
    return [*SCALARS, (1 << bits) - 1, *(rng.getrandbits(bits) for _ in range(20))]


def _run(core, testbench):
    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


def _windows(words):
    return (ScalarDigits(words), words, lambda scalar: signed_digits(scalar, BASE * words),
            lambda size, negative: -size if negative else size)


@pytest.mark.parametrize(("core", "words", "digits_of", "digit"), [
    _windows(DIGITS), _windows(24),
    (CombDigits(), DIGITS, comb_digits, lambda size, negative: (size, bool(negative)))],
    ids=["window", "window of 384 bits", "comb"])
def test_digits_of_scalars(core, words, digits_of, digit):
    found = []

    async def testbench(ctx):
        for scalar in _scalars(BASE * words):
            for place in range(words):
                ctx.set(core.word, scalar >> BASE * place & (1 << BASE) - 1)
                ctx.set(core.push, 1)
                await ctx.tick()
            ctx.set(core.push, 0)
            digits = []
            for _ in digits_of(scalar):
                ctx.set(core.next, 1)
                await ctx.tick()
                ctx.set(core.next, 0)
                await ctx.tick().repeat(core.LATENCY - 1)
                digits.append(digit(ctx.get(core.magnitude), ctx.get(core.negative)))
            found.append(digits)

    _run(core, testbench)
    assert found == [digits_of(scalar) for scalar in _scalars(BASE * words)]


@pytest.mark.parametrize("width", [256, 384])
@pytest.mark.parametrize("scalar", SCALARS)
def test_digits_are_those_of_the_scalar(scalar, width):
    digits = signed_digits(scalar, width)
    assert sum(digit << 5 * place for place, digit in enumerate(reversed(digits))) == scalar
    assert max(map(abs, digits)) <= 16


@pytest.mark.parametrize(("prime", "width", "limit"), [
    (PRIMES["P-256"], RESULT_BITS, 33119), (PRIMES["P-256"], RESULT_BITS + 1, 2 * 33119),
    (PRIMES["P-384"], RESULT_BITS, 41440), (FOLDED, RESULT_BITS, 41431),
    (KOBLITZ, RESULT_BITS, 33744)])
def test_sums(prime, width, limit):
    """Digits are those of sums of some results."""
    print("seed", SEED)
    loose = []
    rng, core, found, expected = random.Random(SEED), DigitAdder(prime, width), [], []

    async def testbench(ctx):
        for turn in range(300):
            a, b = ([rng.choice((-limit, limit)) if turn % 3 == 0 else rng.randint(-limit, limit)
                     for _ in range(prime.digits)] for _ in "ab")
            twice, has_a, negative = (rng.getrandbits(1) for _ in range(3))
            b = [digit << twice for digit in b]
            negative &= has_a
            if turn < 4:  # the largest sums, and the smallest
                twice, has_a, negative = 1, 1, turn >> 1
                a = [(-limit if turn in (1, 2) else limit)] * prime.digits
                b = [(-2 * limit if turn & 1 else 2 * limit)] * prime.digits
            for place in range(prime.digits):
                ctx.set(core.a[place], a[place])
                ctx.set(core.b[place], b[place])
                ctx.set(core.has_a[place], has_a)
                ctx.set(core.negative[place], negative)
            sums = [y + (-x if negative else x) * has_a for x, y in zip(a, b, strict=True)]
            await ctx.tick()
            if width > RESULT_BITS:
                half = 1 << width - 1
                loose.extend(ctx.get(digit) == total for digit, total in
                             zip(core.loose, sums, strict=True) if -half <= total < half)
            await ctx.tick().repeat(core.LATENCY - 1)
            found.append([ctx.get(digit) for digit in core.total])
            expected.append(normalised(sums, prime))
            assert (value(sums) - value(found[-1])) % prime.value == 0

    _run(core, testbench)
    assert found == expected
    assert all(loose)
    assert (len(loose) > 1000) == (width > RESULT_BITS)


@all_primes
@pytest.mark.parametrize("stalls", [False, True])
def test_numbers_are_compared_and_sent(stalls, prime):
    print("seed", SEED)
    rng, core, count = random.Random(SEED), HeldNumber(prime), prime.digits
    found, zeros, outside = [], [], []
    p, half = prime.value, 1 << prime.width - 1
    numbers = [0, 1, -1, p // 2, -p // 2, half, -half, *(
        rng.randint(-p // 2, p // 2) for _ in range(6))]

    def digits_of(number):
        """Return signed digits at random, as results have them."""
        digits = []
        for _ in range(count - 1):
            digit = number & 0xFFFF
            if digit > 32768 + 200 or (digit > 32768 - 200 and rng.getrandbits(1)):
                digit -= 1 << BASE
            digits.append(digit)
            number = number - digit >> BASE
        return [*digits, number]

    async def testbench(ctx):
        for number in (p - 1, p, p + 1, (1 << prime.width) - 1, 0, 1 << 192):
            for place in range(count):
                ctx.set(core.pushes, 1)
                await ctx.tick()
                ctx.set(core.word, number >> BASE * place & 0xFFFF)
            ctx.set(core.pushes, 0)
            for _ in range(2):
                await ctx.tick()
            outside.append(ctx.get(core.outside))
            assert value([ctx.get(digit) for digit in core.digits]) == number
        for number in numbers:
            for what in (Held.ZERO, Held.SEND):
                for place, digit in enumerate(digits_of(number)):
                    ctx.set(core.number[place], digit)
                for takes in (1, 0):
                    ctx.set(core.take, what if takes else Held.NOTHING)
                    for each in core.loads:
                        ctx.set(each, takes)
                    if takes:
                        await ctx.tick()
                words, not_zero = [], 0
                while not ctx.get(core.idle):
                    ready = not stalls or rng.getrandbits(1)
                    ctx.set(core.o.ready, ready)
                    not_zero |= ctx.get(core.not_zero)
                    if ready and ctx.get(core.o.valid):
                        words.append(ctx.get(core.o.payload))
                    await ctx.tick()
                for _ in range(2):
                    not_zero |= ctx.get(core.not_zero)
                    await ctx.tick()
                if what == Held.ZERO:
                    zeros.append(not not_zero)
                else:
                    found.append(sum(word << BASE * place for place, word in enumerate(words)))

    _run(core, testbench)
    assert outside == [0, 1, 1, 1, 0, 0]
    assert found == [number % p for number in numbers]
    assert zeros == [number == 0 for number in numbers]


def test_primes_are_known_by_their_digits():
    assert {name: prime.ones for name, prime in PRIMES.items()} == {
        "P-256": ((6, 1), (12, 1), (14, -1), (16, 1)), "P-384": ((2, 1), (6, -1), (8, -1), (24, 1))}


def _program(name, per_clock):
    return point_program.build(dataflow(PRIMES[name], per_clock))


@all_paces
def test_microcode_fits_its_memories(name, per_clock):
    program = _program(name, per_clock)
    assert len(program.microcode.words) <= 2048
    assert program.microcode.layout.size <= 36


@all_paces
def test_the_order_of_segments(name, per_clock):
    names = [segment.name for segment, _, _ in _program(name, per_clock).walk()]
    assert names.count("window") == PRIMES[name].width // 5
    assert names[names.index("turn") - 1] == "begin"


def test_multiples_of_points_of_p384():
    params = Parameters(width=384, curve="P-384")
    for scalar in (0, 1, 31, P384.n - 1, P384.n, P384.n + 1, (1 << 384) - 1, 0x5555 << 360):
        for point in (P384.base, P384.multiply(7, P384.base)):
            product = P384.multiply(scalar, point)
            assert params.compute(scalar, *point) == (
                product[0] | product[1] << 384 if product else 0), scalar


@pytest.mark.parametrize("name", ["P-256", "P-384", "secp256k1"])
def test_multiples_of_the_base_point(name):
    curve = WEIERSTRASS[name]
    core = KINDS["base_multiplication"].cores()["wide"](width=curve.width, curve=name)
    edges = (0, 1, 2, curve.n - 1, curve.n, curve.n + 1, (1 << curve.width) - 1)
    rng = random.Random(SEED)
    print("seed", SEED)
    for scalar in (*edges, *SCALARS, 1 << 16, (1 << 128) - 1, rng.getrandbits(curve.width)):
        product = curve.multiply(scalar, curve.base)
        expected = product[0] | product[1] << curve.width if product else 0
        assert core.compute(scalar) == expected, scalar


@pytest.mark.parametrize(("given", "fix"), [
    ({"width": 256, "curve": "P-384"}, "Width must be 384 for P-384, not 256"),
    ({"width": 384, "curve": "secp256k1"}, "Width must be 256 for secp256k1, not 384"),
    ({"width": 384, "curve": "Ed25519"}, "Width must be 256 for Ed25519, not 384"),
    ({"width": 384, "curve": "P-384", "digits_per_clock": 4}, "Digits per clock must be 2")])
def test_base_points_of_other_widths_are_refused(given, fix):
    with pytest.raises(ValueError, match=fix):
        KINDS["base_multiplication"].cores()["wide"](**given)


def test_only_p_256_takes_two_operations():
    with pytest.raises(ValueError, match="in_flight must be 1 for P-384"):
        Parameters(width=384, curve="P-384", in_flight=2)
    assert "in_flight" not in {field.name for field in dataclasses.fields(
        KINDS["base_multiplication"].cores()["wide"])}
