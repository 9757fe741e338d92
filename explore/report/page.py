"""The interactive part of the page: its points, their styles, and the libraries that show them."""

from __future__ import annotations

import importlib.resources
from typing import TYPE_CHECKING, Any

from montgomery import KINDS

from ..data.columns import known_columns
from ..data.labels import core_names, doubts, full_names, plain_name, present
from ..data.summary import head, marked, quantities, usual
from ..data.trends import OBJECTIVES, pareto
from ..devices import targets
from ..outcome import Status
from ..plots._looks import look, outline
from ..table import Head

if TYPE_CHECKING:
    import pandas

__all__ = ["contents", "library"]

#: Shown first if there are points of it; or else the target with the most points is.
_FIRST_TARGET = "ecp5-85k"
#: Package and file of each script and style sheet.
_LIBRARIES = {
    "vega": ("js_lib_vega_embed", "static/js_lib_vega_embed/vega-embed-full.js"),
    "datatables": ("itables", "html/dt_bundle.js"),
    "datatables_style": ("itables", "html/dt_bundle.css")}


def library(name: str) -> str:
    """Return a script or a style sheet: ``vega``, ``datatables`` or ``datatables_style``."""
    package, file = _LIBRARIES[name]
    return (importlib.resources.files(package) / file).read_text(encoding="utf-8")


def contents(points: pandas.DataFrame) -> dict[str, Any]:
    """Return what the page says of points of :func:`explore.data.frame.medians`, to be made JSON.

    ``rows`` has a list for each point, with a value for each of ``columns``. Columns without a
    title are ``name``, that of the core among those of all kinds, and ``*_min`` and ``*_max``, the
    ends of a range over the seeds. ``looks`` has a colour and the path of a mark for each name.
    ``kinds`` has a noun for each kind, and ``targets`` a sentence or two on each target, of which
    ``target`` is the first to be shown.
    """

    frame = _described(points)
    columns = _columns(frame)
    shown = {"core", "width", *usual(points)} - {"ff_skew"}
    names = set(points["target"])
    # Tables may name cores that were not measured.
    every = [kind.full_name(name) for kind in KINDS.values() for name in kind.cores()]
    return {
        "columns": [{"name": column.name, "title": column.title and column.header,
                     "numeric": column.numeric, "shown": column.name in shown}
                    for column in columns],
        "rows": list(zip(*([_plain(value) for value in frame[column.name].tolist()]
                           for column in columns), strict=True)),
        "looks": {name: [look(name).colour, outline(look(name).mark)]
                  for name in sorted({*frame["name"], *every})},
        "kinds": {name: kind.nouns for name, kind in KINDS.items()},
        "targets": {name: f"Areas are in {targets()[name].lut_name}.{doubts({name})}"
                    if name in targets() else "" for name in sorted(names)},
        "target": _FIRST_TARGET if _FIRST_TARGET in names else points["target"].mode()[0]}


def _described(points: pandas.DataFrame) -> pandas.DataFrame:
    """Return points with columns of texts, and with one that tells which are on a front."""
    front: list[Any] = []
    for _, same in points[points["status"] == Status.OK].groupby(["target", "kind", "width"]):
        front += pareto(same, OBJECTIVES).index.tolist()
    return points.assign(
        core=marked(full_names(points), points), name=core_names(points),
        front=points.index.isin(front),
        settings=[", ".join(f"{name}={value}" for name, value in {**params, **options}.items())
                  for params, options in zip(points["params"], points["options"], strict=True)],
        status=[f"ok for {ok} of {seeds}" if 0 < ok < seeds else status
                for status, ok, seeds in points[["status", "seeds_ok", "seeds"]].to_numpy()])


def _columns(frame: pandas.DataFrame) -> list[Head]:
    """Return the columns of the page; the ends of ranges have no title."""
    measured = [each for each in quantities().values()
                if (each.measured or each.spread) and not each.incidental]
    known = known_columns()
    found = [Head(name="core", title="Core", numeric=False),
             *(head(known[name]) for name in ("arch", "kind", "target", "width", "status",
                                           "verified")),
             Head(name="front", title="On the front", numeric=False), *map(head, measured),
             Head(name="settings", title="All settings", numeric=False)]
    found += [Head(name=name, title=plain_name(name), numeric=all(
        isinstance(value, int | float) and not isinstance(value, bool)
        for value in frame[name].dropna()))
        for name in frame if name.startswith(("param_", "option_"))]
    found += [Head(name=f"{each.name}_{end}", title="") for each in measured if each.spread
              for end in ("min", "max")]
    return [*found, Head(name="name", title="")]


def _plain(value: Any) -> Any:
    """Return a value for JSON: a number with no more digits than anybody measures."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return float(f"{value:.6g}") if present(value) else None
    return value if isinstance(value, int | None) else str(value)
