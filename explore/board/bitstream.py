"""What a bitstream of a core for a board is, and for which target it is made."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boards.catalogue import Board, boards
from boards.clock import Clock

from ..atomic import atomic_write
from ..devices import Option, Target, families, targets
from ..errors import Refusal
from ..lookup import known
from ..points.point import Point

__all__ = ["RECORD", "Bitstream", "board_named", "options_of", "target_of"]

#: The file beside a bitstream that says what it is.
RECORD = "board.json"


def board_named(name: str) -> Board:
    """Return a board for which bitstreams can be built, or refuse its name and say why."""
    usable = [each.name for each in boards().values() if not each.obstacle]
    board = boards().get(name) or boards()[known("board", name, usable)]
    if board.obstacle:
        raise Refusal(f"No bitstream can be built for {name}: {board.obstacle}; 'montgomery "
                      "list boards' names the boards that can be used")
    return board


def target_of(board: Board) -> Target:
    """Return the target of a board: its FPGA, else one of the same die, else of the same limits."""
    if board.target in targets():
        return targets()[board.target]
    family = families()[known("family", board.family, families())]
    return family.stand_in(board.target) if family.stand_in else targets()[
        known("target", board.target, targets())]


def options_of(board: Board) -> Mapping[str, Option]:
    """Return the tool options that bear on a bitstream for a board, by name.

    An option that says which frequency nextpnr is asked for does not: it is that of the clock.
    """
    return {name: option for name, option in target_of(board).options.items()
            if option.where != "constraint"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Bitstream:
    """A bitstream that meets its timing.

    It runs at ``clock_mhz``, and nextpnr reached ``fmax_mhz`` with a seed of the placer. The store
    keeps its files in ``folder``, where ``file`` is the bitstream. ``used`` are resources of the
    FPGA by nextpnr's names. ``limit`` says which part of the design limits the clock, and between
    which signals; it is empty if that is not known. ``missed_mhz`` are frequencies between the two
    that other builds were made for, whose timing was not met.
    """

    board: Board
    point: Point
    clock: Clock
    fmax_mhz: float
    seed: int
    baud: int
    folder: Path
    file: str
    used: dict[str, int]
    limit: str
    key: str
    versions: dict[str, str]
    note: str
    missed_mhz: tuple[float, ...] = ()

    @property
    def clock_mhz(self) -> float:
        return float(self.clock.output_mhz)

    @property
    def record(self) -> dict[str, Any]:
        """What is known of it, as a JSON-able dictionary."""
        params = dict(self.point.params)
        return {"schema": 1, "board": self.board.name, "arch": self.point.arch,
                "kind": self.point.kind, "width": params.pop("width"), "params": params,
                "target": self.board.target, "clock_mhz": self.clock_mhz,
                "frequency_hz": round(self.clock.frequency_hz),
                "fmax_mhz": self.fmax_mhz, "seed": self.seed, "baud": self.baud, "file": self.file,
                "bytes": (self.folder / self.file).stat().st_size, "used": self.used,
                "limit": self.limit,
                "note": self.note, "key": self.key, "versions": self.versions}

    def copy(self, output: Path) -> Path:
        """Copy the files to a folder, which is made if need be; return the bitstream's path."""
        output.mkdir(parents=True, exist_ok=True)
        for path in self.folder.iterdir():
            with atomic_write(output / path.name) as partial:
                shutil.copyfile(path, partial)
        with atomic_write(output / RECORD) as partial:
            partial.write_text(json.dumps(self.record, indent=1) + "\n", encoding="utf-8")
        return output / self.file
