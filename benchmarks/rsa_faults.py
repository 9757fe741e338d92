"""Flips bits of registers during RSA signatures, and counts which wrong results leave the core.

    python benchmarks/rsa_faults.py [-n 128] [-p check=public -p arrays=1]... [--flips 1000]
        [--seed 1] [--memories] [--output results]

The core signs in CXXRTL, with one key and a new message each time. In each signature one bit, drawn
from all bits of all registers, is flipped at one clock, drawn from those between the last word of
the message and the last one of the result. So every register counts as often as it has bits. The
outcome is

* ``right``: the flip had no effect on the result;
* ``refused``: words of ones alone, which no result has;
* ``silent``: no result; the core is reset;
* ``wrong``: anything else, also a word too many.

Then another message is signed, with the same key, to see what the flip has left behind: in
``next``; in ``after_reset`` where the core was reset, and took the key again. With ``--memories``
bits are drawn from the memories instead, with the columns of the key and of the message in them.

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
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from explore.data.rows import update
from explore.devices import targets
from explore.netlist.harness import core_rtlil
from explore.netlist.names import with_names
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
_NOWHERE = (1 << 32) - 1, 0, 0


class _Place(NamedTuple):
    """A register, or a memory, and its bits in all rows."""

    index: int
    name: str
    bits: int
    memory: bool


class _Simulation:
    """A core in the library of rsa_faults.cc."""

    def __init__(self, params: CoreParameters, folder: Path) -> None:
        if (compiler := find_compiler()) is None:
            raise SystemExit("A C++ compiler is needed, but there is none; install g++ or clang")
        core = core_rtlil(params.create())
        self.digest, self._names = hashlib.sha256(core.text.encode()).hexdigest(), core.names
        folder.mkdir()
        (folder / "core.il").write_text(core.text)
        script = [line.replace("-g0", "-g1") for line in rtlil_script()]
        spec = compile_spec("", script, driver=_DRIVER) | {"compiler": list(compiler.command)}
        build(spec, Workspace(folder, Processes()), _DRIVER)
        self._library = library = ctypes.CDLL(str(folder / LIBRARY))
        number, size, words = ctypes.c_uint64, ctypes.c_size_t, ctypes.POINTER(ctypes.c_uint32)
        pointer = ctypes.c_void_p
        for name, result, *arguments in (
                ("new", pointer), ("delete", None, pointer), ("places", size, pointer),
                ("name", ctypes.c_char_p, pointer, size), ("bits", size, pointer, size),
                ("rows", size, pointer, size), ("reset", None, pointer),
                ("send", ctypes.c_int, pointer, ctypes.c_int, words, size, number),
                ("receive", ctypes.c_int, pointer, words, size, number, number, size, size,
                 number)):
            function = getattr(library, f"faults_{name}")
            function.restype, function.argtypes = result, arguments
        self._params, self._core = params, None
        self.start()
        self.places = [self._place(index) for index in range(library.faults_places(self._core))]

    def _place(self, index: int) -> _Place:
        ask = self._library
        rows = ask.faults_rows(self._core, index)
        name = with_names(ask.faults_name(self._core, index).decode(), self._names)
        return _Place(index=index, name=name,
                      bits=ask.faults_bits(self._core, index) * max(rows, 1), memory=rows > 0)

    def start(self) -> None:
        """Begin anew, with all registers and memories as they are at first."""
        self.stop()
        self._core = self._library.faults_new()
        if not self._core:
            raise SystemExit(f"{self._params} does not settle in one evaluation of CXXRTL")

    def stop(self) -> None:
        if self._core:
            self._library.faults_delete(self._core)
        self._core = None

    def reset(self) -> None:
        self._library.faults_reset(self._core)

    def send_key(self, words: list[int], limit: int) -> bool:
        return self._send(1, words, limit)

    def sign(self, words: list[int], limit: int,
             flip: tuple[int, int, int] = _NOWHERE) -> tuple[int, list[int]]:
        """Return the status, and the words of the result; a flip is a place, a bit and a clock."""
        count = self._params.result_words
        if not self._send(0, words, limit):
            return _SILENT, []
        taken = (ctypes.c_uint32 * count)()
        status = self._library.faults_receive(self._core, taken, count, limit, _DRAIN, *flip)
        return status, list(taken)

    def _send(self, key: int, words: list[int], limit: int) -> bool:
        sent = (ctypes.c_uint32 * len(words))(*words)
        return bool(self._library.faults_send(self._core, key, sent, len(words), limit))


def _key(params: CoreParameters, seed: int) -> tuple[int, int, int, int, int]:
    """Return p, q, both exponents and a public exponent that is not 1."""
    rng = random.Random(seed)
    while True:
        p, q, *exponents = adapter(params).key(rng)
        if (e := public_exponent(*exponents, p, q)) == _PUBLIC or (
                e > 1 and params.width < _LEAST):
            return p, q, *exponents, e


class _Campaign:
    """Flips in one core.

    Parameters
    ----------
    params : CoreParameters
    memories : bool
        Flip bits of memories, rather than of registers.
    """

    def __init__(self, params: CoreParameters, seed: int, memories: bool, folder: Path) -> None:
        self._params, self._seed = params, seed
        self._core = _Simulation(params, folder)
        self._places = [place for place in self._core.places if place.memory == memories]
        self._p, self._q, *exponents, self._e = _key(params, seed)
        self._modulus, self._key = self._p * self._q, (*exponents, self._p, self._q)
        cycles = cycles_of(params, 0, *self._key)
        self._clocks = cycles.compute + cycles.unload
        self._limit = 2 * self._clocks + len(params.encode_key(*self._key)) + 1000
        self.key = {"core": name_of(params), "width": params.width,
                    "params": dataclasses.asdict(params),
                    "bits_in": "memories" if memories else "registers",
                    "bits": sum(place.bits for place in self._places), "public": self._e,
                    "seed": seed,
                    "rtlil": self._core.digest[:16]}

    def stop(self) -> None:
        self._core.stop()

    def flips(self, numbers: range) -> dict:
        """Return the outcomes of some flips."""
        outcomes = {"first": Counter(), "next": Counter(), "after_reset": Counter()}
        wrong = []
        for number in numbers:
            for which, outcome, details in self._flip(number):
                outcomes[which][outcome] += 1
                wrong += [details] if outcome == "wrong" else []
        return {**outcomes, "wrong": wrong}

    def _flip(self, number: int) -> Iterator[tuple[str, str, dict]]:
        rng = random.Random(f"{self._seed} {number}")
        place, = rng.choices(self._places, [place.bits for place in self._places])
        bit, clock = rng.randrange(place.bits), rng.randrange(self._clocks)
        core, key = self._core, self._params.encode_key(*self._key)
        core.start()
        core.reset()
        if not core.send_key(key, self._limit):
            raise SystemExit(f"{self._params} does not take its key")
        about = {"flip": number, "place": place.name, "bit": bit, "clock": clock,
                 "clocks": self._clocks}
        outcome, details = self._sign(rng, (place.index, bit, clock))
        yield "first", outcome, about | details
        which = "next"
        if outcome == "silent":
            which = "after_reset"
            core.reset()
            if not core.send_key(key, self._limit):
                yield which, "silent", about
                return
        outcome, details = self._sign(rng)
        yield which, outcome, about | details | {"operation": which}

    def _sign(self, rng: random.Random,
              flip: tuple[int, int, int] = _NOWHERE) -> tuple[str, dict]:
        params = self._params
        message = rng.randrange(self._modulus)
        status, words = self._core.sign(params.encode(message), self._limit, flip)
        if status == _SILENT:
            return "silent", {}
        found = from_words(words, results_of(params).width)
        expected = adapter(params).golden(message, *self._key)
        if status == _ANSWERED and found == expected:
            return "right", {}
        if status == _ANSWERED and found == results_of(params).largest:
            return "refused", {}
        common = math.gcd(pow(found, self._e, self._modulus) - message, self._modulus)
        return "wrong", {"found": hex(found), "expected": hex(expected), "message": hex(message),
                         "too_many_words": status != _ANSWERED,
                         "gives_a_factor": 1 < common < self._modulus,
                         "same_modulo_n": (found - expected) % self._modulus == 0}


def _row(params: CoreParameters, options: argparse.Namespace, folder: Path) -> dict:
    """Return the row of a core."""
    campaign = _Campaign(params, options.seed, options.memories, folder)
    started = time.perf_counter()
    found = campaign.flips(range(options.flips))
    campaign.stop()
    first, wrong = found["first"], found["wrong"]
    return campaign.key | {
        "flips": options.flips,
        **{outcome: first[outcome] for outcome in ("right", "refused", "silent", "wrong")},
        "give_a_factor": sum(each["gives_a_factor"] for each in wrong if "operation" not in each),
        "next": found["next"], "after_reset": found["after_reset"],
        "seconds": round(time.perf_counter() - started), "wrong_results": wrong}


def _cores(options: argparse.Namespace) -> list[CoreParameters]:
    given = {"check": ["public", "none"]} | {
        name: [value] for name, _, value in (text.partition("=") for text in options.p)}
    points = expand([f"rsa_crt.{options.a}"], [options.n], given, [next(iter(targets()))])
    return [point.parameters() for point in points]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-a", default="dsp_systolic", help="core, which must have a check")
    parser.add_argument("-n", type=int, default=128, help="bits of the modulus")
    parser.add_argument("-p", action="append", default=[], help="parameter of the core")
    parser.add_argument("--flips", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memories", action="store_true", help="flip bits of memories instead")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    escaped = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, params in enumerate(_cores(options)):
            row = _row(params, options, Path(folder, str(number)))
            update(options.output / "rsa_faults.jsonl", _KEY, [row])
            print(json.dumps({name: value for name, value in row.items()
                              if name != "wrong_results"}), flush=True)
            escaped += traits(params).checks and (
                row["wrong"] + row["next"]["wrong"] + row["after_reset"]["wrong"])
    return int(escaped > 0)


if __name__ == "__main__":
    sys.exit(main())
