"""Parameters of a core, and what they may be."""

import dataclasses
import operator
from collections.abc import Sequence
from typing import Any

__all__ = ["LEAST_WIDTH", "check", "parameter"]

#: Bits of the largest modulus of the smallest cores.
LEAST_WIDTH = 4


def parameter(default: Any = dataclasses.MISSING, help: str = "", *, minimum: int | None = None,
              maximum: int | None = None, choices: Sequence | None = None) -> Any:
    """Declare a field of :class:`Parameters` together with its rule.

    Parameters
    ----------
    default
        Value if none is given; the field is required without it.
    help : :class:`str`
        One line for ``montgomery list``.
    minimum, maximum : :class:`int` or ``None``
        Inclusive bounds of an integer.
    choices : sequence or ``None``
        The legal values, where they can be listed.
    """
    return dataclasses.field(default=default, metadata={
        "help": help, "minimum": minimum, "maximum": maximum, "choices": choices})


def check(field: Any, value: Any) -> None:
    """Refuse a value that breaks the rule of its :class:`dataclasses.Field`."""
    rule, label = field.metadata, field.name.replace("_", " ").capitalize()
    if not isinstance(value, field.type) or (field.type is int and isinstance(value, bool)):
        wanted = "an integer" if field.type is int else f"a {field.type.__name__}"
        raise TypeError(f"{label} must be {wanted}, not {value!r}")
    if rule["choices"] is not None and value not in rule["choices"]:
        raise ValueError(f"{label} must be one of {', '.join(map(str, rule['choices']))}, "
                         f"not {value!r}")
    for limit, side, broken in ((rule["minimum"], "more", operator.lt),
                                (rule["maximum"], "less", operator.gt)):
        if limit is not None and broken(value, limit):
            raise ValueError(f"{label} must be {limit} or {side}, not {value}; the nearest "
                             f"legal value is {limit}")
