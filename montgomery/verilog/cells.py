"""Cells of yosys that have no state, as expressions of Amaranth."""

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Cat, Const, Mux

__all__ = ["Cell", "number"]

_BITWISE = {"$and": lambda a, b: a & b, "$or": lambda a, b: a | b, "$xor": lambda a, b: a ^ b,
            "$xnor": lambda a, b: ~(a ^ b)}
_ARITHMETIC = {"$add": lambda a, b: a + b, "$sub": lambda a, b: a - b, "$mul": lambda a, b: a * b}
_DIVISION = {"$div": lambda a, b: a // b, "$mod": lambda a, b: a % b}
_COMPARISONS = {"$lt": lambda a, b: a < b, "$le": lambda a, b: a <= b, "$eq": lambda a, b: a == b,
                "$ne": lambda a, b: a != b, "$ge": lambda a, b: a >= b, "$gt": lambda a, b: a > b,
                "$eqx": lambda a, b: a == b, "$nex": lambda a, b: a != b,
                "$logic_and": lambda a, b: a.any() & b.any(),
                "$logic_or": lambda a, b: a.any() | b.any()}
_REDUCTIONS = {"$reduce_and": lambda a: a.all(), "$reduce_or": lambda a: a.any(),
               "$reduce_bool": lambda a: a.any(), "$reduce_xor": lambda a: a.xor(),
               "$reduce_xnor": lambda a: ~a.xor(), "$logic_not": lambda a: ~a.any()}
_LATCHES = ("$dlatch", "$adlatch", "$dlatchsr", "$sr")


def number(text: str) -> int:
    """Return a parameter of a cell as a number; what is undefined or missing in it is 0."""
    return int(f"0{text}".replace("x", "0").replace("z", "0"), 2)


class Cell:
    """A cell without state.

    Parameters
    ----------
    netlist : Netlist
        What it is in.
    cell : dict
        The cell as yosys' JSON has it.

    Attributes
    ----------
    result : Value
        The value of its output.

    Raises
    ------
    ValueError
        If it has state, or is not known.
    """

    def __init__(self, netlist: Any, cell: Mapping[str, Any]) -> None:
        self._netlist, self._cell = netlist, cell
        self._parameters = cell["parameters"]
        kind = self._kind = cell["type"]
        if kind in _LATCHES:
            raise ValueError(f"{netlist.name} has a latch at {self._place}; a register must have a "
                             "clock, and each branch must assign")
        if not kind.startswith("$"):
            raise ValueError(f"{netlist.name} uses {kind} at {self._place}, which is in none of "
                             "the sources")
        self._y_width = len(cell["connections"].get("Y", ()))
        self.result = self._made()

    @property
    def _place(self):
        return self._cell["attributes"].get("src", "an unknown line").split("|")[0]

    def _port(self, name):
        return self._netlist.port(self._cell, name)

    def _is_signed(self, name):
        return number(self._parameters.get(f"{name}_SIGNED", "0"))

    def _wide(self, name, width, signed):
        """Return an input in so many bits, extended by its sign or by zeros."""
        value = self._port(name)
        if len(value) >= width:
            return value[:width]
        return Cat(value, (value[-1] if signed else Const(0, 1)).replicate(width - len(value)))

    def _made(self):
        kind, y = self._kind, self._y_width
        if kind in _REDUCTIONS:
            return _REDUCTIONS[kind](self._port("A"))
        if kind in ("$not", "$pos", "$neg"):
            a = self._wide("A", y, self._is_signed("A"))
            return {"$not": lambda: ~a, "$pos": lambda: a, "$neg": lambda: -a}[kind]()
        if kind == "$mux":
            return Mux(self._port("S"), self._port("B"), self._port("A"))
        if kind == "$pmux":
            return self._chosen()
        if kind in ("$shl", "$sshl", "$shr", "$sshr", "$shift", "$shiftx"):
            return self._shifted()
        signed = bool(self._is_signed("A") and self._is_signed("B"))
        if kind in _BITWISE:
            return _BITWISE[kind](self._wide("A", y, signed), self._wide("B", y, signed))
        numbers = {**_ARITHMETIC, **_COMPARISONS, **({} if signed else _DIVISION)}
        if kind in numbers:
            return numbers[kind](*(self._port(name).as_signed() if signed else self._port(name)
                                   for name in "AB"))
        raise ValueError(f"{self._netlist.name} has at {self._place} what is not supported "
                         f"({kind} of yosys)")

    def _chosen(self):
        a, b, s = self._port("A"), self._port("B"), self._port("S")
        # At most one bit of s is high.
        width = len(a)
        result = Mux(s.any(), 0, a)
        for index, bit in enumerate(s):
            result = result | Mux(bit, b[index * width:(index + 1) * width], 0)
        return result

    def _shifted(self):
        kind, y = self._kind, self._y_width
        b = self._port("B")
        left, signed = kind in ("$shl", "$sshl"), self._is_signed("A")
        width = y if left else max(y, len(self._port("A")))
        a = self._wide("A", width, signed)
        fill = a[-1] if kind == "$sshr" and signed else Const(0, 1)
        if kind in ("$shift", "$shiftx") and self._is_signed("B"):
            right = self._moved(a, b[:-1], False, fill)[:y]
            return Mux(b[-1], self._moved(self._wide("A", width, signed), (-b)[:len(b)], True,
                                          fill)[:y], right)
        return self._moved(a, b, left, fill)[:y]

    def _moved(self, a, by, left, fill):
        """Return a number moved by an amount, with what is moved in."""
        bits = min(len(by), len(a).bit_length())
        near, far = by[:bits], by[bits:]
        moved = a << near if left else Cat(a, fill.replicate((1 << bits) - 1)) >> near
        return Mux(far.any(), fill.replicate(len(a)), moved[:len(a)])
