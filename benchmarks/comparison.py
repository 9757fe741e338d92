"""``single_dsp`` beside what others publish: an open core, and the paper.

    python benchmarks/comparison.py [--rows results/single_dsp/rows.jsonl]

Writes ``comparison.md`` beside the rows; takes a second. Published figures are those of
:mod:`explore.papers`, measured ones are medians of the rows.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from explore.data.frame import load, medians
from explore.papers import Published, published
from explore.table import Column, Table, render

_RIVAL, _PAPER_WIDTH = ("modexp", 1024), 2048
_COLUMNS = {name: Column(name=name, title=title, unit=unit) for name, title, unit in (
    ("slices", "Slices", ""), ("lut", "LUT", ""), ("ff", "FF", ""), ("dsp", "DSP", ""),
    ("bram", "BRAM", ""), ("fmax_usable_mhz", "Usable Fmax", "MHz"),
    ("cycles_compute", "Compute", "clocks"), ("latency_us", "Latency", "µs"))}


def _row(name: str, figures: dict, columns: list[str], extra: list[float | None]) -> list:
    found = [figures.get(column) for column in columns]
    return [name, *(None if value != value else value for value in found), *extra]


def _name(figure: Published) -> str:
    return f"{figure.core}, {figure.source.partition(',')[0].partition(':')[0]}"


def _beside_the_rival(ours: dict, rival: Published) -> Table:
    columns = [name for name in _COLUMNS if name != "slices"]
    theirs = {**rival.figures, "fmax_usable_mhz": rival.figures["fmax_mhz"]}
    faster = theirs["latency_us"] / ours["latency_us"]
    return Table(
        caption=f"A product of {rival.width} bits on {ours['target']}, LUT4. {rival.note}",
        columns=[Column(name="core", title="Core", numeric=False),
                 *(_COLUMNS[name] for name in columns),
                 Column(name="faster", title="Times as fast"),
                 Column(name="share", title="Share of the LUTs", unit="%")],
        rows=[_row(_name(rival), theirs, columns, [1, 100]),
              _row("single_dsp, this project", ours, columns,
                   [faster, 100 * ours["lut"] / theirs["lut"]])])


def _beside_the_paper(ours: list[dict], paper: dict) -> Table:
    columns = list(_COLUMNS)
    return Table(
        caption=f"An exponentiation of {_PAPER_WIDTH} bits, every bit of the exponent 1. The "
                "paper: Tables II and III, by ISE for XC6VLX240T-1, whose slices have four LUT6. "
                "LUT is LUT6 on xc6v and LUT4 on ecp5; xc6v is area alone.",
        columns=[Column(name="core", title="Core", numeric=False),
                 *(_COLUMNS[name] for name in columns)],
        rows=[_row("Song et al., Virtex-6", paper, columns, []),
              *(_row(f"this project, {row['param_method']}, {row['target']}", row, columns, [])
                for row in ours)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=Path, default=Path("results/single_dsp/rows.jsonl"))
    path = parser.parse_args().rows
    points = medians(load(path)).to_dict("records")

    def those(kind: str, width: int, *targets: str) -> list[dict]:
        found = [point for point in points if (point["kind"], point["width"]) == (kind, width)
                 and point["target"] in targets
                 and (kind == "multiplier" or point["param_processors"] == 1)]
        if not found:
            raise SystemExit(f"{path} has no {kind} of {width} bits on {', '.join(targets)}")
        return found

    rival, = (figure for figure in published()["open_cores"]
              if (figure.core, figure.width) == ("modexp", _RIVAL[1]))
    paper: dict[str, float] = {}
    for figure in published()["song_single_dsp"]:
        if (figure.table, figure.width) in (("Table II", None), ("Table III", _PAPER_WIDTH)):
            paper |= figure.figures
    paper["fmax_usable_mhz"] = paper["fmax_mhz"]
    tables = [_beside_the_rival(those("multiplier", _RIVAL[1], "ecp5-85k")[0], rival),
              _beside_the_paper(those("exponentiator", _PAPER_WIDTH, "xc6v", "ecp5-85k"), paper)]
    text = "\n".join(render(table, "markdown") for table in tables)
    (path.parent / "comparison.md").write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
