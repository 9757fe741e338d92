"""How many clocks an exponentiation takes, from the clocks of the multiplier."""

from ..core import Cycles
from ..units.residue import Residue
from .reader import OperandReader

__all__ = ["cycles"]

#: From a base that is offered, or from a key that is complete, to the clock in which a product may
#: go: it is prepared in between.
_PREPARE = 2
#: From the last word of a result to the clock in which a product may go that is prepared, and in
#: which one may go that had to wait for it to be prepared.
_GO, _PREPARE_AND_GO = 2, 4
#: From the last word of a result to state IDLE.
_TO_IDLE = 3
#: From the last word of the last product to the clock in which that is known to have come.
_CAME = 1


def _computed(unit, window, digits, send):
    """Return the clocks from the first word of a base to the last one of the last product."""
    product, square = ((unit.interval, unit.square_interval) if unit.chains else
                       (_GO + send + unit.latency,) * 2)
    clocks = unit.latency  # enter
    if window > 1:
        clocks += square + ((1 << window) - 3) * product
        if unit.chains:
            # The third entry waits for the first one to be stored, and to be sent.
            clocks += max(unit.latency + _GO + send + 1 - square - product, 0)
    # The first square, or the last product.
    clocks += _PREPARE_AND_GO + send + unit.latency
    if digits > 1:
        clocks += (window * (digits - 1) - 1) * square + digits * product
    return clocks


def cycles(params, digits):
    """Return the :class:`~montgomery.Cycles` of an exponentiation by so many digits."""
    unit = params.unit
    # From a product that goes to its first word, where a base is joined.
    send = OperandReader.LATENCY + unit.front
    load = 1 + unit.accepts(unit.words - 1)
    compute = (_computed(unit, params.window_bits, digits, send) - (load - 1) + _CAME
               + Residue.clocks(unit, OperandReader.LATENCY) + Residue.OUTPUT)
    # R**2 times 1 goes when the key is complete, and when the multiplier has its part of it.
    begin = _PREPARE + send
    own = sum(field.words for field in unit.key_fields)
    complete = (unit.accepts(own - 1) if unit.inner.k_words else own - 1) + params.k_words - own
    sent = max(unit.in_turn(complete + 1 + begin), unit.inner.cycles.load_key)
    load_key = sent + unit.latency + _TO_IDLE + begin
    interval = load - 1 + compute + 1 + begin
    return Cycles(load_key=unit.in_turn(load_key), load=load, compute=compute, unload=unit.words,
                  interval=unit.in_turn(interval))
