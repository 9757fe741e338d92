"""How large texts of figures are, and which widths are named."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import Any

__all__ = ["MOST_WIDTHS", "TEXT_SIZE", "marked", "text_points"]

#: Size of the numbers at ticks, and of the texts of legends.
TEXT_SIZE = 8
#: Largest number of widths that are all named in a panel.
MOST_WIDTHS = 8


def marked(widths: Iterable[Any]) -> list[Any]:
    """Return the widths to be named in a panel: all if they are few, or else the powers of two."""
    found = sorted(set(widths))
    if len(found) > MOST_WIDTHS:
        # More labels would overlap.
        powers = [width for width in found if width > 0 and math.log2(width).is_integer()]
        found = powers if len(powers) > 2 else found[::len(found) // MOST_WIDTHS + 1]
    return found


@functools.lru_cache(maxsize=1000)
def text_points(text: str) -> float:
    """Return the width of a text in a legend, in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=TEXT_SIZE)
    return max(text_to_path.get_text_width_height_descent(line, font, ismath=False)[0]
               for line in text.split("\n"))
