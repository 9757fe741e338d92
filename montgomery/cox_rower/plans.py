"""What a Rower does in each clock of what is no multiplication."""

import functools
import itertools

from .schedule import Schedule
from .steps import (
    CONVERSION,
    CONVERSION_OF_BOTH,
    DIGITS,
    DIGITS_OF_BOTH,
    INVERSION,
    KEY,
    PRODUCT,
    READ,
    Bank,
)

__all__ = ["conversion", "inversion", "key", "product"]


def conversion(n, u, latency, *, to_rns, crt=False):
    """Return the :class:`Schedule` of Equation 8, or of Equation 9.

    With CRT, numbers have twice as many digits, and Equation 9 is of residues in both bases. For
    Equation 8, x is digits, and the result has to be another number. Conversions do not
    overlap: between the last clock in which something is done and ``interval`` there is time for
    what precedes clock 0.
    """
    slots, around = n // u, 3 * (latency + READ)
    if to_rns:
        return Schedule(n, u, latency, slots * 2 * (1 + crt) * n + around,
                        CONVERSION_OF_BOTH if crt else CONVERSION)
    if crt:
        return Schedule(n, u, latency, slots * 4 * (n + 1) + around, DIGITS_OF_BOTH)
    return Schedule(n, u, latency, slots * (n + 1) + around, DIGITS)


@functools.cache
def inversion(n, u, latency):
    """Return the :class:`Schedule` of a step of N**-1, each of which takes x from the one before.

    In time for the next one, x has been read. What precedes clock 0 of the first step has no
    product in it, which would be taken for one of a step: by these, the bits of the exponents are
    counted.
    """
    for interval in itertools.count(2 * (latency + READ)):
        try:
            plan = Schedule(n, u, latency, interval, INVERSION)
        except ValueError:
            continue
        last_read = max(clock for clock, (bank, _) in plan.reads.items()
                        if bank in (Bank.X_B, Bank.Y_B))
        if last_read < interval - 2 * (READ + 1) and max(plan.products) < interval - (READ + 1):
            return plan


def product(n, u, latency):
    """Return the :class:`Schedule` of a product in both bases; they do not overlap.

    Each factor that is read takes a clock: 4 n / u of them, which with many elements a Rower is
    longer than what there is to wait for.
    """
    slots, wait = n // u, latency + READ
    return Schedule(n, u, latency, max(2 * slots + 3 * wait, 4 * slots + wait), PRODUCT)


def key(n, u, latency):
    """Return the :class:`Schedule` of what is made of N and N**-1."""
    return Schedule(n, u, latency, 2 * (n // u) + 3 * (latency + READ), KEY)
