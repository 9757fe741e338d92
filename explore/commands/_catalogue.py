"""Everything that can be named on the command line or in a file, and cores that failed to be."""

from __future__ import annotations

import dataclasses
import functools
import traceback
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

import click

if TYPE_CHECKING:
    from montgomery.kinds import KnownKind

__all__ = ["GROUPS", "everything", "tell_rejected"]


def _default(field: dataclasses.Field) -> Any:
    return None if field.default is dataclasses.MISSING else field.default


def _cores(kind: KnownKind) -> dict[str, dict]:
    from montgomery.core import about

    return {name: {
        "summary": about(cls).summary, "source": about(cls).source,
        "parameters": {field.name: {
            "type": cast("type", field.type).__name__, "default": _default(field),
            "required": field.default is dataclasses.MISSING,
            **{key: field.metadata[key] for key in ("help", "minimum", "maximum", "choices")},
        } for field in dataclasses.fields(cls)}} for name, cls in kind.cores().items()}


def _targets() -> dict[str, dict]:
    from ..devices import targets

    return {name: {
        "summary": target.summary, "family": target.family.name, "lut_name": target.lut_name,
        "placer": target.placer, "clock_limit_mhz": target.clock_limit_mhz,
        "capacity": target.capacity,
        "limits": [dataclasses.asdict(limit) for limit in target.limits],
        "options": {key: {"default": option.default, "choices": list(option.choices),
                          "help": option.help} for key, option in target.options.items()},
    } for name, target in targets().items()}


def _boards() -> dict[str, dict]:
    from boards.catalogue import boards

    return {name: dataclasses.asdict(board) for name, board in boards().items()}


def _presets() -> dict[str, dict]:
    from ..points.spec import presets

    return {name: dataclasses.asdict(spec) for name, spec in presets().items()}


def _stages() -> dict[str, dict]:
    from ..pipeline.stages import stages

    return {name: {"summary": (stage.__doc__ or "").partition("\n")[0].rstrip(".")}
            for name, stage in stages().items()}


def _plots() -> dict[str, dict]:
    from ..plots._drawing import plots

    return {name: {"summary": plot.summary} for name, plot in plots().items()}


def _plot_formats() -> dict[str, dict]:
    from ..plots._drawing import FORMATS

    return {name: {} for name in FORMATS}


def _table_formats() -> dict[str, dict]:
    from ..table import FORMATS

    return {name: {"summary": render.__doc__.splitlines()[0]} for name, render in FORMATS.items()}


def _columns() -> dict[str, dict]:
    from ..data.columns import COLUMNS
    from ..data.summary import quantities

    shown = quantities()
    return {column.name: {
        "title": column.header, "type": str(column.type), "unit": column.unit,
        "meaning": column.meaning, "table": column.name in shown}
        for column in dict.fromkeys((*COLUMNS, *shown.values()))}


#: What is listed beside cores, as functions that look it up.
GROUPS: dict[str, Callable[[], dict[str, dict]]] = {
    "targets": _targets, "boards": _boards, "presets": _presets, "stages": _stages,
    "plots": _plots, "plot_formats": _plot_formats, "table_formats": _table_formats,
    "columns": _columns}


def everything() -> dict[str, Callable[[], dict[str, dict]]]:
    """Return the groups of ``montgomery list``, each as a function that looks it up.

    Some take long to import.
    """
    from montgomery import KINDS

    groups: dict[str, Callable[[], dict[str, dict]]] = {
        **{kind.group: functools.partial(_cores, kind) for kind in KINDS.values()}, **GROUPS}
    return {name: functools.cache(make) for name, make in groups.items()}


def tell_rejected(groups: Iterable[str] | None = None) -> None:
    """Say on stderr which files were written to be cores and are none, and why.

    With ``--debug``, tracebacks show where an import fails.

    Parameters
    ----------
    groups : iterable of str or None
        What is listed. Nothing is said if no kind of core is among it; None stands for all kinds.
    """
    from montgomery import KINDS
    from montgomery.registry import rejected

    if groups is not None and not {kind.group for kind in KINDS.values()}.intersection(groups):
        return
    debug = getattr(click.get_current_context().find_root().command, "debug", False)
    for each in rejected():
        if not each.looks_like_core:
            continue
        if debug and each.error:
            traceback.print_exception(each.error)
        click.echo(f"note: {each}", err=True)
