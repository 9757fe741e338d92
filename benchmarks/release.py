"""Runs the checks of a release, and keeps their answers in place of those of the same check before.

    python benchmarks/release.py [--only TEXT]... [--output results]

``release.txt`` has the checks, a command of the program a line; ``--only`` takes those with one of
some texts, such as ``mutants`` or ``-a cox_rower``. Answers of ``montgomery verify`` go to
``verification.jsonl`` in the output folder, and to ``verification.md``; those of boards go to
``boards.jsonl`` and ``boards.md``. A board that is simulated is tested by ``montgomery board run
self-test``. The store has what it knows of the same core and verification; from an empty one all
checks take some hours on two processors, and need a C++ compiler. The exit status is 1 if a core
fails.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from explore.data.rows import update
from explore.tools.compiler import find_compiler
from explore.tools.find import packaged
from explore.tools.verilator import find_verilator

_LIST = Path(__file__).with_suffix(".txt")
_PROGRAM = (sys.executable, "-c", "from explore.cli import cli; cli()")
_OPERATIONS = 100


def _answer(*words: str) -> dict:
    done = subprocess.run([*_PROGRAM, *words, "--json"], stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout) if done.stdout else {"ok": False}


def _verified(asked: argparse.Namespace, words: Sequence[str]) -> dict:
    """Return the row of a verification."""
    compiler, verilator = find_compiler(), find_verilator()
    found = {name: value for name, value in _answer(*words).items()
             if value is not None and name not in ("arch", "width")}
    return {**found, "check": asked.method or f"speed {asked.engine}", "core": asked.a,
            "versions": {
                "montgomery": importlib.metadata.version("montgomery"),
                "amaranth": importlib.metadata.version("amaranth"),
                "yosys": packaged("yosys").version,
                "verilator": verilator and verilator.version,
                "compiler": compiler and compiler.version,
                "python": platform.python_version(), "processors": str(os.cpu_count())}}


def _self_tested(asked: argparse.Namespace, words: Sequence[str]) -> dict:
    """Return the row of a simulated board."""
    report, seconds = {"ok": False}, 0.0
    with subprocess.Popen([*_PROGRAM, *words, "--json"], stdout=subprocess.PIPE,
                          text=True) as board:
        if line := board.stdout.readline():
            begin = time.monotonic()
            report = _answer("board", "run", "self-test", "--port", json.loads(line)["port"],
                             "--vectors", str(_OPERATIONS))
            seconds = time.monotonic() - begin
        board.terminate()
    return {"check": "self-test", "board": "simulated", "core": asked.a, "width": asked.n,
            "ok": report["ok"], "vectors": _OPERATIONS,
            "cycles_compute": report.get("cycles_compute"), "seconds": round(seconds, 1)}


def _built(asked: argparse.Namespace, words: Sequence[str]) -> dict:
    """Return the row of a bitstream."""
    with tempfile.TemporaryDirectory() as folder:
        record = _answer(*words, "--output", folder)
    return {"check": "bitstreams", "board": words[2], "core": asked.a, "width": asked.n,
            "params": asked.p, "options": asked.o, "ok": "bytes" in record,
            **{key: record.get(key) for key in ("target", "key", "bytes", "fmax_mhz", "clock_mhz",
                                                "used", "versions")}}


def _outcome(row: dict) -> str:
    """Return what a verification found."""
    if not row["ok"]:
        return row.get("message", "fails")
    if row["check"] == "mutants":
        return (f"{row['score']:.1%}: {row['killed']} of {row['mutants']} killed, {row['missed']} "
                f"missed, {row['equivalent']} proved equivalent, {row['undetected']} undetected")
    return {"exhaustive": "{vectors:,} multiplications",
            "full": "{vectors:,} operations, {clocks:,} clocks"}.get(
                row["check"], "{cycles_per_second:,.0f} clocks per second").format(**row)


def _verifications(rows: Sequence[dict]) -> str:
    """Return the page on verifications."""
    lines, missed = ["| core | parameters | check | outcome |", "|---|---|---|---|"], []
    for row in rows:
        shape = " ".join(f"{key}={value}" for key, value in row["params"].items())
        lines.append(f"| {row['core']} | {shape} | {row['check']} | {_outcome(row)} |")
        missed += [f"- {row['core']}, {shape}: {mutant}"
                   for mutant in row.get("survivors", {}).get("missed", ())]
    if missed:
        lines += ["", "Mutants that the verification of a sweep does not find, and a longer one "
                  "does:", "", *missed]
    return "\n".join(lines) + "\n"


def _boards(rows: Sequence[dict]) -> str:
    """Return the page on boards."""
    tested, built = ([row for row in rows if row["check"] == check]
                     for check in ("self-test", "bitstreams"))
    return "\n".join([
        f"Self-tests of {_OPERATIONS} operations on simulated boards: results and clocks as the "
        "model says.", "", "| core | bits | passes | slowest, clocks | time of the test, s |",
        "|---|---|---|---|---|",
        *("| {core} | {width} | {ok} | {cycles_compute} | {seconds} |".format(**row)
          for row in tested), "",
        "Bitstreams: what nextpnr reaches with the serial line around the core, and the clock that "
        "a PLL makes of it.", "", "| board | core | bits | bitstream, bytes | Fmax, MHz | clock, "
        "MHz |", "|---|---|---|---|---|---|",
        *("| {board} | {shown} | {width} | {bytes} | {fmax_mhz} | {clock} |".format(
            shown=" ".join([row["core"], *row["params"], *row.get("options", ())]),
            clock=str(row["clock_mhz"])[:6], **row) for row in built), ""])


#: From the words of a command to its check, the name of its file, what tells a row of it from
#: others, and its page.
_CHECKS = {
    "verify": (_verified, "verification", ("core", "check", "params"), _verifications),
    "board simulate": (_self_tested, "boards", ("check", "board", "core", "width"), _boards),
    "board build": (_built, "boards", ("check", "board", "core", "width"), _boards)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", help="text of a command; all by default")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    command = argparse.ArgumentParser()
    command.add_argument("-n", type=int)
    for flag in ("-a", "--method", "--engine"):
        command.add_argument(flag)
    for flag in ("-p", "-o"):
        command.add_argument(flag, action="append", default=[])
    failed = False
    for line in _LIST.read_text().splitlines():
        if not line.startswith("montgomery ") or (
                options.only and not any(text in line for text in options.only)):
            continue
        words = shlex.split(line)[1:]
        check, name, key, page = next(found for start, found in _CHECKS.items()
                                      if words[:len(start.split())] == start.split())
        row = check(command.parse_known_args(words)[0], words)
        path = options.output / f"{name}.jsonl"
        path.with_suffix(".md").write_text(page(update(path, key, [row])))
        failed |= not row["ok"]
        print(f"{'ok' if row['ok'] else 'FAILED'}: {line}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
