"""Measures how long the commands that show measurements take on very many of them.

    python benchmarks/many_rows.py [--rows 100000] [--from results] [--keep FOLDER] [-c COMMAND]...

Makes rows out of measured ones (widths, parameters, targets, seeds and figures vary; each is
sealed) and runs ``table``, ``recommend``, ``plot``, ``report`` and ``report -a NAME -t TARGET`` on
the file of them, each in a process of its own. It prints the seconds, the processor's seconds and
the peak memory of each beside the most that it may take for 100,000 rows. The exit status is 1 if
one takes more. Nothing else should run on the machine meanwhile. The rows are no measurements: the
file goes to a temporary folder that is removed in the end, or to that of ``--keep``.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from explore.data.rows import read, save, sealed
from montgomery import KINDS

_SEEDS = 3
_MOST_MIB = 1500
_SELECTION = ("-a", "mmm_mx_1d", "-t", "ecp5-85k")
#: From each command to its arguments and the seconds that it may take.
_COMMANDS: dict[str, tuple[tuple[str, ...], float]] = {
    "table": ((), 8),
    "recommend": (("--bits", "256", "--limit", "lut=3000"), 8),
    "plot": (("--output", "figures"), 20),
    "report": ((*_SELECTION, "--output", "report"), 30),
}
#: Figures that vary with how a core is placed, and those that its area consists of.
_TIMED = ("latency_us", "lut_us", "seconds_place")
_CLOCKED = ("fmax_mhz", "fmax_usable_mhz", "throughput_mbps", "throughput_pipelined_mbps")
_AREA = ("lut", "ff")
_CYCLES = ("cycles_load", "cycles_compute", "cycles_unload", "cycles_interval", "cycles_initiation")


def _params(row: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return the parameters of a row with one of those that are numbers or choices changed."""
    params = dict(row["params"])
    cls = KINDS[row["kind"]].cores().get(row["arch"])
    fields = [field for field in dataclasses.fields(cls) if field.name in params] if cls else []
    if fields:
        field = chance.choice(fields)
        if field.metadata["choices"] is not None:
            params[field.name] = chance.choice(list(field.metadata["choices"]))
        elif isinstance(params[field.name], int) and not isinstance(params[field.name], bool):
            params[field.name] *= chance.choice((1, 2, 4))
    return params


def _made(measured: Sequence[dict[str, Any]], count: int) -> Iterator[dict[str, Any]]:
    """Yield rows that differ from one another in the point or in the seed."""
    chance = random.Random(1)
    targets = sorted({row["target"] for row in measured})
    seen: set[str] = set()
    made = 0
    while made < count:
        row = copy.deepcopy(chance.choice(measured))
        width = 8 * chance.randint(4, 512)
        factor, row["params"] = width / row["width"], _params(row, chance)
        if row["status"] == "ok":
            row["target"] = chance.choice([name for name in targets if name.startswith("ecp5")]
                                          + [row["target"]])
        point = f"{row['kind']} {row['arch']} {width} {row['params']} {row['target']} " \
                f"{row['options']}"
        if point in seen:
            continue
        seen.add(point)
        row["width"] = width
        for name in (*_AREA, *_CYCLES):
            if row[name] is not None:
                row[name] = max(round(row[name] * factor * chance.uniform(0.9, 1.1)), 1)
        for seed in range(1, min(_SEEDS, count - made) + 1):
            made += 1
            speed = chance.uniform(0.9, 1.1)
            yield sealed(row | {"seed": seed, "key": f"{chance.getrandbits(160):040x}"} | {
                name: row[name] * (speed if name in _CLOCKED else 1 / speed)
                for name in (*_TIMED, *_CLOCKED) if row[name] is not None})


def _measure(command: str, rows: Path, folder: Path) -> tuple[float, float, float]:
    """Run a command; return its seconds, the processor's, and its peak memory in MiB."""
    begin = time.perf_counter()
    with (folder / f"{command}.txt").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", "from explore.cli import cli; cli()", command, "--from",
             str(rows), *_COMMANDS[command][0]], cwd=folder, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"montgomery {command} failed with status {process.returncode}")
    return (time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--from", dest="source", type=Path, default=Path("results"))
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("-c", "--command", action="append", choices=_COMMANDS)
    given = parser.parse_args()
    measured = [row for path in sorted(given.source.rglob("rows.jsonl")) for row in read(path)]
    missed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        rows = folder / "rows.jsonl"
        save(list(_made(measured, given.rows)), rows)
        print(f"{given.rows} rows, {rows.stat().st_size / 2**20:.0f} MiB")
        print(f"{'command':<12}{'seconds':>9}{'allowed':>9}{'cpu':>9}{'MiB':>9}")
        for command in given.command or _COMMANDS:
            seconds, cpu, memory = _measure(command, rows, folder)
            allowed = _COMMANDS[command][1]
            missed |= seconds > allowed or memory > _MOST_MIB
            print(f"{command:<12}{seconds:>9.1f}{allowed:>9.0f}{cpu:>9.1f}{memory:>9.0f}",
                  flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
