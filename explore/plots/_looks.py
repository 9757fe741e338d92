"""The look of each core: one colour and mark in every figure, table and page; sizes of texts."""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

__all__ = ["MOST_WIDTHS", "TEXT_SIZE", "Look", "look", "marked", "outline", "text_points"]


#: Marks of matplotlib. Its star is not among them: it is what a paper reports.
_MARKS = "os^Dv<>PXdph"
#: A row has a colour of Okabe and Ito, or of Tol where these are too few or too pale, and cores.
#: Each core has the next mark, and each row begins with the next one: so no two cores look alike,
#: and multipliers, which stand first, differ in both. A core that is not here is given a look that
#: is free.
_CORES = {
    "#0072B2": "single_dsp exponentiation.single_dsp rival_montprod",
    "#E69F00": "dsp_systolic exponentiation.dsp_systolic rsa_crt.dsp_systolic rival_caliptra",
    "#000000": "mmm_cs_1d rival_pynqz2 exponentiation.generic key_agreement.generic "
               "scalar_multiplication.generic",
    "#56B4E9": "mmm_op_1d rival_x25519 hash.sha1",
    "#D55E00": "mmm_mx_1d rival_femul hash.mgf1",
    "#009E73": "cox_rower exponentiation.cox_rower rsa_crt.cox_rower rival_modsimexp",
    "#CC79A7": "multi_step rival_fios inversion.divsteps",
    "#332288": "mmm_op_2d",
    "#999933": "mmm_cs_2d",
    "#882255": "wide scalar_multiplication.wide base_multiplication.wide key_agreement.wide "
               "ecdsa_verification.wide",
    "#44AA99": "mmm_mx_2d",
}


class Look(NamedTuple):
    """A colour in hexadecimal, and a mark by its name in matplotlib."""

    colour: str
    mark: str


@functools.cache
def look(core: str) -> Look:
    """Return the look of a core by its name among those of all kinds.

    It depends on nothing but the name. The looks of two cores that are not in the table may be
    the same by chance; the look of none in the table is.
    """
    table = {name: Look(colour, _MARKS[(row + place) % len(_MARKS)])
             for row, (colour, names) in enumerate(_CORES.items())
             for place, name in enumerate(names.split())}
    free = sorted({Look(colour, mark) for colour in _CORES for mark in _MARKS} - {*table.values()})
    return table.get(core) or free[zlib.crc32(core.encode()) % len(free)]


@functools.cache
def outline(mark: str) -> str:
    """Return the path of a mark in SVG, about as large as a square from -1 to 1."""
    from matplotlib.markers import MarkerStyle

    style = MarkerStyle(mark)
    letters = {1: "M", 2: "L", 3: "Q", 4: "C", 79: "Z"}
    segments = style.get_path().transformed(style.get_transform()).iter_segments(simplify=False)
    return "".join(letters[int(code)] + ("" if code == 79 else ",".join(
        f"{round(number, 3) + 0:g}" for number in (ends.reshape(-1, 2) * (2, -2)).ravel()))
        for ends, code in segments)


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
