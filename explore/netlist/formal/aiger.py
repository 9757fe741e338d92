"""Reads models in the AIGER format for people, and runs them."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ...outcome import StageFailed

__all__ = ["Model", "read_model"]

_NAME = re.compile(r"(.*?)(?:\[(\d+)\])?")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Model:
    """An and-inverter graph with registers, all of which are 0 at first.

    An input is a port and a bit of it; a latch the literal of the next value of a register; an
    output a literal, a port and a bit. A gate has the literals of its operands, which come before
    what uses them.
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
    """Return the model in a file, as yosys's ``write_aiger -ascii -zinit -symbols`` writes it.

    :exc:`StageFailed` is raised if it is no such file.
    """
    try:
        return _parse(path.read_text().splitlines())
    except (ValueError, IndexError, KeyError) as error:
        raise StageFailed(f"yosys wrote rubbish in place of a model ({error})") from None


def _parse(lines: Sequence[str]) -> Model:
    kind, _, *counts = lines[0].split()
    if kind != "aag":
        raise ValueError(f"it begins with {kind!r}")
    inputs, latches, outputs, ands = map(int, counts[:4])
    rest = iter(lines[1 + inputs:])
    following = [int(line.split()[1]) for line in itertools.islice(rest, latches)]
    driven = [int(line) for line in itertools.islice(rest, outputs)]
    gates = [tuple(map(int, line.split()[1:])) for line in itertools.islice(rest, ands)]
    names: dict[str, tuple[str, int]] = {}
    for line in itertools.takewhile(lambda line: line[:1] in ("i", "l", "o"), rest):
        number, _, symbol = line.partition(" ")
        name, bit = _NAME.fullmatch(symbol).groups()
        names[number] = name, int(bit or 0)
    # What may have any value is an input without a name.
    return Model(inputs=tuple(names.get(f"i{number}", ("", number)) for number in range(inputs)),
                 latches=tuple(following),
                 outputs=tuple((literal, *names[f"o{number}"])
                               for number, literal in enumerate(driven)),
                 ands=tuple(gates))
