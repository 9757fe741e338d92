"""Operations with random keys by a core, compared with those of OpenSSL, and their clocks.

    python benchmarks/keys.py -a CORE -n WIDTH [-p NAME=VALUE]... [--bits N] [--operations N]
                              [--seed N] [--output results]
    python benchmarks/keys.py -a scalar_multiplication.wide -n 256 -p curve=secp256k1
    python benchmarks/keys.py -a rsa_crt.cox_rower -n 4096 -p shortest=1024 --bits 2048

What a core computes must be what ``cryptography`` makes of the same keys: RSA signatures (PKCS #1
v1.5 with SHA-256), shared points, public keys, secrets of X25519 and X448, and verdicts on ECDSA
signatures, in half of which a bit is wrong. The clocks must be those of the formula, and the same
for all operations; a key of RSA alone may load in fewer. ``--bits`` are those of keys of RSA, as
many as the core has if it is not given. The seed, which stands in the row, does not determine the
keys of RSA.

Writes ``keys.jsonl``, where other cores stay; needs a C++ compiler. By default there are 1,000
operations, with RSA 100, and 10 above 2048 bits.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import random
import secrets
import sys
import tempfile
import time
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, x448, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
    encode_dss_signature,
)

from boards.rsa import operations
from explore.data.rows import update
from explore.devices import targets
from explore.pipeline.on_demand import core_library
from explore.points.expand import expand
from explore.simulation import CompiledEngine, stimulus
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.verilator import find_verilator
from montgomery import Cycles
from montgomery.core import cycles_of, key_of, kind_of, name_of

#: How ``cryptography`` calls the curves of cores.
_CURVES = {"P-256": ec.SECP256R1(), "secp256k1": ec.SECP256K1(), "P-384": ec.SECP384R1()}
_AGREEMENTS = {"Curve25519": (x25519.X25519PrivateKey, x25519.X25519PublicKey),
               "Curve448": (x448.X448PrivateKey, x448.X448PublicKey)}
#: What tells a row from others.
_KEY = ("core", "params", "bits")
_PUBLIC = 65537


class _Operation(NamedTuple):
    """Inputs and options of an operation, its result by OpenSSL, and how the core's becomes it."""

    inputs: tuple[int, ...]
    result: int
    options: Mapping[str, int] = types.MappingProxyType({})
    shown: Callable[[int], int] = int


def _signed(params: Any, rng: random.Random, bits: int) -> _Operation:
    """Return a signature with a new key of RSA."""
    key = rsa.generate_private_key(_PUBLIC, bits)
    signature = int.from_bytes(
        key.sign(rng.randbytes(32), padding.PKCS1v15(), hashes.SHA256()), "big")
    numbers = key.private_numbers()
    # The message with its padding is what OpenSSL's signature verifies.
    (inputs, options), = operations(
        params, numbers, pow(signature, _PUBLIC, numbers.public_numbers.n))
    return _Operation(inputs, signature, options)


def _private(params: Any, rng: random.Random) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(rng.randrange(1, params.domain.n), _CURVES[params.domain.name])


def _joined(params: Any, key: ec.EllipticCurvePrivateKey) -> int:
    point = key.public_key().public_numbers()
    return point.x | point.y << params.word_width * params.field_words


def _shared(params: Any, rng: random.Random, bits: int) -> _Operation:
    """Return a multiple of a public key, of which the first coordinate is the secret of ECDH."""
    key, peer = _private(params, rng), _private(params, rng)
    own, other = (each.private_numbers().private_value for each in (key, peer))
    product = ec.derive_private_key(own * other % params.domain.n, key.curve)
    if int.from_bytes(key.exchange(ec.ECDH(), peer.public_key()), "big") != (
            product.public_key().public_numbers().x):
        raise SystemExit(f"OpenSSL derives another secret of {own:#x} and {other:#x}")
    point = peer.public_key().public_numbers()
    return _Operation((own, point.x, point.y), _joined(params, product))


def _public(params: Any, rng: random.Random, bits: int) -> _Operation:
    """Return a public key, which is a multiple of the base point."""
    if params.domain.name in _CURVES:
        key = _private(params, rng)
        return _Operation((key.private_numbers().private_value,), _joined(params, key))
    seed, size = rng.randbytes(32), params.word_width * params.field_words
    octets = bytearray(hashlib.sha512(seed).digest()[:32])
    octets[0] &= 248
    octets[31] = octets[31] & 127 | 64
    found = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    # The lowest bit of x is above y.
    return _Operation((int.from_bytes(octets, "little"),), int.from_bytes(found, "little"),
                      shown=lambda point: point >> size | (point & 1) << 255)


def _agreed(params: Any, rng: random.Random, bits: int) -> _Operation:
    """Return a secret of X25519 or X448."""
    private, public = _AGREEMENTS[params.domain.name]
    size = -(-params.width // 8)
    own, other = (private.from_private_bytes(rng.randbytes(size)) for _ in range(2))
    peer = other.public_key().public_bytes_raw()
    if rng.getrandbits(1):
        # Any octets are a public key: of the curve or of its twist, with any highest bit.
        peer = rng.randbytes(size)
    secret = own.exchange(public.from_public_bytes(peer))
    scalar, u, result = (int.from_bytes(octets, "little")
                         for octets in (own.private_bytes_raw(), peer, secret))
    return _Operation((scalar, u), result)


def _verified(params: Any, rng: random.Random, bits: int) -> _Operation:
    """Return the verdict on an ECDSA signature; in half of them a bit of a number is wrong."""
    key, digest = _private(params, rng), rng.randbytes(-(-params.width // 8))
    algorithm = ec.ECDSA(Prehashed(next(each for each in (hashes.SHA256(), hashes.SHA384())
                                        if each.digest_size == len(digest))))
    point = key.public_key().public_numbers()
    numbers = [int.from_bytes(digest, "big"), *decode_dss_signature(key.sign(digest, algorithm))]
    if rng.getrandbits(1):
        numbers[rng.randrange(3)] ^= 1 << rng.randrange(params.width)
    z, r, s = numbers
    try:
        key.public_key().verify(encode_dss_signature(r, s), z.to_bytes(len(digest), "big"),
                                algorithm)
    except InvalidSignature:
        return _Operation((z, r, s, point.x, point.y), 0)
    return _Operation((z, r, s, point.x, point.y), 1)


def _of_octets(params: Any, rng: random.Random, bits: int) -> _Operation:
    """Return the verdict on an EdDSA signature; in half of them a bit of R or s is wrong."""
    key, message = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)), rng.randbytes(40)
    signature, public = bytearray(key.sign(message)), key.public_key().public_bytes_raw()
    if rng.getrandbits(1):
        signature[rng.randrange(64)] ^= 1 << rng.randrange(8)
    try:
        key.public_key().verify(bytes(signature), message)
        valid = 1
    except InvalidSignature:
        valid = 0
    first, second = signature[:32], signature[32:]
    k = int.from_bytes(hashlib.sha512(first + public + message).digest(), "little")
    s, a, r = (int.from_bytes(octets, "little") for octets in (second, public, first))
    return _Operation((k % params.domain.n, s, a, r), valid)


_KINDS: dict[str, Callable[[Any, random.Random, int], _Operation]] = {
    "exponentiation": _signed, "rsa_crt": _signed, "scalar_multiplication": _shared,
    "base_multiplication": _public, "key_agreement": _agreed, "ecdsa_verification": _verified,
    "eddsa_verification": _of_octets}


def _row(params: Any, bits: int, count: int, seed: int) -> dict[str, Any]:
    """Return the row of a core, after all comparisons."""
    kind, rng = kind_of(params), random.Random(seed)
    given = [_KINDS[kind.name](params, rng, bits) for _ in range(count)]
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store") as store:
        engine = CompiledEngine(core_library(store, params, Path(folder), find_compiler(),
                                             verilator=find_verilator()))
        started = time.perf_counter()
        asked = stimulus(params, [each.inputs for each in given], chained=True)
        trace = engine.run(asked if not params.k_words else dataclasses.replace(asked, keys=[
            params.encode_key(*key_of(params, *each.inputs), **each.options) for each in given]))
    seen = set()
    for each, words, times in zip(given, trace.words, trace.times, strict=True):
        if each.shown(result := params.decode(words)) != each.result:
            raise SystemExit(f"Seed {seed}: {each.inputs} gave {result:#x}")
        formula = cycles_of(params, *each.inputs, **each.options)
        # What divides by a key may take longer for another one.
        clocks = Cycles(load_key=formula.load_key, load=times.last_in - times.first_in + 1,
                        compute=times.first_ready - times.last_in,
                        unload=times.last_out - times.first_ready + 1, interval=formula.interval)
        if clocks != formula or (params.k_words
                                 and times.first_in - times.first_key > formula.load_key):
            raise SystemExit(f"Seed {seed}: {each.inputs} took {clocks}, but the formula says "
                             f"{formula}")
        seen.add(clocks.compute)
    if len(seen) > 1:
        raise SystemExit(f"Seed {seed}: operations took {sorted(seen)} clocks, and should all take "
                         "the same number")
    return {"core": kind.full_name(name_of(params)), "params": dataclasses.asdict(params),
            "bits": bits, "operations": count, "seed": seed, "compute": seen.pop(),
            "clocks": trace.clocks, "seconds": round(time.perf_counter() - started)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-a", required=True, help="core, as 'montgomery list' names it")
    parser.add_argument("-n", type=int, required=True, help="width of the core")
    parser.add_argument("-p", action="append", default=[], help="parameter of the core")
    parser.add_argument("--bits", type=int, help="of keys of RSA")
    parser.add_argument("--operations", type=int)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    asked = parser.parse_args()
    print(f"seed {asked.seed}", file=sys.stderr)
    given = {name: [value] for name, _, value in (text.partition("=") for text in asked.p)}
    point, = expand([asked.a], [asked.n], given, [next(iter(targets()))])
    params, bits = point.parameters(), asked.bits or asked.n
    if (kind := kind_of(params).name) not in _KINDS:
        parser.error(f"-a must be a core of one of the kinds {', '.join(_KINDS)}, not {kind}")
    usual = 1000 if _KINDS[kind] is not _signed else 100 if bits <= 2048 else 10
    row = _row(params, bits, asked.operations or usual, asked.seed)
    print(json.dumps(row))
    update(asked.output / "keys.jsonl", _KEY, [row])
    return 0


if __name__ == "__main__":
    sys.exit(main())
