"""RSA signatures by cores with whole keys, compared with OpenSSL's, and their clocks.

    python benchmarks/rsa_keys.py [-a dsp_systolic] [-p arrays=2]... [--keys 100]
        [--size 1024 --size 2048-crt-4096]... [--output results]

For each key, new from ``cryptography``, the compiled core signs a message (PKCS #1 v1.5 with
SHA-256). The signature must be the one that OpenSSL makes with the same key, and the clocks those
of the formula; they must be the same for all keys of a size. The length of the exponents that is
sent is that of the factors, or of the modulus without CRT, as a board's host sends it.

``cox_rower``, which is the default, signs with CRT and without it, on a circuit for this length, or
for a longer one with bases of several sizes: all with CRT are on that for 4096 bits if no sizes are
given. The clocks of Nozaki et al. are beside its own. As in the paper, they are counted from the
message to the result, in ``compute``; the divisions that depend on the key alone come before the
message. ``dsp_systolic`` signs with CRT.

There are 100 keys of a size, and 10 of sizes above 2048 bits. Writes ``rsa_keys.jsonl``, where
other cores, and sizes that were not asked for, stay; needs a C++ compiler.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from boards.rsa import operations
from explore.data.keyed import update
from explore.pipeline.on_demand import core_library
from explore.simulation import CompiledEngine, stimulus
from explore.store import Store
from explore.tools.compiler import find_compiler
from explore.tools.verilator import find_verilator
from montgomery import CoreParameters, Cycles, exponentiators, rsa_crt
from montgomery.core import cycles_of, key_of

#: By bits of the modulus and whether with CRT: the clocks of Nozaki et al., at 80 MHz.
PAPER = {(1024, False): 336_000, (1024, True): 192_000, (2048, False): 2_336_000,
         (2048, True): 712_000, (4096, True): 4_832_000}
#: By core: what is signed without --size.
SIZES = {"cox_rower": [(bits, crt, 4096 if crt else bits) for bits, crt in sorted(PAPER)],
         "dsp_systolic": [(bits, True, bits) for bits in (1024, 2048, 4096)]}
#: What tells a row from others.
_KEY = ("core", "width", "crt", "circuit", "params")
_LONG = 2048
_KEYS, _LONG_KEYS = 100, 10
_PUBLIC = 65537


class _Signed(NamedTuple):
    """A message, as inputs and options of a core's operation, and its signature by OpenSSL."""

    inputs: tuple[int, ...]
    options: dict[str, int]
    signature: int


def _signed(params: CoreParameters, bits: int, message: bytes) -> _Signed:
    key = rsa.generate_private_key(_PUBLIC, bits)
    numbers = key.private_numbers()
    signature = int.from_bytes(key.sign(message, padding.PKCS1v15(), hashes.SHA256()), "big")
    # The message with its padding is what OpenSSL's signature verifies.
    padded = pow(signature, _PUBLIC, numbers.public_numbers.n)
    (inputs, options), = operations(params, numbers, padded)
    return _Signed(inputs=inputs, options=options, signature=signature)


def _params(core: str, bits: int, crt: bool, circuit: int, given: dict) -> CoreParameters:
    cls = (rsa_crt() if crt else exponentiators())[core]
    fields = {field.name: field.type for field in dataclasses.fields(cls)}
    if unknown := given.keys() - fields.keys():
        raise SystemExit(f"Parameter {min(unknown)!r} must be one of {', '.join(fields)}; "
                         "correct -p")
    if "shortest" in fields and circuit > bits:
        given = {"shortest": 1024} | given
    return cls(width=circuit, **{name: fields[name](value) for name, value in given.items()})


@functools.cache
def _engine(params: CoreParameters, folder: Path) -> CompiledEngine:
    with Store(folder / "store") as store:
        return CompiledEngine(core_library(store, params, folder, find_compiler(),
                                           verilator=find_verilator()))


def _row(core: str, size: tuple[int, bool, int], given: dict, keys: int, folder: Path) -> dict:
    bits, crt, circuit = size
    params = _params(core, bits, crt, circuit, given)
    engine = _engine(params, folder)
    started = time.perf_counter()
    signed = [_signed(params, bits, f"message {number}".encode()) for number in range(keys)]
    asked = stimulus(params, [each.inputs for each in signed], chained=True)
    trace = engine.run(dataclasses.replace(asked, keys=[
        params.encode_key(*key_of(params, *each.inputs), **each.options) for each in signed]))
    found = set()
    for each, words, times in zip(signed, trace.words, trace.times, strict=True):
        if (result := params.decode(words)) != each.signature:
            raise SystemExit(f"{each} gave {result}")
        cycles = cycles_of(params, *each.inputs, **each.options)
        clocks = Cycles(load_key=times.first_in - times.first_key,
                        load=times.last_in - times.first_in + 1,
                        compute=times.first_ready - times.last_in,
                        unload=times.last_out - times.first_ready + 1, interval=cycles.interval)
        # What divides by a key may take longer for another one.
        if clocks != cycles and dataclasses.replace(clocks, load_key=cycles.load_key) != cycles:
            raise SystemExit(f"{each} took {clocks}, but the formula says {cycles}")
        found.add(clocks.compute)
    if len(found) > 1:
        raise SystemExit(f"Keys of {bits} bits took {sorted(found)} clocks, and should all take "
                         "the same number")
    row = {"core": core, "params": dataclasses.asdict(params), "width": bits, "crt": crt,
           "circuit": circuit, "keys": keys, "compute": found.pop()}
    if core == "cox_rower":
        bases = params.bases[params.index_of(signed[0].inputs[-2:] if crt else
                                             signed[0].inputs[-1:])]
        row |= {"n": bases.n, "rowers": params.u, "paper": PAPER.get((bits, crt))}
    return row | {"clocks": trace.clocks, "seconds": round(time.perf_counter() - started)}


def _size(text: str) -> tuple[int, bool, int]:
    bits, crt, circuit = [*text.split("-"), "", ""][:3]
    if crt not in ("", "crt"):
        raise ValueError
    return int(bits), bool(crt), int(circuit or bits)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-a", default="cox_rower", choices=SIZES, help="core")
    parser.add_argument("-p", action="append", default=[], help="parameter of the core")
    parser.add_argument("--keys", type=int, help="of each size")
    parser.add_argument("--size", type=_size, action="append",
                        help="bits of the modulus; with CRT followed by -crt, and by a hyphen and "
                             "the bits of the circuit if these are more")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    given = dict(text.partition("=")[::2] for text in options.p)
    with tempfile.TemporaryDirectory() as folder:
        for size in options.size or SIZES[options.a]:
            keys = options.keys or (_LONG_KEYS if size[0] > _LONG else _KEYS)
            row = _row(options.a, size, given, keys, Path(folder))
            print(json.dumps(row), flush=True)
            if row.get("paper") is not None and row["compute"] > row["paper"]:
                raise SystemExit(f"{size[0]} bits take longer than in the paper")
            update(options.output / "rsa_keys.jsonl", _KEY, [row])
    return 0


if __name__ == "__main__":
    sys.exit(main())
