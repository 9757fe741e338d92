"""Labels of measured points: the settings in which they differ, and those they share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..lookup import UnknownName
from ..points.point import Point

if TYPE_CHECKING:
    import pandas

__all__ = ["core_name", "core_names", "full_names", "labels", "named_cores", "plain_name",
           "present", "split_settings", "time_text"]

_ALWAYS = ("kind", "arch", "target")


def core_name(row: Mapping[str, Any]) -> str:
    """Return the name of a row's core among those of all kinds: ``exponentiation.generic``."""
    from montgomery import KINDS

    return KINDS[row["kind"]].full_name(row["arch"])


def core_names(frame: pandas.DataFrame) -> list[str]:
    """Return for each row the name of its core among those of all kinds."""
    cores = list(zip(frame["kind"], frame["arch"], strict=True))
    names = {core: core_name({"kind": core[0], "arch": core[1]}) for core in set(cores)}
    return [names[core] for core in cores]


def plain_name(column: str) -> str:
    """Return the name of a parameter or tool option from the name of its column."""
    return column.removeprefix("param_").removeprefix("option_")


def present(value: Any) -> bool:
    """Whether ``value`` is there: not the NaN that pandas puts where an architecture has none."""
    return value is not None and value == value


def time_text(microseconds: float) -> str:
    """Return a time in the unit in which its number is neither large nor below one."""
    unit, scale = next((unit, scale) for unit, scale in (("s", 1e6), ("ms", 1e3), ("µs", 1))
                       if microseconds >= scale or unit == "µs")
    return f"{microseconds / scale:.4g} {unit}"


def _distinct(values: pandas.Series) -> list[Any]:
    return [value for value in values.unique().tolist() if present(value)]


def split_settings(frame: pandas.DataFrame) -> tuple[list[str], dict[str, Any]]:
    """Return the columns of settings that differ, and those that do not with their value.

    A setting is an architecture, a target, a parameter other than the width, or a tool option. One
    that only some rows have differs if it has several values where it is present.
    """
    columns = [*_ALWAYS, *(name for name in frame.columns if name != "param_width"
                           and name.startswith(("param_", "option_")))]
    differing, common = [], {}
    for column in columns:
        values = _distinct(frame[column])
        if len(values) > 1:
            differing.append(column)
        elif values:
            common[column] = values[0]
    return differing, common


def labels(frame: pandas.DataFrame) -> list[str]:
    """Return for each row its core with those settings that differ from other rows of it.

    Cores have their names among those of all kinds, so that kinds are told apart.

    Targets are left out: ``mmm_mx_1d folded``, and ``name=value`` where a value alone says little,
    as that of a tool option does.
    So are settings that only differ from target to target, such as defaults of a family.
    """
    differing, _ = split_settings(frame)
    settings = [name for name in differing if name not in _ALWAYS]
    found = [""] * len(frame)
    columns = [frame[name].to_numpy(dtype=object) for name in ("target", *settings)]
    for (kind, arch), places in frame.groupby(["kind", "arch"], sort=False).indices.items():
        core = core_name({"kind": kind, "arch": arch})
        targets, *values = [column[places].tolist() for column in columns]
        texts = [_texts(name, own) for name, own in zip(settings, values, strict=True)
                 if _differs(targets, own)]
        for place, *parts in zip(places, *texts, strict=True):
            found[place] = " ".join([core, *filter(None, parts)])
    return found


def named_cores(frame: pandas.DataFrame) -> tuple[list[str], str]:
    """Return for each row its core with the settings that are not as they are by default.

    Where a core has several rows on a target, those settings that all of these have are left out,
    and stand in the sentences that are returned beside the names.
    """
    settings, cores = _settings(frame), core_names(frame)
    groups = list(zip(cores, frame["target"], strict=True))
    places: dict[tuple[str, str], list[int]] = {}
    for place, group in enumerate(groups):
        places.setdefault(group, []).append(place)
    shared = {group: _shared([settings[place] for place in own]) for group, own in places.items()}
    names = [" ".join([group[0], *(each for each in own if each not in shared[group])])
             for group, own in zip(groups, settings, strict=True)]
    everywhere = _shared(settings)
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (core, target), own in sorted(shared.items()):
        if special := tuple(each for each in own if each not in everywhere):
            alike.setdefault((core, special), []).append(target)
    sentences = [f"All rows have {_listed(everywhere)}."] if everywhere else []
    several = frame["target"].nunique() > 1
    sentences += [f"All rows of {core}{f' on {_listed(on)}' if several else ''} have "
                  f"{_listed(special)}." for (core, special), on in alike.items()]
    return names, " ".join(sentences)


def full_names(frame: pandas.DataFrame) -> list[str]:
    """Return for each row its core with all settings that are not as they are by default."""
    return [" ".join([core, *own])
            for core, own in zip(core_names(frame), _settings(frame), strict=True)]


def _settings(frame: pandas.DataFrame) -> list[tuple[str, ...]]:
    """Return for each row its settings that are not as they are by default."""
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    found = []
    for row in frame[["kind", "arch", "width", "target", "params", "options"]].to_dict("records"):
        key = (row["kind"], row["arch"], row["target"],
               *(json.dumps(row[name], sort_keys=True) for name in ("params", "options")))
        if key not in known:
            known[key] = _unusual(row)
        found.append(known[key])
    return found


def _unusual(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the parameters and tool options of a row that are not as they are by default."""
    try:
        point = Point.from_row(row)
        found = [*point.unusual_params, *point.unusual_options]
    except UnknownName:  # nothing is known of the defaults on such a target
        found = [*row["params"].items(), *row["options"].items()]
    return tuple(f"{name}={value}" for name, value in found if name != "width")


def _shared(settings: Sequence[tuple[str, ...]]) -> list[str]:
    """Return what all of several rows have; nothing of one row."""
    if len(settings) < 2:
        return []
    return [each for each in settings[0] if all(each in own for own in set(settings))]


def _listed(texts: Iterable[str]) -> str:
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def _differs(targets: list[str], values: list[Any]) -> bool:
    """Return whether there are two values on one target."""
    pairs = {(target, value) for target, value in zip(targets, values, strict=True)
             if present(value)}
    return len(pairs) > len({target for target, _ in pairs})


def _texts(column: str, values: list[Any]) -> list[str]:
    """Return the text of each value; empty if there is none."""
    texts: dict[tuple, str] = {}
    # By type as well: True is equal to 1.
    for key in zip(map(type, values), values, strict=True):
        if key not in texts:
            texts[key] = _value(column, key[1]) if present(key[1]) else ""
    return [texts[key] for key in zip(map(type, values), values, strict=True)]


def _value(column: str, value: Any) -> str:
    # Beside architectures that have no such parameter its values are floating-point numbers.
    text = f"{value:g}" if isinstance(value, float) else str(value)
    says_enough = (text.isidentifier() and not column.startswith("option_")
                   and text not in ("yes", "no", "True", "False", "default"))
    return text if says_enough else f"{plain_name(column)}={text}"
