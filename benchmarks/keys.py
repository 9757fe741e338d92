"""Operations with random keys by a core, compared with those of OpenSSL, and their clocks.

    python benchmarks/keys.py -a scalar_multiplication.wide -n 256 -p curve=secp256k1
    python benchmarks/keys.py -a rsa_crt.cox_rower -n 4096 -p shortest=1024 --bits 2048

What a program makes by a board with the core must be what ``cryptography`` makes of the same keys:
RSA signatures, shared secrets, public keys, and verdicts on ECDSA signatures, in half of which a
bit is wrong. A model stands for the board at first. Then the compiled core does all operations, one
after the other. Its results must be the same, and its clocks those of the formula, as many for all
operations; a key of RSA alone may load in fewer. ``--bits`` are those of keys of RSA, as many as
the core has if it is not given. The seed, which stands in the row, does not determine the keys of
RSA.

Writes ``keys.jsonl``, where other cores stay; needs a C++ compiler. By default there are 1,000
operations, with RSA 100, and 10 above 2048 bits.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils, x448, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from boards.host import Client, Info, Result
from boards.keys import on_board
from explore.data.rows import update
from explore.devices import targets
from explore.pipeline.on_demand import core_library
from explore.points.expand import expand
from explore.simulation import CompiledEngine, stimulus
from explore.simulation.judge import measured
from explore.simulation.kinds import adapter
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.verilator import find_verilator
from montgomery.core import cycles_of, key_of, kind_of, name_of

#: How ``cryptography`` calls the curves of cores.
_CURVES = {"P-256": ec.SECP256R1(), "secp256k1": ec.SECP256K1(), "P-384": ec.SECP384R1()}
_AGREEMENTS: dict[str, Any] = {"Curve25519": (x25519.X25519PrivateKey, x25519.X25519PublicKey),
                               "Curve448": (x448.X448PrivateKey, x448.X448PublicKey)}
#: What tells a row from others.
_KEY = ("core", "params", "bits")


class _Board:
    """A board that is a model, and remembers its operations."""

    require = Client.require

    def __init__(self, params: Any) -> None:
        self.info = Info(parameters=params, clock_hz=10**6)
        #: Operands, options and result of each operation.
        self.done: list[tuple[tuple[int, ...], dict[str, int], int]] = []

    def operate(self, *operands: int, **options: int) -> Result:
        value = adapter(self.info.parameters).golden(*operands)
        self.done.append((operands, options, value))
        return Result(value=value, clocks=0)


def _private(params: Any, rng: random.Random) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(rng.randrange(1, params.domain.n), _CURVES[params.domain.name])


# Each use of a board returns what the board makes of a new key, and what OpenSSL does.

def _signed(board: Any, rng: random.Random, bits: int) -> tuple[Any, Any]:
    key, message = rsa.generate_private_key(65537, bits), rng.randbytes(32)
    how = message, padding.PKCS1v15(), hashes.SHA256()
    return on_board(board, key).sign(*how), key.sign(*how)


def _shared(board: Any, rng: random.Random, bits: int) -> tuple[Any, Any]:
    key, peer = (_private(board.info.parameters, rng) for _ in range(2))
    with_ = ec.ECDH(), peer.public_key()
    return on_board(board, key).exchange(*with_), key.exchange(*with_)


def _public(board: Any, rng: random.Random, bits: int) -> tuple[Any, Any]:
    params = board.info.parameters
    key: Any = (_private(params, rng) if params.domain.name in _CURVES else
                Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)))
    return on_board(board, key).public_key(), key.public_key()


def _agreed(board: Any, rng: random.Random, bits: int) -> tuple[Any, Any]:
    private, public = _AGREEMENTS[board.info.parameters.domain.name]
    size = -(-board.info.parameters.width // 8)
    own, other = (private.from_private_bytes(rng.randbytes(size)) for _ in range(2))
    # Any octets are a public key: of the curve or of its twist, with any highest bit.
    peer = (public.from_public_bytes(rng.randbytes(size)) if rng.getrandbits(1)
            else other.public_key())
    return on_board(board, own).exchange(peer), own.exchange(peer)


def _verified(board: Any, rng: random.Random, bits: int) -> tuple[Any, Any]:
    params = board.info.parameters
    key, algorithm, message = _private(params, rng), ec.ECDSA(hashes.SHA256()), rng.randbytes(32)
    numbers = [*utils.decode_dss_signature(key.sign(message, algorithm))]
    if rng.getrandbits(1):
        numbers[rng.getrandbits(1)] ^= 1 << rng.randrange(params.width)
    return _accepted(board, key.public_key(), utils.encode_dss_signature(*numbers), message,
                     algorithm)


def _of_octets(board: Any, rng: random.Random, bits: int) -> tuple[Any, Any]:
    key, message = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)), rng.randbytes(40)
    signature, public = bytearray(key.sign(message)), key.public_key()
    if rng.getrandbits(1):
        signature[rng.randrange(64)] ^= 1 << rng.randrange(8)
    return _accepted(board, public, bytes(signature), message)


def _accepted(board: Any, public: Any, *arguments: Any) -> tuple[Any, Any]:
    return _accepts(on_board(board, public), *arguments), _accepts(public, *arguments)


def _accepts(key: Any, *arguments: Any) -> bool:
    with contextlib.suppress(InvalidSignature):
        return key.verify(*arguments) is None
    return False


_KINDS: dict[str, Callable[[Any, random.Random, int], tuple[Any, Any]]] = {
    "exponentiator": _signed, "rsa_crt": _signed, "scalar_multiplication": _shared,
    "base_multiplication": _public, "key_agreement": _agreed, "ecdsa_verification": _verified,
    "eddsa_verification": _of_octets}


def _row(params: Any, bits: int, count: int, seed: int) -> dict[str, Any]:
    """Return the row of a core, after all comparisons."""
    kind, rng, board = kind_of(params), random.Random(seed), _Board(params)
    for _ in range(count):
        made, expected = _KINDS[kind.name](board, rng, bits)
        if made != expected:
            raise SystemExit(f"Seed {seed}: OpenSSL has another result of {board.done[-1]}")
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store") as store:
        engine = CompiledEngine(core_library(store, params, Path(folder), find_compiler(),
                                             verilator=find_verilator()))
        started = time.perf_counter()
        asked = stimulus(params, [inputs for inputs, _, _ in board.done], chained=True)
        trace = engine.run(asked if not params.k_words else dataclasses.replace(asked, keys=[
            params.encode_key(*key_of(params, *inputs), **options)
            for inputs, options, _ in board.done]))
    seen = set()
    for (inputs, options, expected), words, clocks in zip(
            board.done, trace.words, measured(trace.times), strict=True):
        if (result := params.decode(words)) != expected:
            raise SystemExit(f"Seed {seed}: {inputs} gave {result:#x}")
        formula = cycles_of(params, *inputs, **options)
        # What divides by a key may take longer for another one.
        if clocks[1:4] != dataclasses.astuple(formula)[1:4] or clocks[0] > formula.load_key:
            raise SystemExit(f"Seed {seed}: {inputs} took {clocks}, but the formula says {formula}")
        seen.add(formula.compute)
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
