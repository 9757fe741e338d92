"""Parameters of a core, and what they may be."""

import dataclasses
from collections.abc import Sequence
from typing import Any

__all__ = ["LEAST_WIDTH", "Rules", "parameter"]

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


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rules:
    """The parameters that every core has, and checks of all that a class declares.

    Parameters and exceptions are those of :class:`montgomery.CoreParameters`.
    """

    width: int = parameter(help="bits of the largest modulus", minimum=LEAST_WIDTH, maximum=4096)
    word_width: int = parameter(16, "bits per word of the streams", minimum=1, maximum=4096)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            self._check(field, getattr(self, field.name))
        self._check_parameters()

    @staticmethod
    def _check(field, value):
        rule, label = field.metadata, field.name.replace("_", " ").capitalize()
        if not isinstance(value, field.type) or (field.type is int and isinstance(value, bool)):
            wanted = "an integer" if field.type is int else f"a {field.type.__name__}"
            raise TypeError(f"{label} must be {wanted}, not {value!r}")
        if rule["choices"] is not None and value not in rule["choices"]:
            raise ValueError(f"{label} must be one of {', '.join(map(str, rule['choices']))}, "
                             f"not {value!r}")
        low, high = rule["minimum"], rule["maximum"]
        if low is not None and value < low:
            raise ValueError(f"{label} must be {low} or more, not {value}; the nearest legal value "
                             f"is {low}")
        if high is not None and value > high:
            raise ValueError(f"{label} must be {high} or less, not {value}; the nearest legal "
                             f"value is {high}")

    def _check_parameters(self) -> None:
        """Check rules that involve several parameters; raise :exc:`ValueError`."""
