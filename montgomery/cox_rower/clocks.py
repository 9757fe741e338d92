"""The clocks of RSA with CRT, from digits to digits."""

from ..blocks.skid import Skid
from ..core import Cycles
from .correction import Correction
from .exponentiation import digits_of, multiplications
from .front import Front
from .kept import division_clocks, index_of_set
from .sequencer import Sequencer

__all__ = ["cycles_of"]


def cycles_of(params, bits, *factors):
    """Return the :class:`montgomery.Cycles` of an operation, exactly.

    Parameters
    ----------
    params : :class:`~montgomery.cox_rower.rsa_crt.Parameters`
    bits : :class:`int`
        Length of the exponents.
    factors : :class:`int`
        p and q, or the modulus alone of a key without CRT.
    """
    sets, places, words = params.bases, params.places, params.result_words
    (multiplication, to_rns, to_digits, inverting, to_key, product,
     message_to_rns) = params.programs[index_of_set(sets, *factors)]
    crt, n = len(factors) > 1, sets[-1].n
    conversions = places.conversions if crt else places.single_conversions
    prepares = [(to_rns, len(conversions)), (inverting, params.word_width), (to_key, 1)]
    # Without CRT one product precedes those of a power, with it there are two; one follows.
    power = multiplication, multiplications(
        params.window * digits_of(bits, params.window), params.window) + 2 + crt
    runs = [(message_to_rns, 1), *[power] * len(factors)]
    if crt:
        prepares.append((multiplication, 1))
        runs.append((product, 2))
    load_key = (params.header_words + 6 * n + division_clocks(sets, *factors)
                + len(factors) * (2 * places.loaded * n + Front.READ
                                  + Sequencer.run_clocks(*prepares)))
    # With few elements the last program ends after the correction.
    compute = words + Front.READ + Sequencer.run_clocks(*runs) + Sequencer.AGAIN + max(
        to_digits.lead + to_digits.drained + params.u + Correction.clocks(words, 1) - 2 * words
        + Skid.LATENCY + 2, to_digits.clocks(1))
    return Cycles(load_key=load_key, load=words, compute=compute, unload=words,
                  interval=words + compute)
