"""Figures of papers beside what the cores here do; no device is needed.

    python benchmarks/paper_figures.py [-c rower_clocks] [-c multiplier_use] [--output results]

* ``rower_clocks``: clocks of an RNS multiplication by base size and number of Rowers, beside
  n**2 / u. They are those of the schedule, which the tests compare with the hardware, from one of
  two dependent multiplications to the other; with the latency that the Rowers have. Nozaki et al.
  need (n / u) (2 n + 20).
* ``multiplier_use``: how much of the time the multiplier of ``single_dsp`` is used, by length: Song
  et al., Figure 3. The multiplications are counted in simulation, clock by clock. What the paper's
  Equations 1 and 2 say stands beside it.

Writes a file ``.jsonl`` and a figure ``.png`` of each, which takes a minute.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib

# Its test benches count there too.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "montgomery"))
from counting import count

from montgomery import architectures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Bits of the moduli, and the base sizes that the paper has for them.
_SIZES = {672: 22, 1024: 33, 2080: 66}
_ROWERS = (1, 2, 3, 6, 11, 22, 33, 66)
_WIDTHS = (64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)


def _rower_clocks() -> list[dict]:
    rows = []
    for width, n in _SIZES.items():
        for u in (each for each in _ROWERS if n % each == 0):
            params = architectures()["cox_rower"](width=width, rowers=u)
            if (params.rns.bases.n, params.u) != (n, u):
                raise SystemExit(f"{params} has bases of {params.rns.bases.n} elements")
            clocks, paper = params.programs[0][0].interval, n // u * (2 * n + 20)
            if clocks > paper:
                raise SystemExit(f"{params} takes {clocks} clocks, more than the paper's {paper}")
            rows.append({"width": width, "n": n, "rowers": u, "latency": params.latency,
                         "clocks": clocks, "paper": paper, "n2_u": n * n / u})
    return rows


def _draw_rower_clocks(rows: list[dict], axes: Axes) -> None:
    for n in _SIZES.values():
        own = [row for row in rows if row["n"] == n]
        line, = axes.plot([row["n2_u"] for row in own], [row["clocks"] for row in own], "o-",
                          label=f"n = {n}")
        axes.plot([row["n2_u"] for row in own], [row["paper"] for row in own], "x--",
                  color=line.get_color(), alpha=0.5)
    axes.plot([], [], "x--", color="0.5", label="(n / u) (2 n + 20)")
    axes.set(xscale="log", yscale="log", xlabel="n² / u", ylabel="Clocks of a multiplication")


def _multiplier_use() -> list[dict]:
    rows = []
    for width in _WIDTHS:
        params = architectures()["single_dsp"](width=width)
        rng = random.Random(width)
        modulus = rng.getrandbits(width) | 1 << (width - 1) | 1
        vector = rng.randrange(modulus), rng.randrange(modulus), modulus
        product, clocks, products = count(params, vector)
        if product != params.compute(*vector):
            raise SystemExit(f"width {width}: {vector} gives {product}")
        d = params.digits
        rows.append({"width": width, "digits": d, "clocks": clocks, "multiplications": products,
                     "use": products / clocks,
                     "use_paper": (2 * d * d + d) / (2 * d * d + 8 * d + 4)})
    return rows


def _draw_multiplier_use(rows: list[dict], axes: Axes) -> None:
    widths = [row["width"] for row in rows]
    axes.plot(widths, [100 * row["use"] for row in rows], "o-", label="counted")
    axes.plot(widths, [100 * row["use_paper"] for row in rows], "s--", color="0.5",
              label="Song et al., Equations 1 and 2")
    axes.set(xlabel="Length of the modulus, bits", ylabel="Multiplier in use, % of clocks",
             ylim=(50, 100))


_FIGURES = {"rower_clocks": (_rower_clocks, _draw_rower_clocks),
            "multiplier_use": (_multiplier_use, _draw_multiplier_use)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-c", action="append", choices=_FIGURES, help="figure; both by default")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    options = parser.parse_args()
    matplotlib.use("Agg")
    from matplotlib import pyplot

    for name in options.c or _FIGURES:
        make, draw = _FIGURES[name]
        rows = make()
        path = options.output / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
        draw(rows, axes)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        figure.savefig(path.with_suffix(".png"), dpi=150)
    return 0


if __name__ == "__main__":
    sys.exit(main())
