"""Makes all points from lists of cores, widths, parameters, targets and options."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..devices import Target, target, targets
from ..lookup import UnknownName, known, unknown
from .point import Point, PointError, cores, full_name
from .possible import fitted, has_room, obstacle

if TYPE_CHECKING:
    from montgomery import CoreParameters
    from montgomery.kinds import KnownKind

__all__ = ["QUICK_WIDTH", "check_known", "check_possible", "expand", "kind_and_name", "parse_value",
           "usual_width"]

_log = logging.getLogger(__name__)

#: Stands for the width of each core that :func:`usual_width` returns.
QUICK_WIDTH = "quick"
#: The largest such width of a multiplier that can be so narrow: it is placed within seconds.
_QUICK_BITS = 32


def parse_value(name: str, value: Any, wanted: type | str) -> Any:
    """Return ``value``; if it is a string, parse it as type ``wanted``."""
    label = name.replace("_", " ").capitalize()
    if isinstance(value, str) and wanted is int:
        try:
            return int(value, 0)
        except ValueError:
            raise PointError(f"{label} must be an integer, not {value!r}") from None
    if isinstance(value, str) and wanted is bool:
        words = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
        if value.lower() not in words:
            raise PointError(f"{label} must be yes or no, not {value!r}")
        return words[value.lower()]
    if wanted is int and isinstance(value, bool):
        raise PointError(f"{label} must be an integer, not {value!r}")
    return value


def _applicable(what: str, given: Mapping[str, Any], owners: Iterable[Iterable[str]]) -> None:
    names = sorted(set(itertools.chain.from_iterable(owners)))
    for name in given:
        known(what, name, names)


def _options_apply(given: Mapping[str, Any], devices: Sequence[Target]) -> None:
    """Refuse tool options that none of the devices has; the message names devices that do."""
    for name in given:
        others = [other.name for other in targets().values() if name in other.options]
        if others and not any(name in device.options for device in devices):
            raise PointError(f"Option {name} is none of {', '.join(each.name for each in devices)},"
                             f" but of {', '.join(others[:3])}{' and others' if others[3:] else ''}"
                             "; leave it out, or take another target")
    _applicable("option", given, [device.options for device in devices])


def kind_and_name(name: str) -> tuple[str, str]:
    """Return the kind of a core, and its name among the cores of that kind.

    A prefix names the kind: ``exponentiation.NAME`` is an exponentiator. If a name without a prefix
    belongs to several kinds, it is the multiplier.
    """
    from montgomery import KINDS

    prefix, _, bare = name.rpartition(".")
    for kind in KINDS.values():
        if prefix and prefix == kind.prefix:
            if bare not in kind.cores():
                raise _unknown_core(kind.noun, name, [kind])
            return kind.name, bare
    for kind in KINDS.values():
        if name in kind.cores():
            return kind.name, name
    raise _unknown_core("architecture", name, KINDS.values())


def _unknown_core(what: str, name: str, kinds: Iterable[KnownKind]) -> UnknownName:
    """Return the exception for a name that no core of ``kinds`` has.

    If a file of that name has no valid core, the message says why.
    """
    from montgomery.registry import rejected

    for each in rejected():
        if each.name == name.rpartition(".")[2]:
            error = UnknownName(f"Unknown {what} '{name}': {each}")
            error.__cause__ = each.error
            return error
    return unknown(what, name, [kind.full_name(own) for kind in kinds for own in kind.cores()])


def usual_width(core: type[CoreParameters]) -> int:
    """Return the width of a core if none is named: its default, if a design has one."""
    from montgomery import Parameters
    from montgomery.core import about

    default = core.__dataclass_fields__["width"].default
    if default is not dataclasses.MISSING:
        return default
    usual = about(core).quick_width
    if issubclass(core, Parameters) and usual > _QUICK_BITS:
        with contextlib.suppress(ValueError):
            core(width=_QUICK_BITS)
            return _QUICK_BITS
    return usual


def _multipliers() -> Iterable[str]:
    from montgomery import Parameters
    from montgomery.core import kind_of

    return cores(kind_of(Parameters).name)


def _product(values: Mapping[str, Sequence[Any]]) -> Iterable[dict[str, Any]]:
    return (dict(zip(values, chosen, strict=True))
            for chosen in itertools.product(*values.values()))


def _option_choices(device: Target, core: CoreParameters,
                    options: Mapping[str, Sequence[Any]]) -> dict[str, list]:
    from montgomery.core import about
    from montgomery.outside import origin_of

    portable = not about(core).uses_blocks
    choices = {}
    for name, option in device.options.items():
        values = [parse_value(name, value, type(option.default))
                  for value in options.get(name, [option.default])]
        for value in values:
            _check_choice(device, name, value)
        # Of a core from outside nobody knows whether yosys finds products in it.
        if option.portable or not portable or (
                option.where == "synth" and name in options and origin_of(type(core))):
            choices[name] = values
    return choices


def _check_choice(device: Target, name: str, value: Any) -> None:
    choices = device.options[name].choices
    if value not in choices:
        raise PointError(f"Option {name} must be one of {', '.join(map(str, choices))}, not "
                         f"{value!r}")


def _told(device: Target, core: CoreParameters, picked: Mapping[str, Any]
          ) -> tuple[tuple[str, Any], ...]:
    """Return the options that a point has: all but defaults that would not be told of its row."""
    from montgomery.core import about

    return tuple(sorted((name, value) for name, value in picked.items()
                        for option in (device.options[name],)
                        if value != option.default or (not option.quiet and (
                            option.portable or about(core).uses_blocks))))


def expand(archs: Sequence[str], widths: Sequence[int | str],
           params: Mapping[str, Sequence[Any]] | None = None, targets: Sequence[str] = (),
           options: Mapping[str, Sequence[Any]] | None = None) -> list[Point]:
    """Return the points of all combinations, each once.

    A combination that a core does not allow is left out, with a note, as long as another one is
    left. Where a device has no blocks for the default of a parameter, the next smaller value that
    it has blocks for takes its place. A point that cannot be on its device is a point nevertheless,
    see :func:`check_possible`, if its core is named; otherwise it is left out, with a note.

    The names are those of cores of any kind (of all multipliers if there are none) and of devices.
    Widths are numbers, texts, or :data:`QUICK_WIDTH`. Values of parameters and tool options that
    are texts are parsed by their types. A parameter only applies to the architectures that have it,
    and an option to the targets that have it.

    :exc:`PointError` and :exc:`UnknownName` say which name or value is illegal, which list is
    missing, or which parameter or option no architecture or target has.
    """
    from montgomery import KINDS

    params, options = params or {}, options or {}
    chosen = [(kind, name, cores(kind)[name])
              for kind, name in map(kind_and_name, archs or _multipliers())]
    devices = [target(name) for name in targets]
    if not any(KINDS[kind].formula for kind, _, _ in chosen):
        widths = widths or [QUICK_WIDTH]
    needed = [("an architecture", "give -a, or 'archs' in a file", chosen),
              ("a width", "give -n, or 'widths' in a file", widths),
              ("a target", "give -t, or 'targets' in a file", devices)]
    for name, values in [*params.items(), *options.items()]:
        needed.append((f"a value of {name}", "give one, or leave the name out", values))
    for what, fix, given in needed:
        if not given:
            raise PointError(f"A sweep needs {what}, but none is given; {fix}")
    fields = {(kind, name): {field.name: field for field in dataclasses.fields(cls)}
              for kind, name, cls in chosen}
    if "width" in params:
        raise PointError("Parameter width is given on its own: use -n, or 'widths' in a file")
    _applicable("parameter", params, [own.keys() - {"width"} for own in fields.values()])
    _options_apply(options, devices)
    varied = frozenset(name for name, values in [*params.items(), *options.items()]
                       if len(values) > 1)
    points: dict[Point, None] = {}
    refused: dict[tuple[str, str], None] = {}
    too_large: dict[str, dict[str, None]] = {}
    for (kind, name, cls), width in itertools.product(chosen, widths):
        own = fields[kind, name]
        parsed = {key: [parse_value(key, value, own[key].type) for value in values]
                  for key, values in params.items() if key in own}
        own_width = (usual_width(cls) if width == QUICK_WIDTH
                     else parse_value("width", width, int))
        for extra in _product({"width": [own_width], **parsed}):
            try:
                core = cls(**extra)
            except (TypeError, ValueError) as error:
                refused[full_name(kind, name), str(error)] = None
                continue
            for device in devices:
                for picked in _product(_option_choices(device, core, options)):
                    fitting = fitted(core, device, picked, chosen=extra)
                    if not (archs or has_room(fitting, device, picked)):
                        too_large.setdefault(device.name, {})[full_name(kind, name)] = None
                        continue
                    points[Point.of(fitting, arch=name, kind=kind, target=device.name,
                                    varied=varied, options=_told(device, core, picked))] = None
    without = ", ".join(f"{', '.join(names)} on {device}" for device, names in too_large.items())
    if not points:
        raise PointError(": ".join(next(iter(refused))) if refused else
                         f"No device has the multiplier blocks that are needed: {without}; "
                         "take another target")
    if too_large:
        _log.warning("left out, since the multiplier blocks are not there: %s; -a NAME has one "
                     "tried", without)
    for named, rule in refused:
        _log.warning("not possible, so left out: %s: %s", named, rule)
    return list(points)


def check_known(point: Point) -> None:
    """Refuse a point, such as that of a stranger's row, unless all its names and values exist here.
    """
    core = cores(point.kind)[known(point.kind, point.arch, cores(point.kind))]
    _applicable("parameter", point.values, [[field.name for field in dataclasses.fields(core)]])
    point.parameters()
    device = target(point.target)
    _options_apply(dict(point.options), [device])
    for name, value in point.options:
        _check_choice(device, name, value)


def check_possible(point: Point) -> None:
    """Raise :exc:`PointError` if the core of a point cannot be on its device."""
    if reason := obstacle(point.parameters(), target(point.target), dict(point.options)):
        raise PointError(f"{point.name}: {reason}")
