"""Words for measured points: labels of their settings, and what captions say of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from montgomery.core import listed

from ..devices import targets
from ..lookup import UnknownName
from ..outcome import Status
from ..points.point import Point, core_of, sized
from ..table import SPREAD
from .versions import EARLIER, OUTSIDE, has_earlier, origins

if TYPE_CHECKING:
    import pandas

__all__ = ["blocks", "core_name", "core_names", "curve_name", "doubts", "duration", "earlier",
           "full_names", "labels", "luts", "named_cores", "outside", "plain_name",
           "point_labels", "present", "shown_names", "time_text", "what"]


def core_name(row: Mapping[str, Any]) -> str:
    """Return the name of a row's core among all kinds, such as ``exponentiation.generic``."""
    from montgomery import KINDS

    return KINDS[row["kind"]].full_name(row["arch"])


def core_names(frame: pandas.DataFrame) -> list[str]:
    """Return, for each row, the name of its core among the cores of all kinds."""
    from montgomery import KINDS

    return [KINDS[kind].full_name(arch)
            for kind, arch in zip(frame["kind"], frame["arch"], strict=True)]


def shown_names(frame: pandas.DataFrame) -> list[str]:
    """Return :func:`core_names` with a sign after those of cores that are not of this package."""
    return [f"{name} {OUTSIDE}" if origin else name
            for name, origin in zip(core_names(frame), origins(frame), strict=True)]


def curve_name(row: Mapping[str, Any]) -> str:
    """Return the name of the elliptic curve of a row's core; empty if it has none."""
    from montgomery.numbers.catalogue import CURVES

    name = row["params"].get("curve")
    fitting = (each for each, curve in CURVES.items() if curve.width == row["width"])
    return "" if name is None else name or next(fitting, "")


def plain_name(column: str) -> str:
    """Return the name of a parameter or tool option from the name of its column."""
    return column.removeprefix("param_").removeprefix("option_")


def present(value: Any) -> bool:
    """Return whether ``value`` is neither None nor the NaN by which pandas marks missing values."""
    return value is not None and value == value


def time_text(microseconds: float) -> str:
    """Return a time as a text in s, ms or µs: the largest unit in which the number is 1 or more."""
    unit, scale = next((unit, scale) for unit, scale in (("s", 1e6), ("ms", 1e3), ("µs", 1))
                       if microseconds >= scale or unit == "µs")
    return f"{microseconds / scale:.4g} {unit}"


def duration(seconds: float) -> str:
    """Return ``seconds`` as people say it: ``4.2 s``, ``1 min 05 s``, ``2 h 10 min``."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if round(seconds) < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return (f"{minutes} min {rest:02} s" if minutes < 60 else
            f"{minutes // 60} h {minutes % 60:02} min")


def labels(frame: pandas.DataFrame, without: Collection[str] = ()) -> list[str]:
    """Return, for each row, its core and the settings in which rows of this core differ.

    Left out are settings that are as by default, those of the names in ``without``, and those that
    only differ from target to target.
    """
    every = _settings(frame)
    groups = list(zip(shown_names(frame), frame["target"], strict=True))
    settings = [{each for each in own if each.partition("=")[0] not in without} for own in every]
    shared: dict[tuple[str, str], set[str]] = {}
    for group, own in zip(groups, settings, strict=True):
        shared[group] = shared.get(group, own) & own
    differing: defaultdict[str, set[str]] = defaultdict(set)
    for group, own in zip(groups, settings, strict=True):
        differing[group[0]] |= own - shared[group]
    return [" ".join([core, *(each for each in own if each in differing[core])])
            for (core, _), own in zip(groups, every, strict=True)]


def named_cores(frame: pandas.DataFrame) -> tuple[list[str], str]:
    """Return a name for the core of each row, and sentences on the settings that rows share.

    A name consists of the core and its settings that differ from their defaults. If a core has
    several rows on a target, the settings that all these rows share stand in the sentences instead.
    """
    settings, cores = _settings(frame), shown_names(frame)
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
    sentences = [f"All rows have {listed(everywhere)}."] if everywhere else []
    several = frame["target"].nunique() > 1
    sentences += [f"All rows of {core}{f' on {listed(on)}' if several else ''} have "
                  f"{listed(special)}." for (core, special), on in alike.items()]
    return names, " ".join(sentences)


def full_names(frame: pandas.DataFrame) -> list[str]:
    """Return, for each row, its core and all its settings that differ from their defaults."""
    return [" ".join([core, *own])
            for core, own in zip(shown_names(frame), _settings(frame), strict=True)]


def point_labels(frame: pandas.DataFrame) -> list[str]:
    """Return, for each row, a label that tells its point from all others."""
    return [" ".join([sized(core, width), *own, f"on {target}"])
            for core, width, target, own in zip(core_names(frame), frame["width"],
                                                frame["target"], _settings(frame), strict=True)]


def _settings(frame: pandas.DataFrame) -> list[tuple[str, ...]]:
    """Return, for each row, its settings that differ from their defaults, as ``name=value``."""
    from .frame import frozen_texts

    keys = list(zip(*(frame[name].tolist() for name in ("kind", "arch", "target")),
                    *(frozen_texts(frame[name]) for name in ("params", "options")), strict=True))
    places = {key: place for place, key in enumerate(keys)}
    rows = frame[["kind", "arch", "width", "target", "params", "options"]]
    found = dict(zip(places, map(_unusual, rows.iloc[list(places.values())].to_dict("records")),
                     strict=True))
    return [found[key] for key in keys]


def _unusual(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the parameters and tool options of a row that differ from their defaults."""
    try:
        point = Point.from_row(row)
        found = [*point.unusual_params, *point.unusual_options]
    except UnknownName:  # the defaults on this target are unknown
        found = [*row["params"].items(), *row["options"].items()]
    return tuple(f"{name}={value}" for name, value in found if name != "width")


def _shared(settings: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the settings that all rows share; none if there is only one row."""
    if len(settings) < 2:
        return []
    return [each for each in settings[0] if all(each in own for own in set(settings))]


#: Statuses of points of which nobody wanted, or could have, a placement.
_UNPLACED = [str(Status.AREA_ONLY), str(Status.PARTIAL)]


def what(points: pandas.DataFrame, per_seed: bool) -> str:
    """Return what the numbers are."""
    if per_seed:
        return "Each seed by itself"
    if (placed := points[~points["status"].isin(_UNPLACED)]).empty:
        return "Area, nothing placed"
    seeds = placed["seeds"]
    few, many = seeds.min(), seeds.max()
    return "One seed" if many == 1 else (
        f"Median of {many if few == many else f'{few} to {many}'} seeds {SPREAD}")


def earlier(points: pandas.DataFrame) -> str:
    """Return the sentence on points of earlier versions; empty if there are none."""
    if not has_earlier(points):
        return ""
    return f" {EARLIER}: measured with an earlier version of the core or of the flow."


def outside(points: pandas.DataFrame) -> str:
    """Return the sentences on cores that are not of this package; empty if there are none."""
    named = dict.fromkeys(f"{name} ({origin})" for name, origin in zip(
        core_names(points), origins(points), strict=True) if origin)
    return (f" {OUTSIDE}: not of this package: {', '.join(named)}.{blocks(points)}" if named
            else "")


def blocks(points: pandas.DataFrame) -> str:
    """Return the sentence on cores from outside with multiplier blocks that they do not ask for.

    A core asks for blocks by its trait ``products``; in others, yosys finds what to multiply. The
    sentence is empty if there are none.
    """
    from montgomery.core import traits

    found = {core_name(row): None for row in points[points["dsp"] > 0].to_dict("records")
             if row.get("versions", {}).get("origin") and (
                 (core := core_of(row)) is None or not traits(core).products)}
    return (f" In {', '.join(found)}, yosys put products into multiplier blocks by itself, however "
            "small they are; -o multipliers=logic makes them of LUTs.") if found else ""


def doubts(names: set[str]) -> str:
    """Return sentences that say of some targets which clocks not to believe."""
    found: dict[str, list[str]] = {}
    for name in sorted(names & set(targets())):
        if doubt := targets()[name].family.doubt:
            found.setdefault(doubt, []).append(name)
    return "".join(f" Clocks on {' and '.join(on)} are {doubt}." for doubt, on in found.items())


def luts(names: set[str]) -> tuple[str, str]:
    """Return the title of a column of LUTs on some targets, and a sentence that says what a LUT is
    unless the title does.
    """
    kinds: dict[str, list[str]] = {}
    for name in sorted(names & set(targets())):
        kinds.setdefault(targets()[name].lut_name, []).append(name)
    if len(kinds) < 2 and names <= set(targets()):
        return f"LUT ({next(iter(kinds))})" if kinds else "LUT", ""
    listed = "; ".join(f"{kind} on {', '.join(on)}" for kind, on in kinds.items())
    return "LUT", f" LUT is {listed}." if listed else ""
