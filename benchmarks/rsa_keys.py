"""RSA on the Cox-Rower with whole keys, clock by clock, beside the times of Nozaki et al.

    python benchmarks/rsa_keys.py [--keys 20] [--size 1024 --size 2048-crt-4096]
        [--output results]

For each key, new from ``cryptography``, the compiled core decrypts a message that ``cryptography``
has encrypted, without CRT or with it, on a circuit for this length, or for a longer one with bases
of several sizes: all with CRT are on that for 4096 bits if no sizes are given. The results must be
right, and the clocks those of the formula. As in the paper, they are counted
from the message to the result, in ``compute``; the divisions that depend on the key alone come
before the message and are in ``load``. Writes ``rsa_keys.jsonl``, where sizes that were not asked
for stay; needs a C++ compiler, half a minute for 1024 bits, and a quarter of an hour for all.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import tempfile
import time
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import padding, rsa

from explore.pipeline.on_demand import Demand
from explore.simulation import CompiledEngine, simulate
from explore.store import Store
from explore.tools.compiler import find_compiler
from montgomery import CoreParameters, exponentiators, rsa_crt

#: By bits of the modulus and whether with CRT: the paper's clocks, at 80 MHz.
PAPER = {(1024, False): 336_000, (1024, True): 192_000, (2048, False): 2_336_000,
         (2048, True): 712_000, (4096, True): 4_832_000}
MESSAGE = b"The magic words are squeamish ossifrage"


def _vector(bits: int, crt: bool) -> tuple[int, ...]:
    """Return ciphertext, private exponent and modulus, or exponents and factors, of a new key."""
    key = rsa.generate_private_key(65537, bits)
    private = key.private_numbers()
    encrypted = key.public_key().encrypt(MESSAGE, padding.PKCS1v15())
    key_words = ((private.dmp1, private.dmq1, private.p, private.q) if crt
                 else (private.d, private.public_numbers.n))
    return int.from_bytes(encrypted, "big"), *key_words


def _check(vector: tuple[int, ...], product: int, bits: int) -> None:
    plain = product.to_bytes(bits // 8, "big")
    # EME-PKCS1-v1_5, of RFC 8017, 7.2: 0, 2, padding that is not 0, 0 and the message.
    if plain[:2] != b"\0\2" or plain[2:].partition(b"\0")[2] != MESSAGE:
        raise SystemExit(f"{vector} gave {product}")


def _params(bits: int, crt: bool, circuit: int) -> CoreParameters:
    if crt:
        return rsa_crt()["cox_rower"](width=circuit, shortest=1024 if circuit > bits else 0)
    return exponentiators()["cox_rower"](width=circuit)


@functools.cache
def _engine(params: CoreParameters, folder: Path) -> CompiledEngine:
    with Store(folder / "store") as store:
        return CompiledEngine(Demand(store, params, folder).library(find_compiler()))


def _row(bits: int, crt: bool, circuit: int, keys: int, folder: Path) -> dict:
    params = _params(bits, crt, circuit)
    engine = _engine(params, folder)
    started = time.perf_counter()
    vectors = [_vector(bits, crt) for _ in range(keys)]
    result = simulate(params, vectors, chained=True, engine=engine)
    for vector, product, cycles in zip(vectors, result.products, result.cycles, strict=True):
        _check(vector, product, bits)
        expected = params.cycles_of(*vector)
        if (cycles.load, cycles.compute, cycles.unload) != (
                expected.load, expected.compute, expected.unload):
            raise SystemExit(f"{vector} took {cycles}, but the formula says {expected}")
    inner = params.multiplier
    n = params.rns(*vectors[0][-2:]).bases.n if crt else inner.rns.bases.n
    return {"width": bits, "crt": crt, "circuit": circuit, "n": n, "rowers": inner.u,
            "keys": keys, "load": max(cycles.load for cycles in result.cycles),
            "compute": max(cycles.compute for cycles in result.cycles),
            "paper": PAPER.get((bits, crt)),
            "clocks": result.clocks, "seconds": round(time.perf_counter() - started)}


def _size(text: str) -> tuple[int, bool, int]:
    bits, crt, circuit = [*text.split("-"), "", ""][:3]
    if crt not in ("", "crt"):
        raise ValueError
    return int(bits), bool(crt), int(circuit or bits)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keys", type=int, default=20, help="of each size")
    parser.add_argument("--size", type=_size, action="append",
                        help="bits of the modulus; with CRT followed by -crt, and by a hyphen and "
                             "the bits of the circuit if these are more")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    path = options.output / "rsa_keys.jsonl"
    rows = {}
    if path.exists():
        for line in path.read_text().splitlines():
            row = json.loads(line)
            rows[row["width"], row["crt"], row["circuit"]] = row
    with tempfile.TemporaryDirectory() as folder:
        for bits, crt, circuit in options.size or [(bits, crt, 4096 if crt else bits)
                                                   for bits, crt in sorted(PAPER)]:
            row = rows[bits, crt, circuit] = _row(bits, crt, circuit, options.keys, Path(folder))
            print(json.dumps(row), flush=True)
            if row["paper"] is not None and row["compute"] > row["paper"]:
                raise SystemExit(f"{bits} bits take longer than in the paper")
            path.write_text("".join(json.dumps(rows[size]) + "\n" for size in sorted(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
