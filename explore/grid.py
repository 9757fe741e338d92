"""What is to be measured: points, and all combinations of what a point is made of."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .names import known
from .targets import Target, target

if TYPE_CHECKING:
    from montgomery import CoreParameters
    from montgomery.technology import Technology

__all__ = ["Point", "PointError", "completed", "expand"]


class PointError(ValueError):
    """A point or a sweep that makes no sense; the message is one line."""


def _registry(kind: str) -> Mapping[str, type[CoreParameters]]:
    from montgomery import KINDS

    return KINDS[kind].cores()


def _full_name(kind: str, name: str) -> str:
    from montgomery import KINDS

    return KINDS[kind].full_name(name)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Point:
    """One core on one device, made in one way.

    Attributes
    ----------
    arch : str
        Name in the registry of its kind.
    kind : str
        A name in :data:`montgomery.KINDS`.
    params, options : tuple of (name, value)
        All of them, defaults included, sorted by name; ``width`` is a parameter.
    """

    arch: str
    kind: str
    params: tuple[tuple[str, int | str | bool], ...]
    target: str
    options: tuple[tuple[str, int | str], ...]

    def parameters(self) -> CoreParameters:
        """Return the instance of the architecture's class.

        Raises
        ------
        UnknownName, TypeError, ValueError
            If there is no such architecture or parameter, or for an illegal value.
        """
        registry = _registry(self.kind)
        return registry[known(self.kind, self.arch, registry)](**dict(self.params))

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Point:
        """Return the point of a row.

        Parameters and options that the row does not have are those that they are by default: there
        were none of them when it was measured.

        Raises
        ------
        UnknownName
            If there is no such target.
        """
        params, options = completed(row)
        return cls(arch=row["arch"], kind=row["kind"], target=row["target"],
                   params=tuple(sorted((params | {"width": row["width"]}).items())),
                   options=tuple(sorted(options.items())))

    @property
    def values(self) -> dict[str, int | str | bool]:
        """The parameters by name."""
        return dict(self.params)

    @property
    def width(self) -> int:
        return self.values["width"]

    @property
    def key(self) -> str:
        """Text that is the same for points that are measured in the same way.

        Options that add nothing to what tools are told do not count: a new option that does nothing
        by default makes no point another one.
        """
        known_options = target(self.target).options
        options = {name: value for name, value in self.options
                   if name not in known_options or known_options[name].effect.get(value, True)}
        return json.dumps([self.kind, self.arch, self.values, self.target, options],
                          sort_keys=True)

    def identity(self, seed: int) -> str:
        """Return the name under which a store keeps the latest row of the point with a seed."""
        return hashlib.sha256(json.dumps([self.key, seed]).encode()).hexdigest()[:40]

    def command(self, verb: str, *, device: bool = True) -> list[str]:
        """Return the words of a ``montgomery`` command for this point.

        What is as it is by default is left out, and for ``export`` what makes no difference to the
        hardware.

        Parameters
        ----------
        device : bool
            Whether the core is made for the device of the point.
        """
        words = ["montgomery", verb, "-a", self.name, "-n", str(self.width)]
        for name, value in self._unusual(self.params):
            words += ["-p", f"{name}={value}"]
        core, options = _registry(self.kind).get(self.arch), self._unusual(self.options)
        if not device:
            return words
        if verb == "export":
            if core is None or core.portable:
                return words
            made_for = target(self.target).technology_for
            options = [(name, value) for name, value in options
                       if made_for({name: value}) != made_for({})]
        words += ["-t", self.target]
        for name, value in options:
            words += ["-o", f"{name}={value}"]
        return words

    @property
    def unusual_params(self) -> list[tuple[str, Any]]:
        """The parameters that are not as they are by default, but for the width."""
        return self._unusual(self.params)

    def _unusual(self, values: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """Return those of the parameters or options that are not as they are by default."""
        cls = _registry(self.kind).get(self.arch)
        usual = {field.name: field.default for field in dataclasses.fields(cls)} if cls else {}
        usual |= {name: option.default for name, option in target(self.target).options.items()}
        return [(name, value) for name, value in values
                if name != "width" and usual.get(name) != value]

    @property
    def name(self) -> str:
        """Name among cores of all kinds: ``exponentiation.generic``."""
        return _full_name(self.kind, self.arch)

    @property
    def core_label(self) -> str:
        """Short text that names the core: what differs from the defaults."""
        extra = [f"{name}={value}" for name, value in self._unusual(self.params)]
        return " ".join([f"{self.name}/{self.width}", *extra])

    @property
    def label(self) -> str:
        """Short text: the core, the options that differ from the defaults, and the device."""
        extra = [f"{name}={value}" for name, value in self._unusual(self.options)]
        return " ".join([self.core_label, *extra, f"on {self.target}"])


def completed(row: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return parameters, but for the width, and options of a row.

    Those that the row does not have are as they are by default: there were none of them when it was
    measured.

    Raises
    ------
    UnknownName
        If there is no such target.
    """
    params, options = _usual(_registry(row["kind"]).get(row["arch"]), row["target"])
    return {**params, **row["params"]}, {**options, **row["options"]}


@functools.lru_cache(4096)
def _usual(core: type[CoreParameters] | None, device: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters and options of a core on a device that have defaults, with these."""
    params = {field.name: field.default for field in dataclasses.fields(core)
              if field.default is not dataclasses.MISSING} if core else {}
    portable = core is None or core.portable
    return params, {name: option.default for name, option in target(device).options.items()
                    if option.portable or not portable}


def _parse(name: str, value: Any, wanted: type) -> Any:
    """Return a value of type ``wanted``, parsed if it is a string."""
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


def _kinds(name: str) -> tuple[str, str]:
    """Return kind and name of a core.

    ``exponentiation.NAME`` is the exponentiator, and so on; a name alone that several kinds have is
    the multiplier.
    """
    from montgomery import KINDS

    package, _, bare = name.rpartition(".")
    for kind in KINDS.values():
        if package and package == kind.package:
            return kind.name, known(kind.name, bare, kind.cores())
    owners: dict[str, str] = {}
    for kind in KINDS.values():
        for own in kind.cores():
            owners.setdefault(own, kind.name)
    return owners[known("architecture", name, owners)], name


def _product(values: Mapping[str, Sequence[Any]]) -> Iterable[dict[str, Any]]:
    return (dict(zip(values, chosen, strict=True))
            for chosen in itertools.product(*values.values()))


def _option_choices(device: Target, portable: bool,
                    options: Mapping[str, Sequence[Any]]) -> dict[str, list]:
    choices = {}
    for name, option in device.options.items():
        if portable and not option.portable:
            continue
        values = [_parse(name, value, type(option.default))
                  for value in options.get(name, [option.default])]
        for value in values:
            if value not in option.choices:
                raise PointError(f"Option {name} must be one of "
                                 f"{', '.join(map(str, option.choices))}, not {value!r}")
        choices[name] = values
    return choices


def _check_technology(core: CoreParameters, technology: Technology) -> None:
    if technology.multiplier is not None:
        try:
            core.multipliers(technology)
        except ValueError as error:
            raise PointError(f"{_full_name(core.kind, core.name())}: {error}") from None


def expand(archs: Sequence[str], widths: Sequence[int | str],
           params: Mapping[str, Sequence[Any]] | None = None, targets: Sequence[str] = (),
           options: Mapping[str, Sequence[Any]] | None = None) -> list[Point]:
    """Return all combinations, each once.

    Parameters
    ----------
    archs : list of str
        Names of cores of any kind; all multipliers if empty.
    params, options : dict from name to list
        Values to try; a string is parsed by the type of the parameter or option. A parameter
        applies where an architecture has it, an option where a target's family has it.

    Raises
    ------
    PointError, UnknownName
        For a name or value that is not legal, or a parameter or option that nothing has.
    """
    params, options = params or {}, options or {}
    chosen = [(kind, name, _registry(kind)[name])
              for kind, name in map(_kinds, archs or _registry("multiplier"))]
    devices = [target(name) for name in targets]
    for what, values in (("an architecture", chosen), ("a width", widths), ("a target", devices),
                         *((f"a value of {name}", values)
                           for name, values in [*params.items(), *options.items()])):
        if not values:
            raise PointError(f"A sweep needs {what}, but none is given")
    if "width" in params:
        raise PointError("Parameter width is given on its own: use -n, or 'widths' in a file")
    fields = {(kind, name): {field.name: field for field in dataclasses.fields(cls)}
              for kind, name, cls in chosen}
    _applicable("parameter", params, fields.values())
    _applicable("option", options, (device.options for device in devices))
    points: dict[Point, None] = {}
    for (kind, name, cls), width in itertools.product(chosen, widths):
        own = fields[kind, name]
        values = {key: [_parse(key, value, own[key].type) for value in given]
                  for key, given in params.items() if key in own}
        for extra in _product({"width": [_parse("width", width, int)], **values}):
            try:
                core = cls(**extra)
            except (TypeError, ValueError) as error:
                raise PointError(f"{_full_name(kind, name)}: {error}") from None
            full = dataclasses.asdict(core)
            for device in devices:
                for picked in _product(_option_choices(device, core.portable, options)):
                    _check_technology(core, device.technology_for(picked))
                    points[Point(arch=name, kind=kind, params=tuple(sorted(full.items())),
                                 target=device.name,
                                 options=tuple(sorted(picked.items())))] = None
    return list(points)
