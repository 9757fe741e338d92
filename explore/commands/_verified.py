"""What ``montgomery verify`` says of a core that does what its model says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from montgomery import CoreParameters

__all__ = ["summary"]

#: By what is found of the time.
_CONSTANT = {True: "; the same for all", False: "; depending on the operands", None: ""}


def summary(report: dict, core: CoreParameters) -> str:
    """Return what the report of a verification that found no fault says, as text."""
    from montgomery import KINDS

    kind = KINDS[core.kind]
    name = f"{kind.full_name(report['arch'])} with {report['width']} bits"
    if "mutants" in report:
        return _score(report, name)
    lines = [f"{name} agrees with its model"]
    clocks = ", ".join(f"{name} {count}" for name, count in (report["cycles"] or {}).items())
    if "simulation" in report:
        lines += [f"  {kind.result}, from simulation and model: {report['model']}",
                  f"  clocks: {clocks}"]
        return "\n".join(lines)
    if "exponent_bits" in report:
        lines += [f"  exponentiation: {report['exponent_bits']} bits, {report['clocks']:,} clocks"]
    lines += [f"  {kind.operation}s: {report['vectors']:,}"]
    if report["cycles"]:
        if core.longest_exponent:
            clocks += f" for an exponent of {core.longest_exponent} ones"
        lines += [f"  clocks: {clocks}{_CONSTANT[report['constant_time']]}"]
    how = "compiled" if report["engine"] == "compiled" else "by Amaranth's simulator"
    lines += [f"  simulated {how} at {report['cycles_per_second']:,.0f} clocks a second"]
    return "\n".join(lines)


def _score(report: dict, name: str) -> str:
    lines = [f"{name}: verification finds {report['score']:.1%} of the faults that make a "
             "difference",
             f"  mutants: {report['mutants']}, of which killed {report['killed']}, "
             f"missed {report['missed']}, proved equivalent {report['equivalent']}, "
             f"undetected {report['undetected']}"]
    for fate, mutants in report["survivors"].items():
        lines += [f"  {fate}: {mutant}" for mutant in mutants]
    return "\n".join(lines)
