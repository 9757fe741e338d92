"""Cores on the bus of a system: registers, an interrupt, and windows for messages.

* :mod:`~.registers`: the register map of a core, as data; documents and drivers are made of it.
* :mod:`~.shell`: what is behind the registers: memories for messages, and what moves their words.
* :mod:`~.buses`: AXI4-Lite, Wishbone and APB, and :class:`~.buses.BusCore`, a core on one of them.
* :mod:`~.axis`: a core with the names of AXI4-Stream, without registers.
"""

from .axis import AxisCore
from .buses import BUSES, BusCore
from .registers import RegisterMap

__all__ = ["BUSES", "AxisCore", "BusCore", "RegisterMap"]
