"""Shared points of random keys by a core, compared with those of OpenSSL, and their clocks.

    python benchmarks/ecdh_keys.py [-a wide] [--operations 1000] [--seed N] [--output results]
    python benchmarks/ecdh_keys.py --curve P-384
    python benchmarks/ecdh_keys.py -a key_agreement.wide --digits-per-clock 4

Each operation of the compiled core multiplies the public key of one side by the private key of the
other, both random. Its first coordinate must be the secret that ``cryptography`` derives from the
two, and both coordinates the public key that belongs to the product of the private keys. A core for
key agreement by X25519 gives the secret alone, which must be that of ``cryptography`` too. The
clocks must be those of the formula, the same for all. The seed of the keys is random if it is not
given; it stands in the row.

Writes ``ecdh_keys.jsonl``, where other cores stay; needs a C++ compiler. 1,000 operations take
about a minute.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import secrets
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from explore.data.keyed import update
from explore.pipeline.on_demand import core_library
from explore.simulation import CompiledEngine, stimulus
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.verilator import find_verilator
from montgomery import KINDS, Cycles
from montgomery.numbers.catalogue import WEIERSTRASS

_CORES = KINDS["scalar_multiplication"].cores() | {
    KINDS["key_agreement"].full_name(name): core
    for name, core in KINDS["key_agreement"].cores().items()}
#: How ``cryptography`` calls the curves of cores.
_CURVES = {"P-256": ec.SECP256R1(), "secp256k1": ec.SECP256K1(), "P-384": ec.SECP384R1()}
#: What tells a row from others.
_KEY = ("core", "params")


def _agreed(rng: random.Random) -> tuple[tuple[int, int], int]:
    """Return the operands of an operation, and X25519 of them by OpenSSL."""
    own, other = (X25519PrivateKey.from_private_bytes(rng.randbytes(32)) for _ in range(2))
    peer = other.public_key().public_bytes_raw()
    if rng.getrandbits(1):
        # Any octets are a public key: of the curve or of its twist, with any highest bit.
        peer = rng.randbytes(32)
    secret = own.exchange(X25519PublicKey.from_public_bytes(peer))
    scalar, u, result = (int.from_bytes(octets, "little")
                         for octets in (own.private_bytes_raw(), peer, secret))
    return (scalar, u), result


def _shared(rng: random.Random, order: int, curve: ec.EllipticCurve,
            bits: int) -> tuple[tuple[int, int, int], int]:
    """Return the operands of an operation, and their product by OpenSSL, with coordinates of so
    many bits.
    """
    own, other = (rng.randrange(1, order) for _ in range(2))
    key, peer = (ec.derive_private_key(number, curve) for number in (own, other))
    point = peer.public_key().public_numbers()
    product = ec.derive_private_key(own * other % order, curve).public_key().public_numbers()
    if key.exchange(ec.ECDH(), peer.public_key()) != product.x.to_bytes(key.key_size // 8, "big"):
        raise SystemExit(f"OpenSSL derives another secret of {own:#x} and {other:#x}")
    return (own, point.x, point.y), product.x | product.y << bits


def _row(core: str, curve: str, more: dict[str, int], operations: int,
         seed: int) -> dict[str, Any]:
    agrees = "." in core
    params = (_CORES[core](width=255, **more) if agrees else
              _CORES[core](width=WEIERSTRASS[curve].width, curve=curve, **more))
    rng, bits = random.Random(seed), params.word_width * params.field_words
    pairs: list[tuple[tuple[int, ...], int]] = [
        _agreed(rng) if agrees else _shared(rng, params.domain.n, _CURVES[params.domain.name], bits)
        for _ in range(operations)]
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store") as store:
        engine = CompiledEngine(core_library(store, params, Path(folder), find_compiler(),
                                             verilator=find_verilator()))
        started = time.perf_counter()
        trace = engine.run(stimulus(params, [operands for operands, _ in pairs], chained=True))
    for (operands, product), words, times in zip(pairs, trace.words, trace.times, strict=True):
        if (result := params.decode(words)) != product:
            raise SystemExit(f"Seed {seed}: {operands} gave {result:#x}")
        clocks = Cycles(load=times.last_in - times.first_in + 1,
                        compute=times.first_ready - times.last_in,
                        unload=times.last_out - times.first_ready + 1,
                        interval=params.cycles.interval)
        if clocks != params.cycles:
            raise SystemExit(f"Seed {seed}: {operands} took {clocks}, but the formula says "
                             f"{params.cycles}")
    return {"core": core, "params": dataclasses.asdict(params), "operations": operations,
            "seed": seed, "compute": params.cycles.compute, "clocks": trace.clocks,
            "seconds": round(time.perf_counter() - started)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-a", default="wide", choices=_CORES, help="core")
    parser.add_argument("--curve", default="P-256", choices=_CURVES,
                        help="of a core for scalar multiplication")
    parser.add_argument("--digits-per-clock", type=int, help="parameter of the core wide")
    parser.add_argument("--operations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), help="of the keys")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    print(f"seed {options.seed}", file=sys.stderr)
    more = {} if options.digits_per_clock is None else {
        "digits_per_clock": options.digits_per_clock}
    row = _row(options.a, options.curve, more, options.operations, options.seed)
    print(json.dumps(row))
    update(options.output / "ecdh_keys.jsonl", _KEY, [row])
    return 0


if __name__ == "__main__":
    sys.exit(main())
