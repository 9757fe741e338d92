"""Clocks of an RNS multiplication by base size and number of Rowers, beside n**2 / u.

    python benchmarks/rower_clocks.py [--output results]

They are those of the schedule, which the tests compare with the hardware, from one of two dependent
multiplications to the other; with the latency that the Rowers have. Nozaki et al. need
(n / u) (2 n + 20). Writes ``rower_clocks.jsonl`` and ``rower_clocks.png``; takes a minute.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import matplotlib

from montgomery import architectures

#: Bits of the moduli, and the base sizes that the paper has for them.
SIZES = {672: 22, 1024: 33, 2080: 66}
ROWERS = (1, 2, 3, 6, 11, 22, 33, 66)


def _rows() -> list[dict]:
    rows = []
    for width, n in SIZES.items():
        for u in ROWERS:
            if n % u:
                continue
            params = architectures()["cox_rower"](width=width, rowers=u)
            if (params.rns.bases.n, params.u) != (n, u):
                raise SystemExit(f"{params} has bases of {params.rns.bases.n} elements")
            clocks, paper = params.schedule.interval, n // u * (2 * n + 20)
            if clocks > paper:
                raise SystemExit(f"{params} takes {clocks} clocks, more than the paper's {paper}")
            rows.append({"width": width, "n": n, "rowers": u, "latency": params.latency,
                         "clocks": clocks, "paper": paper, "n2_u": n * n / u})
    return rows


def _draw(rows: list[dict], path: Path) -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    for n in SIZES.values():
        own = [row for row in rows if row["n"] == n]
        line, = axes.plot([row["n2_u"] for row in own], [row["clocks"] for row in own], "o-",
                          label=f"n = {n}")
        axes.plot([row["n2_u"] for row in own], [row["paper"] for row in own], "x--",
                  color=line.get_color(), alpha=0.5)
    axes.plot([], [], "x--", color="0.5", label="(n / u) (2 n + 20)")
    axes.set(xscale="log", yscale="log", xlabel="n² / u", ylabel="Clocks of a multiplication")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    output = parser.parse_args().output
    rows = _rows()
    (output / "rower_clocks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    _draw(rows, output / "rower_clocks.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
