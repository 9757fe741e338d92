"""An exponentiator around any multiplier whose products chain."""

import dataclasses
import functools

from ..blocks import windows
from ..core import About, Cycles, Field, Message, Traits, parameter, traits
from ..kinds.exponentiator import CONSTANT_TIME, exponent_fields, exponent_length, length_number
from ..kinds.exponentiator import Exponentiator as _Exponentiator
from ..registry import architectures
from ..units.residue import Residue, residue
from ..units.unit import Unit
from .exponentiator_component import Exponentiator
from .reader import OperandReader

__all__ = ["Exponentiator", "Parameters", "cycles"]

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


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(_Exponentiator):
    """Parameters of :class:`Exponentiator`.

    The multiplier is named by its architecture, and after it what is not the default: ``mmm_mx_1d
    arrangement=row pe_width=8``. Its words are those of the exponentiator. A ``window`` of 0 stands
    for that with the fewest products for exponents of ``width`` bits; with 1 there is a square and
    a product for each bit.
    """

    _about = About(
        source="Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery "
               "Multiplication Systolic Architecture Implemented on an FPGA; Algorithm 5 (square "
               "and multiply always, left to right), Figure 6",
        summary="fixed windows around any multiplier whose results may be its operands",
        uses_blocks=True,
        wraps=True)

    multiplier: str = parameter("mmm_mx_1d", "architecture, followed by its parameters as "
                                "KEY=VALUE")
    window: int = parameter(0, "bits of a digit of the exponent; 0 means the number that takes the "
                            "fewest products", minimum=0, maximum=windows.MOST_BITS)

    def _check_parameters(self):
        if self.unit.width < 4:
            raise ValueError(f"Words must have 4 bits or more, not {self.unit.width}; choose "
                             f"word_width=4")

    @functools.cached_property
    def inner(self):
        """:class:`montgomery.Parameters` of the multiplier."""
        name, *settings = self.multiplier.split() or [""]
        if name not in architectures():
            raise ValueError(f"Multiplier must be one of {', '.join(architectures())}, not "
                             f"{name!r}")
        cls = architectures()[name]
        types = {field.name: field.type for field in dataclasses.fields(cls)}
        given = {key: getattr(self, key) for key in ("width", "word_width") if key in types}
        legal = [key for key in types if key not in given]
        for setting in settings:
            key, _, value = setting.partition("=")
            if key not in legal:
                raise ValueError(f"A parameter of multiplier {name} must be one of "
                                 f"{', '.join(legal)}, not {key!r}")
            if types[key] is int and not value.isdecimal():
                raise ValueError(f"Parameter {key} of multiplier {name} must be an integer, not "
                                 f"{value!r}")
            given[key] = types[key](value)
        return cls(**given)

    @functools.cached_property
    def unit(self):
        """:class:`~montgomery.units.unit.Unit` of the multiplier."""
        return Unit(self.inner)

    @property
    def _traits(self):
        return Traits(products=traits(self.inner).products, inner=self.inner, advice=CONSTANT_TIME)

    @property
    def window_bits(self):
        """Bits of a digit of the exponent."""
        return self.window or windows.best_window(self.width)

    @property
    def result_words(self):
        return self.unit.words

    @property
    def slots(self):
        """What is where in the memory: names of numbers, each in a slot of a power of two words."""
        table = [f"entry {number}" for number in range(1 << self.window_bits)]
        return [*table, "power", "r_squared", *["modulus"] * (self.unit.reach > 1)]

    def compute(self, base, exponent, modulus, *, exponent_bits=None):
        self._check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        bits = exponent_length(exponent_bits, exponent)

        def product(x, y):
            return self.inner.compute(x, y, modulus)

        r_squared = self.inner.r ** 2 % modulus
        result = windows.power(product, product(r_squared, 1), product(base, r_squared), exponent,
                               bits, self.window_bits)
        return residue(self.unit, product(result, 1 << self.unit.halvings), modulus)

    def multiplications(self, base, exponent, modulus, *, exponent_bits=None):
        """Return the number of products, with those that enter and leave the Montgomery domain."""
        bits = exponent_length(exponent_bits, exponent)
        return 2 + windows.products(bits, self.window_bits)

    @property
    def operands(self):
        return Message(self.unit.width, (Field("base", self.unit.words, "the base"),))

    @property
    def key_operands(self):
        unit = self.unit
        digits, fields = exponent_fields(["exponent"], self.exponent_limit, unit.width,
                                         self.window_bits)
        fields = [*unit.key_fields, *fields,
                  Field("r_squared", unit.words, "R² mod m", "R * R % modulus")]
        if "modulus" in self.slots and all(field.name != "modulus" for field in fields):
            fields.append(Field("modulus", unit.words, "the modulus m"))
        numbers = dict.fromkeys((*self.inner.operands.numbers, *self.inner.key_operands.numbers))
        return Message(unit.width, tuple(fields), (*numbers, length_number(self), digits))

    @property
    def _results(self):
        return Message(self.unit.width, (Field("result", self.unit.words, "the result"),))

    def _cycles_of(self, base, exponent, modulus, *, exponent_bits=None):
        bits = exponent_length(exponent_bits, exponent)
        return cycles(self, windows.digit_count(bits, self.window_bits))

    @property
    def _filler_cycles(self):
        filler = super()._filler_cycles
        # A base that waits is taken before the result is there.
        return dataclasses.replace(filler, interval=filler.interval - Residue.OUTPUT)

    def create(self):
        return Exponentiator(self)
