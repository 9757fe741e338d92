"""Places of digits, one after the other, and over again."""

from amaranth.hdl import Mux

__all__ = ["after"]


def after(place, count, step=1):
    """Return the place a step of 0 or 1 after one of so many, which is 0 after the last one."""
    if 1 << len(place) == count:
        return place + step  # goes round by itself
    return Mux(step, Mux(place == count - 1, 0, place + 1), place)
