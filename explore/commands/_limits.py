"""Options that give limits to what cores may take, and how fast they must be."""

from __future__ import annotations

from collections.abc import Mapping

from ._command import grouped
from ._types import Number

__all__ = ["given_limits", "limit_options"]

limit_options = grouped(
    "Limits",
    (["--max-lut"], {"type": Number(0), "metavar": "N", "help": "Use at most N LUTs."}),
    (["--max-ff"], {"type": Number(0), "metavar": "N", "help": "Use at most N registers."}),
    (["--max-dsp"], {"type": Number(0), "metavar": "N", "help": "Use at most N DSP blocks."}),
    (["--max-bram"], {"type": Number(0), "metavar": "N", "help": "Use at most N block RAMs."}),
    (["--max-us", "max_latency_us"], {
        "type": Number(0), "metavar": "US", "help": "Have a latency of at most US µs."}),
    (["--min-mhz"], {
        "type": Number(0), "metavar": "MHZ",
        "help": "Reach a usable clock of at least MHZ MHz, if the core shares its clock with "
                "other logic."}),
    (["--constant-time"], {
        "is_flag": True,
        "help": "Take a time that does not depend on the operands."}))


def given_limits(limits: Mapping[str, float | None]) -> dict[str, float]:
    """Return the limits that stand on the command line."""
    return {name: value for name, value in limits.items() if value is not None}
