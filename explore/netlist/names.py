"""The numbers that stand for names in what tools are given of a core."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["NUMBERED", "with_names"]

#: A number of :class:`explore.netlist.hardware.Hardware`, which yosys extends to names of cells.
NUMBERED = re.compile(r"(?<![\w.])[nc]\d+(?![a-zA-Z\d])")


def with_names(text: str, names: Mapping[str, str]) -> str:
    """Return a text with names in place of the numbers that stand for them, where there is one."""
    return NUMBERED.sub(lambda match: names.get(match[0], match[0]), text)
