"""Clocks of the multi-step multiplier."""

from ..core import Cycles

__all__ = ["cycles", "initiation"]


def cycles(layout):
    return Cycles(load_key=1, load=1, compute=200, unload=1, interval=200)


def initiation(layout):
    return 200
