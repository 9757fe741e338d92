"""What the options of yosys and nextpnr do to clock and area, as advice.

    python benchmarks/options.py [--rows results/options] [--seeds results/seeds.jsonl]
                                 [--output results/options/advice.md]

``montgomery sweep results/options`` measures the rows: a few cores, each with one option changed at
a time. Each row is compared with that of the same core and seed with the default options, so that
only the option differs; placements still differ by chance, and an interval says how far the mean of
such pairs may be off. ``seeds.jsonl`` of benchmarks/seeds.py tells what the best of several seeds
brings.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pandas
from scipy.stats import t

from explore.data.frame import load
from explore.table import Head, Table, render

#: A change in per cent below which two figures are equal.
_NOTHING = 0.01
_COUNTS = (1, 2, 3, 4, 8, 16, 32)
#: Columns that are compared, and their titles.
_COMPARED = {"fmax_mhz": "Fmax", "lut": "LUTs"}
_PAIR = ["kind", "arch", "width", "target", "seed"]

#: Mean of the change in per cent, and the ends of its 95 % interval.
Change = tuple[float, float, float]


def changed(rows: pandas.DataFrame) -> dict[tuple[str, Any], pandas.DataFrame]:
    """Return, for each option and value that is no default, its rows joined with the defaults."""
    ok = rows[rows["status"] == "ok"]
    names = [name for name in ok if name.startswith("option_") and ok[name].notna().any()]
    values = ok[names].astype(object).where(ok[names].notna(), "default")
    # Cores with multiplier blocks have options that others have not.
    others = pandas.concat([own.ne(own.mode().iloc[0]) for _, own in values.groupby(ok["arch"])])
    others = others.loc[ok.index]
    base = ok[~others.any(axis=1)]
    found = {}
    for name in names:
        alone = ok[others[name] & (others.sum(axis=1) == 1)]
        for value, own in alone.groupby(name):
            found[name.removeprefix("option_"), value] = own.merge(
                base, on=_PAIR, suffixes=("", "_base"))
    return found


def change(pairs: pandas.DataFrame, column: str) -> Change:
    """Return the geometric mean of the ratios of pairs, as a change in per cent."""
    logs = numpy.log(pairs[column] / pairs[f"{column}_base"])
    mean, half = logs.mean(), 0.0
    if logs.std() > 0:
        half = t.ppf(0.975, len(logs) - 1) * logs.std() / math.sqrt(len(logs))
    return tuple(100 * math.expm1(each) for each in (mean, mean - half, mean + half))


def _shown(found: Change) -> str:
    mean, low, high = found
    return f"{mean:+.1f}" if low == high else f"{mean:+.1f} ({low:+.1f} to {high:+.1f})"


def effects(pairs: dict[tuple[str, Any], pandas.DataFrame]) -> Table:
    """Return the table of all options."""
    rows = []
    for (name, value), own in sorted(pairs.items(), key=lambda item: (item[0][0],
                                                                     str(item[0][1]).zfill(6))):
        _, low, high = change(own, "fmax_mhz")
        verdict = "faster" if low > 0 else "slower" if high < 0 else "no difference seen"
        rows.append([f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}",
                     len(own), *(_shown(change(own, column)) for column in _COMPARED), verdict])
    return Table(caption="Change against the default, in per cent: mean over cores and seeds, with "
                         "95 % intervals.",
                 columns=[Head(name="option", title="Option", numeric=False),
                          Head(name="pairs", title="Pairs"),
                          *(Head(name=name, title=title, unit="%", numeric=False)
                            for name, title in _COMPARED.items()),
                          Head(name="verdict", title="Clock", numeric=False)],
                 rows=rows)


def best_of(designs: Sequence[Sequence[float]]) -> Table:
    """Return the table of what several seeds of a design bring."""
    rows = []
    generator = numpy.random.default_rng(1)
    for count in _COUNTS:
        gains, errors = [], []
        for values in designs:
            middle = statistics.median(values)
            drawn = numpy.array([generator.choice(values, count, replace=False)
                                 for _ in range(2000)]) / middle
            gains.append(drawn.max(axis=1).mean() - 1)
            errors.append(numpy.quantile(abs(numpy.median(drawn, axis=1) - 1), 0.95))
        rows.append([count, *(f"{100 * statistics.mean(each):.1f}" for each in (gains, errors))])
    return Table(caption=f"Mean over {len(designs)} designs, each placed with {len(designs[0])} "
                         "seeds.",
                 columns=[Head(name="seeds", title="Seeds"),
                          Head(name="gain", title="Best of them, above the median of all",
                                 unit="%"),
                          Head(name="error", title="Median of them is off by less than", unit="%",
                                 )],
                 rows=rows)


def advice(rows: pandas.DataFrame, designs: Sequence[Sequence[float]]) -> str:
    """Return the document."""
    pairs = changed(rows)
    asked = {key: own for key, own in pairs.items() if key[0] == "constraint_mhz"}
    others = {key: own for key, own in pairs.items() if key not in asked}
    clocks = {key: change(own, "fmax_mhz") for key, own in others.items()}
    faster = [key for key, (_, low, _) in clocks.items() if low > 0]
    slower = sorted((found[0], key) for key, found in clocks.items() if found[2] < 0)
    says = ["- Leave the options as they are, if you want clocks: none of the others tried is "
            "faster beyond chance." if not faster else
            "- Faster than the defaults, on these cores: "
            f"{', '.join(f'{name}={value}' for name, value in faster)}."]
    if slower:
        (loss, (name, value)), *_ = slower
        says.append(f"- The option that matters most is {name}: {name}={value} costs "
                    f"{-loss:.1f} % of the clock.")
    asked_for = [(change(own, "fmax_mhz")[0], value) for (_, value), own in asked.items()]
    if asked_for and all(abs(found) < _NOTHING for found, _ in asked_for):
        says.append("- The clock that nextpnr is asked for makes no difference: its placement of "
                    "these cores is the same for all of them.")
    elif asked_for:
        loss, value = min(asked_for)
        says.append(f"- Ask nextpnr for the clock of the device, not for the one you need: asked "
                    f"for {value:g} MHz, it places cores that are {-loss:.1f} % slower.")
    eight = best_of(designs).rows[_COUNTS.index(8)]
    says.append(f"- If a clock is just missed, try seeds: the best of 8 is {eight[1]} % above the "
                "median, and 'montgomery seeds' tells the chance.")
    says.append("- To compare two designs, take the median of three seeds or more, and believe no "
                "difference that 'montgomery compare' does not confirm.")
    cores = ", ".join(f"`{arch}`" for arch in sorted(set(rows["arch"])))
    where = ", ".join(sorted(set(rows["target"])))
    widths = ", ".join(str(width) for width in sorted(set(rows["width"])))
    return "\n".join([
        "# Options of yosys and nextpnr, and seeds", "",
        f"Measured on {cores}, {widths} bits, on {where}, by `montgomery sweep results/options` "
        "and `python benchmarks/options.py`.", "", *says, "", "## One option at a time", "",
        render(effects(others), "markdown"), "## The clock that nextpnr is asked for", "",
        "Without the option, it is the limit of the clock network.", "",
        render(effects(asked), "markdown"), "## How many seeds", "",
        render(best_of(designs), "markdown")])


def main() -> None:
    """Write the document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=Path, default=Path("results/options"))
    parser.add_argument("--seeds", type=Path, default=Path("results/seeds.jsonl"))
    parser.add_argument("--output", type=Path, default=Path("results/options/advice.md"))
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.seeds.read_text().splitlines()]
    designs = [[*line["small_mhz"], *line["large_mhz"]] for line in lines if "small_mhz" in line]
    options.output.write_text(advice(load(options.rows), designs), encoding="utf-8")
    print(options.output)


if __name__ == "__main__":
    main()
