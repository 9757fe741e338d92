"""Everything that can be named on the command line or in a file, as one JSON-able document."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from montgomery import CoreParameters

__all__ = ["everything"]


def _default(field: dataclasses.Field) -> Any:
    return None if field.default is dataclasses.MISSING else field.default


def _cores(registry: Mapping[str, type[CoreParameters]]) -> dict[str, dict]:
    return {name: {
        "summary": cls.summary, "source": cls.source,
        "parameters": {field.name: {
            "type": field.type.__name__, "default": _default(field),
            "required": field.default is dataclasses.MISSING,
            **{key: field.metadata[key] for key in ("help", "minimum", "maximum", "choices")},
        } for field in dataclasses.fields(cls)}} for name, cls in registry.items()}


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

    return {name: dataclasses.asdict(board) | {"open": board.open}
            for name, board in boards().items()}


def _presets() -> dict[str, dict]:
    from ..points.spec import presets

    return {name: dataclasses.asdict(spec) for name, spec in presets().items()}


def everything() -> dict[str, dict]:
    """Return the document of ``montgomery list --json``, a dictionary of dictionaries by name."""
    from montgomery import KINDS

    from ..data.columns import columns
    from ..data.summary import quantities
    from ..plots._drawing import FORMATS as PLOT_FORMATS
    from ..plots._drawing import plots
    from ..table import FORMATS
    from ._names import stage_names

    shown = quantities()
    return {
        **{kind.group: _cores(kind.cores()) for kind in KINDS.values()},
        "targets": _targets(),
        "boards": _boards(),
        "presets": _presets(),
        "stages": {name: {"summary": summary} for name, summary in stage_names().items()},
        "plots": {name: {"summary": plot.summary} for name, plot in plots().items()},
        "plot_formats": {name: {} for name in PLOT_FORMATS},
        "table_formats": {name: {"summary": render.__doc__.splitlines()[0]}
                          for name, render in FORMATS.items()},
        "columns": {column.name: {
            "title": column.header, "type": str(column.type), "unit": column.unit,
            "meaning": column.meaning, "table": column.name in shown}
            for column in dict.fromkeys((*columns(), *shown.values()))},
    }
