"""Chooses the simulator that is predicted to verify a core in the least time.

The prediction only depends on the size of the core and on the clocks that it will run, so that all
machines choose the same.
"""

from __future__ import annotations

import dataclasses

from montgomery import CoreParameters
from montgomery.core import kind_of

__all__ = ["ENGINES", "choose", "predicted_clocks"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Cost:
    """The time that a simulator takes for a core whose RTLIL has a number of bytes: to build the
    simulator, and for a clock; for any core, and more for each byte.
    """

    fixed_s: float
    byte_s: float
    clock_s: float
    byte_clock_s: float

    def seconds(self, rtlil_bytes: int, clocks: int) -> float:
        return (self.fixed_s + self.byte_s * rtlil_bytes
                + clocks * (self.clock_s + self.byte_clock_s * rtlil_bytes))


#: Measured on one processor at 2.5 GHz with g++ 12 and Verilator 5.48, for cores of 90 kB to 1.5 MB
#: of RTLIL (8 to 2048 bits); the times per byte in Verilator anew, with three cores of 0.8 to 1.5.
#: The runtime of Verilator takes 5 s, once per store. It counts as if four cores shared it.
_COSTS = {
    "cxxrtl": _Cost(fixed_s=1.0, byte_s=9e-6, clock_s=0, byte_clock_s=3.5e-12),
    "verilator": _Cost(fixed_s=1.0 + 5 / 4, byte_s=6e-6, clock_s=0.15e-6, byte_clock_s=0.5e-12)}

#: Names of the simulators that are compiled.
ENGINES = tuple(_COSTS)
#: Operations of full length that take about as many clocks as one verification, by kind of core.
#: Other kinds have operations of all lengths, most of which are short.
_VERIFICATION = {"multiplier": 4000, "scalar_multiplication": 1000, "base_multiplication": 1000,
                 "ecdsa_verification": 1500, "eddsa_verification": 1500}
_SHORT = 80


def predicted_clocks(params: CoreParameters, operations: int | None = None) -> int:
    """Return about how many clocks a core takes for operations of full length.

    Without a number they are those of a verification in a sweep.
    """
    if operations is None:
        operations = _VERIFICATION.get(kind_of(params).name, _SHORT)
    cycles = params.cycles
    return operations * max(cycles.interval, cycles.load + cycles.compute)


def choose(rtlil_bytes: int, clocks: int) -> str:
    """Return the name of the simulator that is predicted to take the least time."""
    return min(ENGINES, key=lambda engine: _COSTS[engine].seconds(rtlil_bytes, clocks))
