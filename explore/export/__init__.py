"""A core as Verilog with all that a design in Verilog needs to take it up.

Four files that go together: the core itself, a testbench that checks it, documentation of its ports
and its timing, and a core file for FuseSoC. A fifth one holds models of vendor cells, where the
core has some, and of those that it has alone.
"""

from .files import Exported, export

__all__ = ["Exported", "export"]
