"""Every core on a simulated board, and bitstreams of some for real ones.

    python benchmarks/board_designs.py [--output results] [--store PATH] [-c CHECK]... [-a CORE]...

* ``self-test``: each core of the registry, of any kind, with default parameters, behind the
  pseudo-terminal of ``montgomery board simulate``; ``montgomery board run`` compares 100
  operations and their clocks with the model;
* ``bitstreams``: what ``montgomery board build`` makes of some cores for some boards.

The commands are run as a user would. Their numbers go to ``boards.jsonl`` and ``boards.md`` in the
output folder, in place of those of the same check and core before. The first check takes about
ten minutes on two processors and needs a C++ compiler; bitstreams of large cores take as long each.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from explore.data.rows import update
from explore.table import Head, Table, render
from montgomery import KINDS

_VECTORS = 100
#: What tells a row from others.
_KEY = ("check", "board", "core", "width")
_PROGRAM = (sys.executable, "-c", "from explore.cli import cli; cli()", "board")

#: Bits of the cores that are simulated, if they have so few: those of a board's example, or as many
#: as are quick.
_WIDTHS = {"mmm_cs_2d": 16, "mmm_op_2d": 16, "mmm_mx_2d": 16}
_USUAL_WIDTH, _LONG_WIDTH = 64, 32

#: Boards, cores, their parameters, options of the tools, and a clock in MHz for those that take
#: long to build.
_BITSTREAMS = (
    ("icebreaker", "exponentiation.single_dsp", 1024, ("word_width=16",), (), None),
    ("ice40_hx8k_b_evn", "mmm_mx_1d", 256, (), (), None),
    ("ulx3s_85f", "exponentiation.single_dsp", 2048, (), (), None),
    ("ulx3s_85f", "dsp_systolic", 1024, (), (), 100),
    ("ulx3s_85f", "exponentiation.cox_rower", 1024, (), (), 50),
    ("ulx3s_85f", "rsa_crt.dsp_systolic", 2048, (), (), 100),
    ("ulx3s_85f", "scalar_multiplication.wide", 256, (), ("dsp_placement=two_rows",), None),
)


def _json(*arguments: str) -> dict:
    done = subprocess.run([*_PROGRAM, *arguments, "--json"], stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout) if done.stdout else {"ok": False}


def _self_tests(store: list[str], chosen: list[str] | None) -> Iterator[dict]:
    cores = [(kind, name, core) for kind in KINDS.values() for name, core in kind.cores().items()]
    for kind, own, core in cores:
        name = kind.full_name(own)
        if chosen and name not in chosen:
            continue
        usual = _WIDTHS.get(own, _USUAL_WIDTH) if kind.name == "multiplier" else _LONG_WIDTH
        width = max(usual, core.__dataclass_fields__["width"].metadata["minimum"])
        with subprocess.Popen([*_PROGRAM, "simulate", "-a", name, "-n", str(width), *store,
                               "--json"], stdout=subprocess.PIPE, text=True) as board:
            begin = time.monotonic()
            line = board.stdout.readline()
            if line:
                begin, port = time.monotonic(), json.loads(line)["port"]
                report = _json("run", "self-test", "--port", port, "--vectors", str(_VECTORS))
            board.terminate()
        seconds = time.monotonic() - begin
        yield {"check": "self-test", "board": "simulated", "core": name, "width": width,
               "ok": bool(line) and report["ok"], "vectors": _VECTORS,
               "cycles_compute": report.get("cycles_compute") if line else None,
               "seconds": round(seconds, 1)}


def _bitstreams(store: list[str], chosen: list[str] | None) -> Iterator[dict]:
    for board, name, width, params, options, clock in _BITSTREAMS:
        if chosen and name not in chosen:
            continue
        with tempfile.TemporaryDirectory() as folder:
            record = _json("build", board, "-a", name, "-n", str(width), *store,
                           *(f"-p{text}" for text in params),
                           *(f"-o{text}" for text in options), "--output", folder,
                           *(["--clock", str(clock)] if clock else []))
        yield {"check": "bitstreams", "board": board, "core": name, "width": width,
               "params": list(params), "options": list(options), "ok": "bytes" in record,
               **{key: record.get(key) for key in ("target", "key", "bytes", "fmax_mhz",
                                                   "clock_mhz", "used", "versions")}}


#: From each check to the caption of its table, and titles and units of the columns.
_TABLES = {
    "self-test": (f"Self-tests of {_VECTORS} operations on simulated boards: results and clocks as "
                  "the model says.", {
        "core": ("Core", ""), "width": ("Width", "bits"), "ok": ("Passes", ""),
        "cycles_compute": ("Slowest", "clocks"), "seconds": ("Time of the test", "s")}),
    "bitstreams": ("Bitstreams: what nextpnr reaches with the serial line around the core, and the "
                   "clock that a PLL makes of it.", {
        "board": ("Board", ""), "core": ("Core", ""), "width": ("Width", "bits"),
        "bytes": ("Bitstream", "bytes"), "fmax_mhz": ("Fmax", "MHz"),
        "clock_mhz": ("Clock", "MHz")})}


def _tabulate(rows: list[dict], output: Path) -> None:
    tables = []
    for check, (caption, columns) in _TABLES.items():
        own = [row | {"core": " ".join([row["core"], *row.get("params", ()),
                                        *row.get("options", ())])}
               for row in rows if row["check"] == check]
        tables.append(Table(caption=caption, rows=[[row[name] for name in columns] for row in own],
                            columns=[Head(name=name, title=title, unit=unit, numeric=bool(unit))
                                     for name, (title, unit) in columns.items()]))
    (output / "boards.md").write_text("\n".join(render(table, "markdown") for table in tables))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("results"))
    parser.add_argument("--store", type=Path)
    parser.add_argument("-c", "--check", action="append", choices=_TABLES)
    parser.add_argument("-a", action="append", help="core, named as by 'montgomery list'")
    asked = parser.parse_args()
    store = ["--store", str(asked.store)] if asked.store else []
    failed = False
    for check, run in (("self-test", _self_tests), ("bitstreams", _bitstreams)):
        for row in run(store, asked.a) if check in (asked.check or _TABLES) else ():
            failed |= not row["ok"]
            print(json.dumps({key: row[key] for key in ("core", "width", "ok")}), file=sys.stderr)
            _tabulate(update(asked.output / "boards.jsonl", _KEY, [row]), asked.output)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
