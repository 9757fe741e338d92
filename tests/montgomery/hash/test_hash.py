"""SHA-1 and MGF1 against ``hashlib``, the standards' vectors, and ``cryptography``."""

import hashlib
import random
from pathlib import Path

import pytest
from bench import run
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from explore.pipeline.on_demand import Demand
from explore.simulation import CompiledEngine, simulate
from explore.store import Store
from explore.tools.compiler import find_compiler
from montgomery.cox_rower.rsa_crt import Parameters


SEED = 180
KEY = Path(__file__).parents[2] / "vectors" / "rsa512.pem"


def _mgf1(seed, length):
    digests = (hashlib.sha1(seed + counter.to_bytes(4, "big")).digest()
               for counter in range(-(-length // 20)))
    return b"".join(digests)[:length]


def _exchange(component, tasks, *, gap=0.0):
    """Return what comes back for each of ``tasks``, and in how many clocks all was done.

    A task is a message, how many bytes come back, and values of other ports.
    """
    rng = random.Random(SEED)
    found, clocks = [], 0

    async def testbench(ctx):
        nonlocal clocks
        for message, count, ports in tasks:
            for name, value in ports.items():
                ctx.set(getattr(component, name), value)
            words = [*message, None]
            sent, received = 0, []
            while sent < len(words) or len(received) < count:
                offers = sent < len(words) and rng.random() >= gap
                ctx.set(component.i.valid, offers)
                if offers:
                    ctx.set(component.i.payload.data, words[sent] or 0)
                    ctx.set(component.i.payload.end, words[sent] is None)
                takes = rng.random() >= gap
                ctx.set(component.o.ready, takes)
                *_, taken, valid, byte = await ctx.tick().sample(
                    component.i.ready, component.o.valid, component.o.payload)
                clocks += 1
                sent += offers and taken
                if takes and valid:
                    received.append(byte)
                assert clocks < 200000
            found.append(bytes(received))
        ctx.set(component.i.valid, 0)
        ctx.set(component.o.ready, 1)
        for _ in range(30):
            assert not (await ctx.tick().sample(component.o.valid))[-1], "a byte too many"

    run(component, testbench)
    return found, clocks


@pytest.mark.parametrize(("message", "digest"), [
    # FIPS 180-2, A.1 and A.2, and the empty message
    (b"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    (b"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
])
def test_vectors_of_the_standard(message, digest):
    assert _exchange(Sha1(), [(message, 20, {})])[0] == [bytes.fromhex(digest)]


@pytest.mark.parametrize("gap", [0.0, 0.5])
def test_messages_one_after_the_other(gap):
    """All lengths at which the padding changes, and some that are longer."""
    rng = random.Random(SEED)
    messages = [rng.randbytes(length) for length in (
        0, 1, 3, 54, 55, 56, 57, 62, 63, 64, 65, 119, 120, 128, 200)]
    found, clocks = _exchange(Sha1(), [(message, 20, {}) for message in messages], gap=gap)
    assert found == [hashlib.sha1(message).digest() for message in messages]
    blocks = sum((len(message) + 9 + 63) // 64 for message in messages)
    # An end, 20 bytes of a digest, and blocks; an end is taken during a full block.
    full = sum(len(message) in (64, 128) for message in messages)
    assert gap or clocks == blocks * Sha1.BLOCK + 21 * len(messages) - full


@pytest.mark.parametrize("gap", [0.0, 0.4])
def test_masks(gap):
    rng = random.Random(SEED)
    tasks = [(rng.randbytes(size), length, {"length": length}) for size, length in (
        (20, 43), (0, 20), (1, 1), (70, 40), (5, 0), (20, 61), (64, 19))]
    found, _ = _exchange(Mgf1(70, 64), tasks, gap=gap)
    assert found == [_mgf1(seed, length) for seed, length, _ in tasks]


@pytest.mark.skipif(find_compiler() is None, reason="there is no C++ compiler")
def test_a_signature_by_pss(tmp_path):
    """EMSA-PSS of RFC 8017, 9.1.1, with salt, on the hardware's hashes and Rowers."""
    key = load_pem_private_key(KEY.read_bytes(), None)
    numbers = key.private_numbers()
    message, salt, size = b"The magic words", bytes(range(20)), 64
    digest, = _exchange(Sha1(), [(message, 20, {})])[0]
    hashed, = _exchange(Sha1(), [(bytes(8) + digest + salt, 20, {})])[0]
    data = bytes(size - 20 - 20 - 2) + b"\x01" + salt
    mask, = _exchange(Mgf1(20, len(data)), [(hashed, len(data), {"length": len(data)})])[0]
    masked = bytes(a ^ b for a, b in zip(data, mask, strict=True))
    # 511 bits: the highest one is 0.
    encoded = bytes([masked[0] & 0x7f]) + masked[1:] + hashed + b"\xbc"
    params = Parameters(width=512, rowers=3)
    assert params.multiplier.slots == 3
    with Store(tmp_path / "store") as store:
        engine = CompiledEngine(Demand(store, params, tmp_path).library(find_compiler()))
    vector = (int.from_bytes(encoded, "big"), numbers.dmp1, numbers.dmq1, numbers.p, numbers.q)
    result = simulate(params, [vector], engine=engine)
    signature, = result.products
    assert result.cycles[0].compute == params.cycles_of(*vector).compute
    key.public_key().verify(signature.to_bytes(size, "big"), message,
                            padding.PSS(padding.MGF1(SHA1()), salt_length=20), SHA1())
