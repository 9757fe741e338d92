"""Reads models in the binary AIGER format, and runs them."""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ...outcome import StageFailed

__all__ = ["Model", "read_model"]

_NAME = re.compile(r"(.*?)(?:\[(\d+)\])?")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Model:
    """An and-inverter graph with registers, all of which are 0 at first.

    Attributes
    ----------
    inputs : tuple of pair of str and int
        The port, and the bit of it, of each input.
    latches : tuple of int
        Literal of the next value of each register.
    outputs : tuple of tuple
        Literal, port and bit of each output.
    ands : tuple of pair of int
        Literals of the operands of each gate. Operands come before what uses them.
    """

    inputs: tuple[tuple[str, int], ...]
    latches: tuple[int, ...]
    outputs: tuple[tuple[int, str, int], ...]
    ands: tuple[tuple[int, int], ...]

    def run(self, clocks: Iterable[Mapping[str, int]]) -> Iterator[dict[str, int]]:
        """Yield the values of all ports in each clock, by name, for the values of inputs.

        Bits of an input that the model does not have are left out.
        """
        state = [0] * len(self.latches)
        for given in clocks:
            values = [0, *(given.get(name, 0) >> bit & 1 for name, bit in self.inputs), *state]
            for left, right in self.ands:
                values.append((values[left >> 1] ^ left & 1) & (values[right >> 1] ^ right & 1))
            found: dict[str, int] = defaultdict(int)
            for number, (name, bit) in enumerate(self.inputs, 1):
                found[name] |= values[number] << bit
            for literal, name, bit in self.outputs:
                found[name] |= (values[literal >> 1] ^ literal & 1) << bit
            yield dict(found)
            state = [values[literal >> 1] ^ literal & 1 for literal in self.latches]


def read_model(path: Path) -> Model:
    """Return the model in a file, as yosys's ``write_aiger -zinit -symbols`` writes it.

    Raises
    ------
    StageFailed
        If it is not such a file.
    """
    try:
        return _parse(path.read_bytes())
    except (ValueError, IndexError, KeyError) as error:
        raise StageFailed(f"yosys wrote rubbish in place of a model ({error})") from None


def _parse(data: bytes) -> Model:
    header, _, rest = data.partition(b"\n")
    kind, _, inputs, latches, outputs, ands = header.split()[:6]
    if kind != b"aig":
        raise ValueError(f"it begins with {kind!r}")
    counts = {"i": int(inputs), "l": int(latches), "o": int(outputs)}
    lines = rest.split(b"\n", counts["l"] + counts["o"])
    following = [int(line.split()[0]) for line in lines[:counts["l"]]]
    driven = [int(line) for line in lines[counts["l"]:-1]]
    gates, place = [], 0
    for index in range(int(ands)):
        literal = 2 * (1 + counts["i"] + counts["l"] + index)
        left, place = _delta(lines[-1], place)
        right, place = _delta(lines[-1], place)
        gates.append((literal - left, literal - left - right))
    names: dict[str, dict[int, tuple[str, int]]] = {"i": {}, "l": {}, "o": {}}
    for line in lines[-1][place:].decode().split("\n"):
        if line[:1] not in names or not line:
            break
        number, _, symbol = line[1:].partition(" ")
        name, bit = _NAME.fullmatch(symbol).groups()
        names[line[0]][int(number)] = name, int(bit or 0)
    return Model(inputs=tuple(names["i"][number] for number in range(counts["i"])),
                 latches=tuple(following),
                 outputs=tuple((literal, *names["o"][number])
                               for number, literal in enumerate(driven)),
                 ands=tuple(gates))


def _delta(data: bytes, place: int) -> tuple[int, int]:
    """Return a number of 7 bits to a byte, and the place behind it."""
    value = shift = 0
    while True:
        value |= (data[place] & 127) << shift
        place, shift = place + 1, shift + 7
        if data[place - 1] < 128:
            return value, place
