"""The boards as text, for all commands that list them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._columns import columns

if TYPE_CHECKING:
    from boards.catalogue import Board

__all__ = ["board_lines"]


def board_lines(boards: dict[str, Board], *, everything: bool = False,
                indent: int = 2) -> list[str]:
    """Return a line for each board that a bitstream can be built for, and one for all others.

    Parameters
    ----------
    everything : bool
        Whether each of the others gets a line of its own, with the reason.
    """
    lines = columns([(name, board.target, board.package, f"{board.clock_mhz:g} MHz", _serial(board))
                     for name, board in boards.items() if not board.obstacle], indent)
    others = [(f"{name}:", board.obstacle) for name, board in boards.items() if board.obstacle]
    if everything and len(others) == 1:
        (name, reason), = others
        return [*lines, f"{' ' * indent}No bitstream can be built for {name} {reason}"]
    rest = f"{' ' * indent}No bitstream can be built for {len(others)} other boards"
    if not everything:
        return [*lines, f"{rest}; 'montgomery board list --all' says why"]
    return [*lines, f"{rest}:", *columns(others, indent + 2)]


def _serial(board: Board) -> str:
    if board.uart:
        return "UART"
    if board.adapter:
        return (board.adapter.note or
                f"serial adapter on RX,TX = {board.adapter.rx},{board.adapter.tx}")
    return "serial adapter on the pins of --uart-pins"
