# amaranth: UnusedElaboratable=no
"""Multipliers that a TOML file describes; :mod:`.module` derives a class from one of these."""

import dataclasses
import functools
from collections.abc import Mapping

from ..core import Cycles, Field, Message, Number, Traits, ceil_div
from ..kinds.multiplier import Multiplier, r_number
from . import components
from .description import expressions, names_in
from .netlist import Netlist
from .reading import FromSources

__all__ = ["Described", "Handshake", "Streams"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Described(FromSources, Multiplier):
    """What all of them have in common. The result is x y R⁻¹ modulo m.

    If the bound is above the modulus, the result is (x y + q m) / R, where q is the number below R
    that makes the division exact: so it is whatever the radix, as long as nothing is subtracted.
    """

    def _check_parameters(self):
        if self.r < 1 or self.r & self.r - 1:
            raise ValueError(f"r must be a power of two, not {self.r}; it is 1 where the core "
                             "multiplies modulo m in the usual sense")
        if self._largest >> self.width:
            raise ValueError(f"Width must be {self._largest.bit_length()} or more, for the one "
                             f"modulus of the core, not {self.width}")
        bound = self.bound(self._largest)
        if bound < self._largest:
            raise ValueError(f"bound must be the modulus or more, not {bound} for the modulus "
                             f"{self._largest}")
        operands = {"x": bound - 1, "y": bound - 1, "modulus": self._largest, "R": self.r}
        for key in expressions(self._description):
            if key.startswith(("inputs.", "streams.")):
                self.value_of(key, **operands)

    @functools.cached_property
    def r(self):
        return self.value_of("r")

    def bound(self, modulus):
        return self.value_of("bound", modulus=modulus) if "bound" in self._description else modulus

    @property
    def result_bits(self) -> int:
        """Bits of the largest operand and result."""
        return (self.bound(self._largest) - 1).bit_length()

    @property
    def result_words(self):
        return ceil_div(self.result_bits, self.word_width)

    @property
    def _largest(self):
        return getattr(self, "only_modulus", (1 << self.width) - 1)

    @property
    def _traits(self):
        return Traits(initiation=self.cycles.interval,
                      reach=ceil_div(self.bound(self._largest), self._largest))

    @property
    def _numbers(self):
        given = [Number(name, f"{value}, a parameter", repr(value))
                 for name, value in dataclasses.asdict(self).items()]
        return (r_number(self.r), *given)

    def field(self, name: str, expression: str, bits: int) -> Field:
        """Return the part of a message with the value of an expression, which has so many bits."""
        return Field(name, ceil_div(bits, self.word_width), f"`{expression}`",
                     "" if expression == name else expression)

    def compute(self, x, y, modulus):
        self._check_operands(x, y, modulus)
        product = x * y
        product += -product * pow(modulus, -1, self.r) % self.r * modulus if self.r > 1 else 0
        result = product // self.r
        return result % modulus if self.bound(modulus) <= modulus else result

    def netlist(self) -> Netlist:
        """Return the top module, as yosys reads it for these parameters."""
        return self.netlist_of(self._description["ports"]["clock"], R=self.r)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Handshake(Described):
    """A multiplier with wide ports, which begins at ``start`` and says when it is ``done``.

    An input that depends on the modulus alone comes with the key; one that depends on no operand
    is constant.
    """

    def _check_parameters(self):
        super()._check_parameters()
        for port, bits in self.bits.items():
            if bits < 1:
                raise ValueError(f"inputs.{port}.bits must be 1 or more, not {bits}")
        if "clocks" in self._description and self.clocks < 1:
            raise ValueError(f"clocks must be 1 or more, not {self.clocks}")

    @functools.cached_property
    def _places(self):
        """From each port of the core to where it comes from, its expression, and its bits."""
        found = {}
        said = expressions(self._description)
        for port in self._description["inputs"]:
            expression = said[f"inputs.{port}"]
            names = names_in(port, expression)
            place = ("i" if {"x", "y"} & names else
                     "k" if "modulus" in names and "modulus" not in self._description else "")
            bits = self.result_bits if expression in ("x", "y") else self.width
            if f"inputs.{port}.bits" in said:
                bits = self.value_of(f"inputs.{port}.bits", R=self.r)
            found[port] = place, expression, bits
        return found

    @property
    def bits(self) -> Mapping[str, int]:
        """From each port of the core to the bits of what it is given."""
        return {port: bits for port, (_, _, bits) in self._places.items()}

    @functools.cached_property
    def inputs(self) -> Mapping[str, Mapping[str, Field]]:
        """From ``i`` and ``k`` to the fields of their messages, by port of the core."""
        found: dict[str, dict[str, Field]] = {"i": {}, "k": {}}
        for port, (place, expression, bits) in self._places.items():
            if place:
                taken = {field.name for field in found[place].values()}
                name = expression if expression.isidentifier() else port
                found[place][port] = self.field(port if name in taken else name, expression, bits)
        return found

    @property
    def constants(self) -> Mapping[str, int]:
        """From ports of the core to what they are given in each multiplication."""
        fixed = {"modulus": self.only_modulus} if "modulus" in self._description else {}
        return {port: self.value_of(f"inputs.{port}", R=self.r, **fixed)
                for port, (place, _, _) in self._places.items() if not place}

    @functools.cached_property
    def operands(self):
        return Message(self.word_width, tuple(self.inputs["i"].values()), self._numbers)

    @functools.cached_property
    def key_operands(self):
        fields = tuple(self.inputs["k"].values())
        return Message(self.word_width, fields, self._numbers) if fields else Message(0)

    @functools.cached_property
    def clocks(self) -> int:
        """Clocks from ``start`` to ``done``: what the description says, or else as measured."""
        said = "clocks" in self._description
        return self.value_of("clocks") if said else components.measured(self)

    @property
    def cycles(self):
        load, compute, unload = self.i_words, self.clocks + 2, self.result_words
        return Cycles(load_key=self.k_words + 1 if self.k_words else 0, load=load,
                      compute=compute, unload=unload, interval=load + compute + unload - 1)

    def create(self):
        return components.HandshakeMultiplier(self)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Streams(Described):
    """A multiplier with streams that keep the rules of :class:`montgomery.Signature`."""

    def _check_parameters(self):
        super()._check_parameters()
        for name in self._description["cycles"]:
            if self._clocks(name) < 0:
                raise ValueError(f"cycles.{name} must be 0 or more, not {self._clocks(name)}")

    def _message(self, name):
        said = self._description["streams"].get(name)
        fields = () if said is None else tuple(
            self.field(each if each.isidentifier() else f"{name}{index}", each, self.result_bits)
            for index, each in enumerate(said["fields"]))
        return Message(self.word_width, fields, self._numbers) if fields else Message(0)

    @functools.cached_property
    def operands(self):
        return self._message("i")

    @functools.cached_property
    def key_operands(self):
        return self._message("k")

    def _clocks(self, name):
        return self.value_of(f"cycles.{name}", i_words=self.i_words, k_words=self.k_words,
                             result_words=self.result_words)

    @property
    def cycles(self):
        return Cycles(**{name: self._clocks(name) for name in self._description["cycles"]
                         if name != "initiation"})

    @property
    def _traits(self):
        traits = super()._traits
        if "initiation" in self._description["cycles"]:
            return dataclasses.replace(traits, initiation=self._clocks("initiation"))
        return traits

    def create(self):
        return components.StreamsMultiplier(self)
