"""One measured row that a command line names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..data.rowfiles import read
from ..lookup import UnknownName

__all__ = ["named_rows"]

_LEAST = 6


def named_rows(name: str, rows: Callable[[], Iterable[Mapping[str, Any]]]
               ) -> list[Mapping[str, Any]]:
    """Return the rows that a name stands for.

    Parameters
    ----------
    name : str
        ``FILE:LINE`` for a row of a file of rows, ``FILE`` for all of them, or six or more digits
        with which the seals of some of ``rows`` begin.
    rows : callable
        Returns the rows that are known by their seals.

    Raises
    ------
    UnknownName
        If there is no such row.
    ResultsError
        If the file cannot be read.
    """
    match = re.fullmatch(r"(.+):(\d+)", name)
    path = Path(match[1] if match else name)
    if path.is_file():
        found = read(path)
        if not match:
            return found
        if not 1 <= int(match[2]) <= len(found):
            raise UnknownName(f"{path} has rows 1 to {len(found)}, not {match[2]}; name one of "
                              "them")
        return [found[int(match[2]) - 1]]
    if len(name) >= _LEAST and re.fullmatch("[0-9a-f]+", name):
        found = [row for row in rows() if str(row.get("seal") or "").startswith(name)]
        if found:
            return found
    raise UnknownName(f"'{name}' is no row; name one as FILE:LINE, or by {_LEAST} or more digits "
                      "of its seal, which 'sweep --json' shows")
