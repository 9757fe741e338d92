"""Clocks of RSA, on paper: the sum of what its parts take.

Multiplications take what their :class:`~montgomery.cox_rower.schedule.Schedule` says, and divisions
what the :class:`~montgomery.cox_rower.divider.Divider` takes. Conversions are base transformations
in all but name: for Equation 8 the words of the number go round in the place of the ξ, and for
Equation 9 the sums are words of the number instead of residues.

With r = 32, u = 11, a latency of 11 and windows of four bits, beside those of the hardware from the
last word of the message to the first one of the result, with bases of one size and windows of four
and of five bits, and the paper's times at 80 MHz:

====================  ===========  ===========  ===========  ===========
RSA                   parts        hardware, 4  hardware, 5  paper
====================  ===========  ===========  ===========  ===========
1024 bits             303,867      303,853      295,628      336,000
1024 bits with CRT    186,154      150,624      149,014      192,000
2048 bits             2,168,831    2,168,778    2,097,123    2,336,000
2048 bits with CRT    675,802      608,452      592,002      712,000
4096 bits with CRT    4,605,302    4,340,202    4,196,892    4,832,000
====================  ===========  ===========  ===========  ===========

On a core for keys of both kinds, with bases for 4096 bits with CRT and shorter ones, RSA without it
takes 304,679 and 296,454 clocks for 1024 bits, and 2,171,035 and 2,099,380 for 2048 bits.

What depends on the key alone is not counted, as in the paper. With CRT, the parts have the paper's
divisions of the message by p and q; the hardware has two more multiplications instead.
"""

from montgomery.core import ceil_div
from montgomery.cox_rower.divider import Divider
from montgomery.cox_rower.exponentiation import multiplications
from montgomery.cox_rower.schedule import schedule

__all__ = ["rsa"]

#: Clocks from one step to another, generously.
_PAUSE = 20


def rsa(sets, bits, *, crt, latency=11):
    """Return the clocks of each part of Figure 4, or of Figure 5 with CRT.

    Parameters
    ----------
    sets : :class:`~montgomery.cox_rower.sets.BaseSets`
    bits : :class:`int`
        Length of the modulus, whose factors are half as long.
    latency : :class:`int`
        Of a Rower.

    Returns
    -------
    dict from :class:`str` to :class:`int`
    """
    factor_bits = bits // 2 if crt else bits
    n, u = sets.for_bits(factor_bits).bases.n, sets.u
    slots, words = n // u, ceil_div(bits, sets.r)
    interval = schedule(n, u, latency).interval
    # One by B**2, and the last one by 1 or, in Figure 5, by the inverse of the other factor.
    count = multiplications(factor_bits) + 2
    to_rns = n + 2 * slots * n + _PAUSE
    digits = (2 if crt else 1) * n  # which are also as many elements
    to_radix = 2 * slots + digits // u * digits + _PAUSE
    parts = {
        "multiplications": (2 if crt else 1) * (count * interval + _PAUSE),
        "radix to RNS": (2 if crt else 1) * to_rns,
        "RNS to radix": to_radix + (2 * slots if crt else 0),
        # A digit at a time: carries, and a subtraction of each multiple of two that can be.
        "carries and correction": (3 if crt else 2) * digits + _PAUSE,
    }
    if crt:
        parts["divisions"] = 2 * Divider.clocks(words, ceil_div(factor_bits, sets.r), sets.r)
    return parts
