"""RSA on the Cox-Rower with whole keys, clock by clock, beside the times of Nozaki et al.

    python tests/benchmarks/rsa_keys.py [--keys 20] [--width 1024 --width 2048] [--output results]

For each key, new from ``cryptography``, the compiled core decrypts a message that ``cryptography``
has encrypted. The results must be right, and the clocks those of the formula. As in the paper, they
are counted from the base to the result, in ``compute``; the divisions, which depend on the key
alone and come before the base, are in ``load``. Writes ``rsa_keys.jsonl``; needs a C++ compiler and
some minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import padding, rsa

from explore.demand import Demand
from explore.simulation import CompiledEngine, simulate
from explore.simulation.compiler import find_compiler
from explore.store import Store
from montgomery import exponentiators

#: Without CRT, at 80 MHz.
PAPER = {1024: 336_000, 2048: 2_336_000}
MESSAGE = b"The magic words are squeamish ossifrage"


def _vector(bits: int) -> tuple[int, int, int]:
    """Return ciphertext, private exponent and modulus of a new key."""
    key = rsa.generate_private_key(65537, bits)
    private = key.private_numbers()
    encrypted = key.public_key().encrypt(MESSAGE, padding.PKCS1v15())
    return int.from_bytes(encrypted, "big"), private.d, private.public_numbers.n


def _check(vector: tuple[int, int, int], product: int, bits: int) -> None:
    plain = product.to_bytes(bits // 8, "big")
    # EME-PKCS1-v1_5, of RFC 8017, 7.2: 0, 2, padding that is not 0, 0 and the message.
    if plain[:2] != b"\0\2" or plain[2:].partition(b"\0")[2] != MESSAGE:
        raise SystemExit(f"{vector} gave {product}")


def _row(bits: int, keys: int, folder: Path) -> dict:
    params = exponentiators()["cox_rower"](width=bits)
    with Store(folder / str(bits)) as store:
        engine = CompiledEngine(Demand(store, params, folder).library(find_compiler()))
    started = time.perf_counter()
    vectors = [_vector(bits) for _ in range(keys)]
    result = simulate(params, vectors, chained=True, engine=engine)
    for vector, product, cycles in zip(vectors, result.products, result.cycles, strict=True):
        _check(vector, product, bits)
        expected = params.cycles_of(*vector)
        if (cycles.load, cycles.compute, cycles.unload) != (
                expected.load, expected.compute, expected.unload):
            raise SystemExit(f"{vector} took {cycles}, but the formula says {expected}")
    return {"width": bits, "n": params.multiplier.rns.bases.n, "rowers": params.multiplier.u,
            "keys": keys, "load": max(cycles.load for cycles in result.cycles),
            "compute": max(cycles.compute for cycles in result.cycles), "paper": PAPER.get(bits),
            "clocks": result.clocks, "seconds": round(time.perf_counter() - started)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keys", type=int, default=20, help="of each width")
    parser.add_argument("--width", type=int, action="append", help="of the modulus")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for bits in options.width or sorted(PAPER):
            rows.append(_row(bits, options.keys, Path(folder)))
            print(json.dumps(rows[-1]), flush=True)
            if rows[-1]["paper"] is not None and rows[-1]["compute"] > rows[-1]["paper"]:
                raise SystemExit(f"{bits} bits take longer than in the paper")
    (options.output / "rsa_keys.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
