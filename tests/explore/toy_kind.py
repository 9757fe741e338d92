"""A kind of core that the package does not have: modular addition, a number a word."""

import dataclasses

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring

from montgomery.arithmetic import check_modulus, check_operand
from montgomery.core import CoreParameters, Cycles, Signature
from montgomery.operations import Description, Operand, WholeOperation

__all__ = ["Addition", "Plain", "Wrong"]


class Adder(wiring.Component):
    """``augend + addend`` modulo the modulus."""

    def __init__(self, params):
        self._width = params.width
        super().__init__(Signature(params.width))

    def elaborate(self, platform):
        m = Module()
        first, total = Signal(self._width), Signal(self._width + 1)
        count = Signal(2)
        m.d.comb += [self.i.ready.eq(count != 3), self.o.valid.eq(count == 3),
                     self.o.payload.eq(total)]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [first.eq(self.i.payload), count.eq(count + 1)]
            with m.If(count == 1):
                m.d.sync += total.eq(first + self.i.payload)
            with m.If(count == 2):
                modulus = self.i.payload
                m.d.sync += total.eq(Mux(total >= modulus, total - modulus, total))
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += count.eq(0)
        return m


_INPUTS = {"augend": "First summand of an addition.", "addend": "Second summand of an addition.",
           "modulus": "Odd modulus."}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Addition(CoreParameters):
    """The kind: all that is asked of it."""

    kind = "adder"
    prefix = "addition"
    group = "adders"
    noun, nouns = "adder", "adders"
    operation = "addition"
    formula = "augend + addend mod modulus"
    input_help = _INPUTS
    inputs = tuple(_INPUTS)
    source = "no paper"

    result_words = 1

    @property
    def i_width(self):
        return self.width

    @property
    def o_width(self):
        return self.width

    def check_operands(self, augend, addend, modulus):
        check_modulus(modulus, width=self.width)
        check_operand("augend", augend, modulus)
        check_operand("addend", addend, modulus)

    def compute(self, augend, addend, modulus):
        self.check_operands(augend, addend, modulus)
        return (augend + addend) % modulus

    def golden(self, augend, addend, modulus):
        return (augend + addend) % modulus

    def encode(self, augend, addend, modulus):
        """Return augend, addend and modulus, a word each."""
        self.check_operands(augend, addend, modulus)
        return [augend, addend, modulus]

    def cycles_of(self, *inputs):
        return Cycles(load=3, compute=1, unload=1, interval=4)

    @property
    def longest(self):
        modulus = (1 << self.width) - 1
        return modulus - 1, modulus - 1, modulus

    @staticmethod
    def lengths(augend, addend, modulus):
        return (modulus.bit_length(),)

    def edge_operands(self):
        return [(0, 0, 3), (2, 2, 3), self.longest]

    def random_operands(self, rng, *, shorter=False):
        modulus = self.random_modulus(rng, shorter=shorter)
        return rng.randrange(modulus), rng.randrange(modulus), modulus

    def whole_operation(self, rng):
        inputs = self.random_operands(rng)
        return WholeOperation(
            inputs=dict(zip(self.inputs, inputs, strict=True)), operations=[inputs],
            result=self.compute(*inputs), golden=self.golden(*inputs), exponent_bits=0)

    def check_enumerable(self):
        """All of them are."""

    def every_operation(self, size):
        for modulus in range(3, 1 << self.width, 2):
            yield [(x, y, modulus) for x in range(modulus) for y in range(modulus)]

    def describe(self):
        meanings = {"augend": "the first summand", "addend": "the second summand",
                    "modulus": "the modulus m"}
        return Description(
            result="augend + addend mod m.", rules=[("modulus m", "odd")],
            sent="An addition is sent in 3 words.",
            operands=[Operand(name, 1, meaning, f"split({name}, 1)")
                      for name, meaning in meanings.items()],
            received="A result is one word.", conversion="There is nothing to convert.",
            timed="every addition")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plain(Addition):
    """A core of the kind."""

    summary = "two adders"

    @classmethod
    def name(cls):
        return cls.__name__.lower()

    def create(self):
        return Adder(self)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Wrong(Plain):
    """One whose model forgets the carry into the highest bit."""

    def compute(self, augend, addend, modulus):
        return super().compute(augend, addend, modulus) & ~(1 << (self.width - 1))
