"""What the commands for boards share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import Refusal
from ...lookup import known
from .._names import BOARD_OPTIONS
from .._options import any_core_options, one_point, together

if TYPE_CHECKING:
    from boards.catalogue import Board

    from ...points.point import Point

__all__ = ["board_named", "point_for", "point_options"]


#: The options that name a core by its parameters, or by a row of the store.
point_options = together(
    any_core_options,
    click.option("-o", "--option", "options", metavar="KEY=VALUE", multiple=True,
                 type=BOARD_OPTIONS,
                 help="An option of yosys and nextpnr, such as placer_weight=10; 'montgomery list "
                      "NAME' names the options of a target."),
    click.option("--row", metavar="KEY",
                 help="Take the core and its tool options from a measured row of the store. KEY is "
                      "the row's key, or the beginning of it; 'montgomery table --columns key "
                      "--per-seed' shows the keys."))


def board_named(name: str) -> Board:
    """Return a board for which bitstreams can be built.

    Raises
    ------
    ValueError
        If there is none of that name, or it cannot be built for; the message says why.
    """
    from boards.catalogue import boards

    usable = [each.name for each in boards().values() if not each.obstacle]
    board = boards().get(name) or boards()[known("board", name, usable)]
    if board.obstacle:
        raise Refusal(f"No bitstream can be built for {name}: {board.obstacle}; 'montgomery "
                      "board list' names the boards that can be used")
    return board


def point_for(board: Board, store_path: Path | None, arch: str | None, width: str | None,
              params: tuple[str, ...], options: tuple[str, ...], row: str | None) -> Point:
    """Return the point that :data:`point_options` name, for the FPGA of a board.

    Raises
    ------
    ValueError, click.UsageError
        If it is not one point.
    """
    from montgomery import KINDS

    from ...board.bitstream import options_of, target_of

    idle = target_of(board).options.keys() - options_of(board)
    for name in (text.partition("=")[0].strip() for text in options):
        if name in idle:
            raise Refusal(f"board build takes no option {name}, since nextpnr is asked for the "
                          "frequency of the board's clock; give that with --clock")
    if row is not None:
        if arch or width or params:
            raise click.UsageError("--row names a core with its parameters; leave out -a, -n, -p")
        chosen = _row(store_path, row)
        arch = KINDS[chosen["kind"]].full_name(chosen["arch"])
        width = str(chosen["width"])
        params = tuple(f"{key}={value}" for key, value in chosen["params"].items())
        if target_of(board).family.name == _family(chosen["target"]):
            own = [f"{key}={value}" for key, value in chosen["options"].items() if key not in idle]
            options = (*(text for text in own
                         if text.partition("=")[0] not in {o.partition("=")[0] for o in options}),
                       *options)
    if not (arch and width):
        raise click.UsageError("Name the core by -a and -n, or by --row")
    return one_point("board build", arch, width, params, target_of(board).name, options)


def _family(target: str) -> str | None:
    from ...devices import targets

    return targets()[target].family.name if target in targets() else None


def _row(store_path: Path | None, key: str) -> dict[str, Any]:
    from ...data.stored import stored_rows
    from ...store import Store

    if not key:
        raise click.UsageError("--row must be the key of a row, or its beginning, and not empty")
    with Store(store_path).open(create=False, writable=False) as store:
        found = [row for row in stored_rows(store) if row["key"] and row["key"].startswith(key)]
    if not found:
        raise Refusal(f"No row of the store has a key that begins with '{key}'; 'montgomery "
                      "table --columns key --per-seed' shows the keys")
    if len({row["key"] for row in found}) > 1:
        raise Refusal(f"{len(found)} rows of the store have keys that begin with '{key}'; give "
                      "more of it")
    return found[0]
