"""Chooses the simulator that is predicted to verify a core in the least time.

The prediction only depends on the size of the core and on the clocks that it will run, so that all
machines choose the same.
"""

from __future__ import annotations

from montgomery import CoreParameters
from montgomery.core import kind_of

__all__ = ["ENGINES", "choose", "predicted_clocks"]

#: Seconds to build a simulator, and of a clock: for any core, and more for each byte of RTLIL.
#: Measured on one processor at 2.5 GHz with g++ 12 and Verilator 5.48, for cores of 90 kB to 1.5 MB
#: of RTLIL (8 to 2048 bits); the times per byte in Verilator anew, with three cores of 0.8 to 1.5.
#: The runtime of Verilator takes 5 s, once per store. It counts as if four cores shared it.
_COSTS = {"cxxrtl": ((1.0, 9e-6), (0, 3.5e-12)),
          "verilator": ((1.0 + 5 / 4, 6e-6), (0.15e-6, 0.5e-12))}

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
    def seconds(engine: str) -> float:
        build, clock = (fixed + byte * rtlil_bytes for fixed, byte in _COSTS[engine])
        return build + clocks * clock

    return min(ENGINES, key=seconds)
