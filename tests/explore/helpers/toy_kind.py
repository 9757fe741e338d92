"""A kind of core that the package does not have: modular addition, a number a word."""

import dataclasses

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring

from montgomery.arithmetic import check_modulus, check_operand
from montgomery.core import About, CoreParameters, Cycles, Field, Kind, Message, Signature

__all__ = ["KIND", "Addition", "Plain", "Wrong"]


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


KIND = Kind(
    name="adder", prefix="addition", group="adders", noun="adder", nouns="adders",
    operation="addition", formula="augend + addend mod modulus",
    inputs={"augend": "First summand of an addition.", "addend": "Second summand of an addition.",
            "modulus": "Odd modulus."},
    adapter="toy_operands")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Addition(CoreParameters):
    """What every adder is derived from."""

    _kind = KIND
    _about = About(source="no paper", summary="two adders")

    result_words = 1
    cycles = Cycles(load=3, compute=1, unload=1, interval=4)

    @property
    def operands(self):
        return Message(self.width, (
            Field("augend", 1, "the first summand"), Field("addend", 1, "the second summand"),
            Field("modulus", 1, "the modulus m")))

    @property
    def _results(self):
        return Message(self.width, (Field("result", 1, "the sum"),))

    def _check_operands(self, augend, addend, modulus):
        check_modulus(modulus, width=self.width)
        check_operand("augend", augend, modulus)
        check_operand("addend", addend, modulus)

    def compute(self, augend, addend, modulus):
        self._check_operands(augend, addend, modulus)
        return (augend + addend) % modulus


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plain(Addition):
    """A core of the kind."""

    @classmethod
    def _name(cls):
        return cls.__name__.lower()

    def create(self):
        return Adder(self)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Wrong(Plain):
    """One whose model forgets the carry into the highest bit."""

    def compute(self, augend, addend, modulus):
        return super().compute(augend, addend, modulus) & ~(1 << (self.width - 1))
