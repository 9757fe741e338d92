"""What tools ask of a core, or of its class; who only uses the core needs none of it.

An author of a core answers by the hooks of :class:`~montgomery.core.CoreParameters`, whose names
begin with ``_``.
"""

import functools
import inspect
from typing import TYPE_CHECKING, Any

from .features import About, Cycles, Kind, Traits
from .messages import Message

if TYPE_CHECKING:
    from .parameters import CoreParameters


__all__ = ["about", "check_operands", "cycles_of", "expected_words", "input_names", "key_names",
           "key_of", "kind_of", "name_in", "name_of", "option_names", "results_of", "traits"]


@functools.cache
def _arguments(cls: "type[CoreParameters]") -> inspect.FullArgSpec:
    return inspect.getfullargspec(cls.compute)


def kind_of(core: "CoreParameters | type[CoreParameters]") -> Kind:
    """Return the :class:`Kind` of a core."""
    return core._kind


def about(core: "CoreParameters | type[CoreParameters]") -> About:
    """Return the :class:`About` of a core."""
    return core._about


def name_of(core: "CoreParameters | type[CoreParameters]") -> str:
    """Return the name of a core in the registry: by :func:`name_in`, that of its module."""
    return core._name()


def name_in(kind: str, module: str) -> str:
    """Return the name of a core of a kind in a module of this package: that of the module.

    A module in a folder that is called as the kind, such as ``multiplier.py``, gives its core the
    name of the folder.
    """
    *folders, last = module.split(".")
    return folders[-1] if len(folders) > 1 and last == kind else last


def traits(params: "CoreParameters") -> Traits:
    """Return the :class:`Traits` of a core."""
    return params._traits


def input_names(params: "CoreParameters") -> tuple[str, ...]:
    """Return the names of the inputs of an operation: what ``compute`` takes."""
    return tuple(_arguments(type(params)).args[1:])


def option_names(params: "CoreParameters") -> tuple[str, ...]:
    """Return the names of what may be given beside the inputs; each is None by default."""
    return tuple(_arguments(type(params)).kwonlyargs)


def key_names(params: "CoreParameters") -> tuple[str, ...]:
    """Return the names of the inputs that make up a key, the last ones; none without port ``k``."""
    return params._kind.key_inputs if params.k_words else ()


def key_of(params: "CoreParameters", *inputs: int) -> tuple[int, ...]:
    """Return the inputs that make up the key of an operation, in order."""
    return inputs[len(inputs) - len(key_names(params)):]


def results_of(params: "CoreParameters") -> Message:
    """Return the :class:`Message` that comes from port ``o`` for one operation."""
    return params._results


def check_operands(params: "CoreParameters", *inputs: int, **options: Any) -> None:
    """Refuse operands that the core is not made for.

    :exc:`TypeError` if one is not an integer, :exc:`ValueError` if one is out of range.
    """
    params._check_operands(*inputs, **options)


def expected_words(params: "CoreParameters", *inputs: int, result: int | None = None,
                   **options: Any) -> list[int]:
    """Return the list of words that come from port ``o`` for an operation, in order.

    ``result`` is what ``compute`` returns, if it is known already.
    """
    if result is None:
        result = params.compute(*inputs, **options)
    return params._expected_words(result, *inputs)


def cycles_of(params: "CoreParameters", *inputs: int, **options: Any) -> Cycles:
    """Return the :class:`montgomery.Cycles` of one operation, exactly."""
    return params._cycles_of(*inputs, **options)
