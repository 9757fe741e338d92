"""A point: one core on one device, made in one way."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..devices import target
from ..lookup import known

if TYPE_CHECKING:
    from montgomery import CoreParameters

__all__ = ["Point", "PointError", "completed", "core_of", "cores", "full_name", "sized"]


class PointError(ValueError):
    """A point or a sweep that is not possible; the message is one line."""


def cores(kind: str) -> Mapping[str, type[CoreParameters]]:
    """Return the dictionary from name to class of the cores of a kind."""
    from montgomery import KINDS

    return KINDS[kind].cores()


def full_name(kind: str, name: str) -> str:
    """Return the name of a core among cores of all kinds."""
    from montgomery import KINDS

    return KINDS[kind].full_name(name)


def sized(name: str, width: int) -> str:
    """Return the name of a core with its width, if it has one: ``mmm_mx_1d/256``."""
    return f"{name}/{width}" if width else name


@dataclasses.dataclass(frozen=True, kw_only=True)
class Point:
    """One core on one device, made in one way.

    Parameters and options are pairs of name and value, defaults included, sorted by name; ``width``
    is a parameter. ``varied`` are those for which a sweep has several values: labels name them even
    if the value is the default, and points that only differ in this are equal.
    """

    arch: str
    kind: str
    params: tuple[tuple[str, int | str | bool], ...]
    target: str
    options: tuple[tuple[str, int | str], ...]
    varied: frozenset[str] = dataclasses.field(default=frozenset(), compare=False, repr=False)

    def parameters(self) -> CoreParameters:
        """Return the parameters of the core, as an instance of the architecture's class.

        A ValueError or a TypeError says what there is not, or what is not legal.
        """
        return self._core

    @functools.cached_property
    def _core(self) -> CoreParameters:
        registry = cores(self.kind)
        return registry[known(self.kind, self.arch, registry)](**self.values)

    @classmethod
    def of(cls, core: CoreParameters, **more: Any) -> Point:
        """Return the point of a core, which it keeps, with the other attributes."""
        point = cls(params=tuple(sorted(dataclasses.asdict(core).items())), **more)
        vars(point)["_core"] = core
        return point

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Point:
        """Return the point of a row.

        Parameters and options that the row does not have get their defaults, since they did not
        exist when the row was measured. The target must be one that there is.
        """
        params, options = completed(row)
        return cls(arch=row["arch"], kind=row["kind"], target=row["target"],
                   params=tuple(sorted((params | {"width": row["width"]}).items())),
                   options=tuple(sorted(options.items())))

    @property
    def values(self) -> dict[str, Any]:
        """The parameters by name."""
        return dict(self.params)

    @property
    def width(self) -> int:
        return self.values["width"]

    @property
    def key(self) -> str:
        """Text that is the same for points that are measured in the same way.

        Options that do not change the arguments of the tools do not count. So a new option that
        does nothing by default leaves the keys of earlier points as they are.
        """
        known_options = target(self.target).options
        options = {name: value for name, value in self.options
                   if name not in known_options or known_options[name].effect.get(value, True)}
        return json.dumps([self.kind, self.arch, self.values, self.target, options],
                          sort_keys=True)

    def identity(self, seed: int) -> str:
        """Return the name under which a store keeps the latest row of the point with a seed."""
        return hashlib.sha256(json.dumps([self.key, seed]).encode()).hexdigest()[:40]

    def command(self, verb: str, *, device: bool = True, named: Collection[str] = ()) -> list[str]:
        """Return the words of a ``montgomery`` command for this point.

        Defaults are left out, but for parameters that are ``named``, and for ``export`` also the
        options that make no difference to the hardware. ``device`` says whether the core is made
        for that of the point.
        """
        from montgomery.core import about

        words = ["montgomery", verb, "-a", self.name, "-n", str(self.width)]
        for name, value in self.params:
            if (name, value) in self.unusual_params or (value and name in named):
                words += ["-p", f"{name}={value}"]
        core, options = cores(self.kind).get(self.arch), self.unusual_options
        if not device:
            return words
        if verb == "export":
            if core is None or not about(core).uses_blocks:
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
        """The parameters, except the width, that differ from their defaults."""
        return self._unusual(self.params)

    @property
    def unusual_options(self) -> list[tuple[str, Any]]:
        """The tool options that differ from their defaults."""
        return self._unusual(self.options)

    def _labelled(self, values: Iterable[tuple[str, Any]]) -> list[str]:
        """Return texts of the parameters or options that labels name."""
        unusual = self._unusual(values)
        return [f"{name}={value}" for name, value in values
                if (name, value) in unusual or (name in self.varied and name != "width")]

    def _unusual(self, values: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """Return the parameters or options that differ from their defaults."""
        cls = cores(self.kind).get(self.arch)
        usual = {field.name: field.default for field in dataclasses.fields(cls)} if cls else {}
        usual |= {name: option.default for name, option in target(self.target).options.items()}
        return [(name, value) for name, value in values
                if name != "width" and usual.get(name) != value]

    @property
    def name(self) -> str:
        """Name among cores of all kinds: ``exponentiation.generic``."""
        return full_name(self.kind, self.arch)

    @property
    def core_label(self) -> str:
        """Short text that names the core, with the parameters that differ from the defaults."""
        return " ".join([sized(self.name, self.width), *self._labelled(self.params)])

    @property
    def label(self) -> str:
        """Short text: the core, the options that differ from the defaults, and the device."""
        return " ".join([self.core_label, *self._labelled(self.options), f"on {self.target}"])


def core_of(row: Mapping[str, Any]) -> CoreParameters | None:
    """Return the parameters of the core of a row; None if this program does not have the core."""
    try:
        return Point.from_row(row).parameters()
    except (TypeError, ValueError):
        return None


def completed(row: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters, except the width, and the options of a row, as :meth:`Point.from_row`.
    """
    params, options = _usual(cores(row["kind"]).get(row["arch"]), row["target"])
    return {**params, **row["params"]}, {**options, **row["options"]}


@functools.lru_cache(4096)
def _usual(core: type[CoreParameters] | None, device: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the defaults of the parameters and options of a core on a device, by name."""
    from montgomery.core import about

    params = {field.name: field.default for field in dataclasses.fields(core)
              if field.default is not dataclasses.MISSING} if core else {}
    portable = core is None or not about(core).uses_blocks
    return params, {name: option.default for name, option in target(device).options.items()
                    if not option.quiet and (option.portable or not portable)}
