"""How much of the time the multiplier of ``single_dsp`` is used, by length: Song et al., Figure 3.

    python benchmarks/multiplier_use.py [--output results]

The multiplications are counted in simulation, clock by clock. What the paper's Equations 1 and 2
say stands beside it. Writes ``multiplier_use.jsonl`` and ``multiplier_use.png``; takes a minute.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

import matplotlib

# Its test benches count there too.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "montgomery"))
from counting import count

from montgomery import architectures

WIDTHS = (64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)


def _row(width: int) -> dict:
    params = architectures()["single_dsp"](width=width)
    rng = random.Random(width)
    modulus = rng.getrandbits(width) | 1 << (width - 1) | 1
    vector = rng.randrange(modulus), rng.randrange(modulus), modulus
    product, clocks, products = count(params, vector)
    if product != params.compute(*vector):
        raise SystemExit(f"width {width}: {vector} gives {product}")
    d = params.digits
    return {"width": width, "digits": d, "clocks": clocks, "multiplications": products,
            "use": products / clocks, "use_paper": (2 * d * d + d) / (2 * d * d + 8 * d + 4)}


def _draw(rows: list[dict], path: Path) -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
    widths = [row["width"] for row in rows]
    axes.plot(widths, [100 * row["use"] for row in rows], "o-", label="counted")
    axes.plot(widths, [100 * row["use_paper"] for row in rows], "s--", color="0.5",
              label="Song et al., Equations 1 and 2")
    axes.set(xlabel="Length of the modulus, bits", ylabel="Multiplier in use, % of clocks",
             ylim=(50, 100))
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder")
    output = parser.parse_args().output
    rows = []
    for width in WIDTHS:
        rows.append(_row(width))
        print(json.dumps(rows[-1]), flush=True)
    (output / "multiplier_use.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    _draw(rows, output / "multiplier_use.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
