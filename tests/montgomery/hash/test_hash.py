"""SHA-1 and MGF1 as cores: results of the standards, long messages, what is refused."""

import hashlib
import random

import pytest
from bench import Lax

from explore.simulation import simulate
from explore.simulation.kinds import adapter
from montgomery import KINDS
from montgomery.core import cycles_of, input_names
from montgomery.hash.sha1 import blocks
from montgomery.kinds.hash import END

SEED = 180
SHA1, MGF1 = (KINDS["hash"].cores()[name] for name in ("sha1", "mgf1"))


def number(octets):
    return int.from_bytes(octets, "big")


def string(params, result):
    return result.to_bytes(params.result_words, "big")


def mask(seed, count):
    digests = (hashlib.sha1(seed + counter.to_bytes(4, "big")).digest()
               for counter in range(-(-count // 20)))
    return b"".join(digests)[:count]


def run(params, vectors, engine=None, **options):
    """Return the results of a core as octets, after a comparison with the formula of its clocks."""
    done = simulate(params, vectors, engine=engine, **options)
    for vector, cycles in zip(vectors, done.cycles, strict=True):
        expected = cycles_of(params, *vector)
        if not options:
            assert (cycles.load, cycles.compute, cycles.unload) == (
                expected.load, expected.compute, expected.unload), vector
    return [string(params, product) for product in done.products]


@pytest.mark.parametrize(("message", "digest"), [
    # FIPS 180-2, A.1 and A.2, and the empty message
    (b"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    (b"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
])
def test_vectors_of_the_standard(message, digest):
    params = SHA1(width=448)
    assert run(params, [(number(message), len(message))]) == [bytes.fromhex(digest)]


@pytest.mark.parametrize(("seed", "expected"), [
    # of other implementations
    (b"foo", "1ac907"), (b"foo", "1ac9075cd4"), (b"bar", "bc0c655e01"),
    (b"bar", "bc0c655e016bc2931d85a2e675181adcef7f581f76df2739da74faac41627be2f7f415c89e983fd0ce80"
             "ced9878641cb4876"),
])
def test_known_masks(seed, expected):
    params, expected = MGF1(width=400), bytes.fromhex(expected)
    found, = run(params, [(number(seed), len(seed), len(expected))])
    assert found == expected.ljust(50, b"\0")


@pytest.mark.parametrize("gap", [0.0, 0.5])
def test_messages_one_after_the_other(gap):
    """All lengths at which the padding changes, and some that are longer."""
    rng = random.Random(SEED)
    messages = [rng.randbytes(length) for length in (
        0, 1, 3, 54, 55, 56, 57, 62, 63, 64, 65, 119, 120, 128, 200)]
    params = SHA1(width=1600)
    vectors = [(number(message), len(message)) for message in messages]
    done = simulate(params, vectors, i_gap=gap, o_gap=gap)
    assert [string(params, product) for product in done.products] == [
        hashlib.sha1(message).digest() for message in messages]
    # An end and 20 octets of a digest beside the blocks.
    assert gap or done.times[-1].last_out - done.times[0].first_in + 1 == sum(
        146 * blocks(len(message)) + 21 for message in messages)


def test_a_million_octets(compiled):
    """FIPS 180-2, A.3, and lengths around 1 KiB and 64 KiB."""
    params = SHA1(width=8 * 10**6)
    engine = compiled.engine(params)
    assert run(params, [(number(b"a" * 10**6), 10**6)], engine) == [
        bytes.fromhex("34aa973cd4c4daa4f61eeb2bdbad27316534016f")]
    rng = random.Random(SEED)
    messages = [rng.randbytes((1 << bits) + more) for bits in (10, 13, 16) for more in (-1, 0, 1)]
    assert run(params, [(number(message), len(message)) for message in messages], engine) == [
        hashlib.sha1(message).digest() for message in messages]


def test_counters_beyond_an_octet(compiled):
    """The masks take up to 515 digests, of seeds of a block and of several."""
    params = MGF1(width=82400)
    rng = random.Random(SEED)
    tasks = [(rng.randbytes(size), 20 * digests + more) for size, digests, more in (
        (20, 255, 1), (20, 256, 0), (0, 256, 1), (130, 257, 0), (3, 512, 5), (60, 515, 0))]
    found = run(params, [(number(seed), len(seed), length) for seed, length in tasks],
                compiled.engine(params))
    assert found == [mask(seed, length).ljust(10300, b"\0") for seed, length in tasks]


@pytest.mark.parametrize("cls", [SHA1, MGF1])
def test_solved_operands_reach_the_counters(cls, compiled):
    params = cls(width=1 << 16)
    vectors = adapter(params).solved()
    assert {vector[1] for vector in vectors} >= {256, 512, 1024, 2048, 4096, 8192}
    if cls is MGF1:
        assert max(mask // 20 for _, _, mask in vectors) == 256
    done = simulate(params, vectors, engine=compiled.engine(params))
    assert done.products == [adapter(params).golden(*vector) for vector in vectors]


@pytest.mark.parametrize("cls", [SHA1, MGF1])
def test_what_is_too_long_does_not_reach_the_next_message(cls, compiled):
    params = cls(width=168)
    rest = [(20,), (7,)] if input_names(params)[2:] else [(), ()]
    first, second = [(number(octets), len(octets), *more)
                     for octets, more in zip((b"seventeen octets.", b"x"), rest, strict=True)]
    head = [0xff] * (len(params.encode(*adapter(params).longest())) - params.most_octets - 1)
    for octets in (params.most_octets + 1, 2 * params.most_octets, 300):
        vectors = [first, ([*head, *[0x5a] * octets, END],), second, first]
        done = simulate(Lax(params), vectors, engine=compiled.engine(params))
        assert [done.products[index] for index in (0, 2, 3)] == [
            adapter(params).golden(*vector) for vector in (first, second, first)]
