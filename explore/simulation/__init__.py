"""Simulation of any core against its integer model, with cycle counts measured at its ports.

A core runs either in Amaranth's own simulator or compiled, which is some hundred times faster:
yosys (CXXRTL) or Verilator turns the core into C++, which is compiled together with a loop that
drives the streams. All simulators give the same results and the same clock counts.
"""

from .amaranth import AmaranthEngine
from .attempt import expected_results
from .compiled import CompiledEngine
from .engine import Difference, Engine, Mismatch, Stimulus, Trace
from .kinds import edge_vectors, random_vectors
from .report import Report
from .run import Result, simulate, stimulus
from .verify import verify, verify_exponentiation

__all__ = ["AmaranthEngine", "CompiledEngine", "Difference", "Engine", "Mismatch", "Report",
           "Result", "Stimulus", "Trace", "edge_vectors", "expected_results", "random_vectors",
           "simulate", "stimulus", "verify", "verify_exponentiation"]
