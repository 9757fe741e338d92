"""Flips bits of registers during RSA signatures, and counts which wrong results leave the core.

    python tests/flips.py [-n 128] [-p check=public -p arrays=1]... [--flips 1000]
        [--seed 1] [--output results]

The core signs in CXXRTL, with one key and a new message each time. In each signature one bit, drawn
from all bits of all registers, is flipped at one clock, drawn from those between the last word of
the message and the last one of the result. So every register counts as often as it has bits. The
outcome is

* ``right``: the flip had no effect on the result;
* ``refused``: words of ones alone, which no result has;
* ``silent``: no result; the core is reset;
* ``wrong``: anything else, also a word too many.

Then another message is signed, with the same key, to see what the flip has left behind: in
``next``; in ``after_reset`` where the core was reset, and took the key again.

Without -p the core is tried with each value of ``check``. There is one row for each core in
``rsa_faults.jsonl``, with all that is known of each flip that gave a wrong result: its place, and
whether s^e - message has a factor with the modulus in common, which gives the key away. Rows of
other cores stay. The exit status is 1 if a wrong result left a core that checks. Needs a C++
compiler, and a minute of processor time for 1,000 flips at 128 bits.
"""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import hashlib
import json
import math
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from explore.data.rows import update
from explore.devices import targets
from explore.netlist.harness import core_rtlil
from explore.netlist.timing import with_names
from explore.points.expand import expand
from explore.simulation.build import LIBRARY, build, compile_spec, rtlil_script
from explore.simulation.kinds import adapter
from explore.tools.compiler import find_compiler
from explore.tools.processes import Processes
from explore.tools.workspace import Workspace
from montgomery import CoreParameters
from montgomery.core import cycles_of, from_words, name_of, results_of, traits
from montgomery.kinds.rsa_crt import public_exponent

_DRIVER = Path(__file__).with_suffix(".cc")
#: What tells a row from others.
_KEY = ("core", "width", "params", "bits_in", "seed")
#: Clocks in which no word may follow a result.
_DRAIN = 64
_ANSWERED, _SILENT = 0, 1
#: The public exponent, but of keys of so few bits that they may have none of that length.
_PUBLIC, _LEAST = 65537, 64


class Place(NamedTuple):
    """A register, or a memory, and its bits in all rows."""

    index: int
    name: str
    bits: int
    memory: bool


class Signer:
    """A core that signs with one key, while bits flip.

    Parameters
    ----------
    seed : int
        What the key and the messages are drawn from.
    folder : Path
        A new folder for the compiled core.
    """

    def __init__(self, params: CoreParameters, seed: int, folder: Path) -> None:
        self.params, self.seed = params, seed
        if (compiler := find_compiler()) is None:
            raise SystemExit("A C++ compiler is needed, but there is none; install g++ or clang")
        core = core_rtlil(params.create())
        self.digest = hashlib.sha256(core.text.encode()).hexdigest()
        folder.mkdir()
        (folder / "core.il").write_text(core.text)
        script = [line.replace("-g0", "-g1") for line in rtlil_script()]
        spec = compile_spec("", script, driver=_DRIVER) | {"compiler": list(compiler.command)}
        build(spec, Workspace(folder, Processes()), _DRIVER)
        self._library = ctypes.CDLL(str(folder / LIBRARY))
        self._library.faults_places.restype = ctypes.c_char_p
        self._library.faults_sign.restype = ctypes.c_bool
        if (lines := self._library.faults_places()) is None:
            raise SystemExit(f"{params} does not settle in one evaluation of CXXRTL")
        found = (line.split(" ", 2) for line in lines.decode().splitlines())
        self.places = [Place(index, with_names(name, core.names), int(bits) * max(int(rows), 1),
                             rows != "0") for index, (bits, rows, name) in enumerate(found)]
        self.key, self.public = self._key()
        cycles = cycles_of(params, 0, *self.key)
        self.clocks = cycles.compute + cycles.unload
        self.modulus = math.prod(self.key[-2:])

    def _key(self) -> tuple[tuple[int, ...], int]:
        """Return both exponents, p and q, and a public exponent that is not 1."""
        rng = random.Random(self.seed)
        while True:
            p, q, *exponents = adapter(self.params).key(rng)
            if (e := public_exponent(*exponents, p, q)) == _PUBLIC or (
                    e > 1 and self.params.width < _LEAST):
                return (*exponents, p, q), e

    def sign(self, messages: tuple[int, int], place: int = -1, bit: int = 0,
             clock: int = 0) -> list[tuple[int, list[int]]]:
        """Return the status and the words of two signatures; a bit flips in the first one."""
        params, numbers = self.params, ctypes.c_uint32
        key = params.encode_key(*self.key)
        first, second = map(params.encode, messages)
        count = params.result_words
        status, taken = (ctypes.c_int * 2)(), (numbers * (2 * count))()
        number, size = ctypes.c_uint64, ctypes.c_size_t
        if not self._library.faults_sign(
                (numbers * len(key))(*key), size(len(key)),
                (numbers * (2 * len(first)))(*first, *second), size(len(first)),
                number(2 * self.clocks + len(key) + 1000), number(_DRAIN), size(place), size(bit),
                number(clock), status, taken, size(count)):
            raise SystemExit(f"{params} does not take its key")
        return [(status[turn], taken[turn * count:(turn + 1) * count]) for turn in range(2)]

    def outcome(self, message: int, status: int, words: list[int]) -> tuple[str, dict]:
        """Return what came of a signature, and the facts of a wrong one."""
        if status == _SILENT:
            return "silent", {}
        results = results_of(self.params)
        found = from_words(words, results.width)
        expected = adapter(self.params).golden(message, *self.key)
        if status == _ANSWERED and found == expected:
            return "right", {}
        if status == _ANSWERED and found == results.largest:
            return "refused", {}
        common = math.gcd(pow(found, self.public, self.modulus) - message, self.modulus)
        return "wrong", {"found": hex(found), "expected": hex(expected), "message": hex(message),
                         "too_many_words": status != _ANSWERED,
                         "gives_a_factor": 1 < common < self.modulus,
                         "same_modulo_n": (found - expected) % self.modulus == 0}

    @property
    def registers(self) -> list[Place]:
        return [place for place in self.places if not place.memory]

    def flips(self, count: int) -> dict:
        """Return the outcomes of some flips in registers."""
        places = self.registers
        outcomes = {"first": Counter(), "next": Counter(), "after_reset": Counter()}
        wrong = []
        for flip in range(count):
            rng = random.Random(f"{self.seed} {flip}")
            place, = rng.choices(places, [place.bits for place in places])
            bit, clock = rng.randrange(place.bits), rng.randrange(self.clocks)
            messages = rng.randrange(self.modulus), rng.randrange(self.modulus)
            which = "first"
            for message, signature in zip(messages, self.sign(messages, place.index, bit, clock),
                                          strict=True):
                outcome, details = self.outcome(message, *signature)
                outcomes[which][outcome] += 1
                wrong += [{"flip": flip, "place": place.name, "bit": bit, "clock": clock,
                           "clocks": self.clocks, "operation": which, **details}
                          ] if outcome == "wrong" else []
                which = "after_reset" if outcome == "silent" else "next"
        return {**outcomes, "wrong": wrong}


def _row(params: CoreParameters, options: argparse.Namespace, folder: Path) -> dict:
    """Return the row of a core."""
    signer = Signer(params, options.seed, folder)
    started = time.perf_counter()
    found = signer.flips(options.flips)
    first, wrong = found["first"], found["wrong"]
    return {"core": name_of(params), "width": params.width, "params": dataclasses.asdict(params),
            "bits_in": "registers", "bits": sum(each.bits for each in signer.registers),
            "public": signer.public, "seed": options.seed, "rtlil": signer.digest[:16],
            "flips": options.flips,
            **{outcome: first[outcome] for outcome in ("right", "refused", "silent", "wrong")},
            "give_a_factor": sum(each["gives_a_factor"] for each in wrong
                                 if each["operation"] == "first"),
            "next": found["next"], "after_reset": found["after_reset"],
            "seconds": round(time.perf_counter() - started), "wrong_results": wrong}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-a", default="dsp_systolic", help="core, which must have a check")
    parser.add_argument("-n", type=int, default=128, help="bits of the modulus")
    parser.add_argument("-p", action="append", default=[], help="parameter of the core")
    parser.add_argument("--flips", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    given = {"check": ["public", "none"]} | {
        name: [value] for name, _, value in (text.partition("=") for text in options.p)}
    points = expand([f"rsa_crt.{options.a}"], [options.n], given, [next(iter(targets()))])
    escaped = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, point in enumerate(points):
            params = point.parameters()
            row = _row(params, options, Path(folder, str(number)))
            update(options.output / "rsa_faults.jsonl", _KEY, [row])
            print(json.dumps({name: value for name, value in row.items()
                              if name != "wrong_results"}), flush=True)
            escaped += traits(params).checks and (
                row["wrong"] + row["next"]["wrong"] + row["after_reset"]["wrong"])
    return int(escaped > 0)


if __name__ == "__main__":
    sys.exit(main())
