"""The output of ``montgomery verify``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..pipeline.mutants import MutantReport
    from ..simulation import Report

__all__ = ["differences", "summary"]

#: Texts for :attr:`Report.constant_time`.
_CONSTANT = {True: "; the same for all", False: "; depending on the operands", None: ""}

#: Names of the simulators.
_SIMULATORS = {"verilator": "Verilator", "cxxrtl": "CXXRTL", "amaranth": "Amaranth's simulator"}


def summary(report: Report | MutantReport) -> str:
    """Return the text of a report that found no difference between core and model."""
    from montgomery.core import kind_of, name_of

    from ..pipeline.mutants import MutantReport
    from ..simulation.kinds import adapter

    core = report.params
    kind = kind_of(core)
    name = f"{kind.full_name(name_of(core))} with {core.width} bits"
    if isinstance(report, MutantReport):
        return _score(report, name)
    lines = [f"{name} agrees with its model"]
    clocks = ", ".join(f"{name} {count}" for name, count in (report.cycles or {}).items())
    if report.single:
        lines += [f"  {kind.formula}, from simulation and model: "
                  f"{adapter(core).told(report.single.model)}",
                  f"  clocks: {clocks}"]
        return "\n".join(lines)
    if report.whole:
        bits = report.whole.exponent_bits
        lines += [f"  {f'exponentiation: {bits} bits' if bits else f'longest {kind.operation}'}, "
                  f"{report.whole.clocks:,} clocks"]
    lines += [f"  {kind.operation}s: {report.vectors:,}"]
    if report.cycles:
        if bits := adapter(core).longest_exponent:
            clocks += f" for an exponent of {bits} ones"
        lines += [f"  clocks: {clocks}{_CONSTANT[report.constant_time]}"]
    lines += [f"  simulated by {_SIMULATORS[report.engine]} at {report.cycles_per_second:,.0f} "
              "clocks per second"]
    return "\n".join(lines)


def differences(message: str) -> str:
    """Return the message of a mismatch with those clock counts alone that differ."""
    # Simulation does not say it in this way, since its code is part of what a measurement is.
    return re.sub(r"Measured Cycles\((.*?)\), but the formula says Cycles\((.*?)\)", _differing,
                  message)


def _differing(match: re.Match) -> str:
    measured, formula = (dict(part.split("=") for part in counts.split(", "))
                         for counts in match.groups())
    return "; ".join(f"{name}: measured {count}, the formula says {formula[name]}"
                     for name, count in measured.items() if count != formula[name])


def _score(report: MutantReport, name: str) -> str:
    counts = report.counts
    different = counts["killed"] + counts["missed"]
    lines = [f"{name}: verification finds {counts['killed']} of the {different} faults that are "
             f"known to make a difference ({report.score:.1%})",
             f"  faults put into the core, one at a time: {sum(counts.values())}"]
    for fate, meaning in (("missed", "missed: only a verification many times as long finds them"),
                          ("equivalent", "harmless: proved to change nothing"),
                          ("undetected", "unknown: found by neither, and not proved harmless")):
        if counts[fate]:
            lines += [f"  {counts[fate]} {meaning}"]
            lines += [f"    {mutant}" for mutant in report.fates[fate] if fate != "equivalent"]
    return "\n".join(lines)
