"""The contract of every core."""

import abc
import dataclasses
import functools
import operator
from collections.abc import Sequence
from typing import Any, ClassVar

from amaranth.lib import wiring

from ..arithmetic import check_operand
from .facts import input_names, key_names, name_in, name_of, option_names
from .features import About, Cycles, Kind, Traits
from .messages import Field, Message, listed, plural
from .ports import Signature

__all__ = ["LEAST_WIDTH", "CoreParameters", "parameter"]

#: Bits of the largest modulus of the smallest cores.
LEAST_WIDTH = 4


def parameter(default: Any = dataclasses.MISSING, help: str = "", *, minimum: int | None = None,
              maximum: int | None = None, choices: Sequence | None = None) -> Any:
    """Declare a field of :class:`Parameters` together with its rule.

    The field is required without a ``default``; ``help`` is a line for ``montgomery list``. An
    integer may have bounds, which it may be equal to; ``choices`` are the legal values, where they
    can be listed.
    """
    return dataclasses.field(default=default, metadata={
        "help": help, "minimum": minimum, "maximum": maximum, "choices": choices})


def _check(field, value):
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


@dataclasses.dataclass(frozen=True, kw_only=True)
class CoreParameters(abc.ABC):
    """What a core is instantiated with, and everything that can be said without hardware.

    Each core derives one frozen class named ``Parameters`` from that of its kind, such as
    :class:`montgomery.kinds.multiplier.Multiplier`, in a module of its own; see
    :func:`montgomery.core.name_of`. Members whose names begin with ``_`` are hooks: an author
    defines them where the core differs from others. The function of :mod:`montgomery.core.facts`
    that asks a hook says what it is. :meth:`encode`, :meth:`encode_key` and :meth:`compute` refuse
    operands as :func:`montgomery.core.check_operands` does.

    Parameters
    ----------
    width : :class:`int`
        Every odd modulus from 3 to ``2**width - 1`` works, unless it has a factor in common with
        :attr:`.Traits.coprime_to`.
    word_width : :class:`int`
        Bits per word of the streams.

    Raises
    ------
    TypeError
        For a parameter that is unknown or of the wrong type.
    ValueError
        For a value that breaks its rule; the message names the nearest legal one.
    """

    width: int = parameter(help="bits of the largest modulus", minimum=LEAST_WIDTH, maximum=4096)
    word_width: int = parameter(16, "bits per word of the streams", minimum=1, maximum=4096)

    _kind: ClassVar[Kind]
    _about: ClassVar[About] = About()

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            _check(field, getattr(self, field.name))
        self._check_parameters()

    def _check_parameters(self) -> None:
        """Check rules that involve several parameters; raise :exc:`ValueError`."""

    def _check_divides_word(self, name: str) -> None:
        """Refuse a word width that is no multiple of another field."""
        word, part = self.word_width, getattr(self, name)
        if word % part:
            rule = self.__dataclass_fields__["word_width"].metadata
            near = min(range(part, rule["maximum"] + 1, part), key=lambda each: abs(each - word))
            raise ValueError(f"Word width {word} must be a multiple of {name} {part}; the nearest "
                             f"one is {near}")

    @property
    def _traits(self) -> Traits:
        return Traits()

    @classmethod
    def _name(cls) -> str:
        return name_in(cls._kind.name, cls.__module__)

    # -- Words.

    @property
    @abc.abstractmethod
    def operands(self) -> Message:
        """The :class:`Message` to port ``i`` for one operation."""

    @property
    def key_operands(self) -> Message:
        """The :class:`Message` to port ``k`` for one key; it has no fields without the port."""
        return Message(0)

    @property
    @abc.abstractmethod
    def result_words(self) -> int:
        """Number of words of a result."""

    @property
    def i_words(self) -> int:
        """Number of words of an operation, of the longest one if they differ."""
        return self.operands.words

    @property
    def k_words(self) -> int:
        """Number of words of a key; 0 without port ``k``."""
        return self.key_operands.words

    @functools.cached_property
    def signature(self) -> Signature:
        """:class:`Signature` of the component."""
        return Signature(self.word_width, i_width=self.operands.width, o_width=self._results.width,
                         k_width=self.key_operands.width)

    def encode(self, *inputs: int, **options: Any) -> list[int]:
        """Return the list of words to send to port ``i``, in order.

        ``inputs`` are those of the operation. Without those of the key they are only checked to fit
        in their words; with them, operands are checked in full. ``options`` are as of
        :meth:`compute`.
        """
        names = input_names(self)
        own = names[:len(names) - len(key_names(self))]
        if len(inputs) == len(names):
            self._check_operands(*inputs, **options)
        else:
            self._check_count("An operation", own, inputs)
            for name, value in zip(own, inputs, strict=True):
                check_operand(name, value, 1 << self.operands.width * self.i_words)
        return self.operands.encode(self._named(names, inputs, options))

    def encode_key(self, *key: int, **options: Any) -> list[int]:
        """Return the list of words to send to port ``k``, in order.

        ``key`` has the inputs that make up a key, the last ones of :meth:`compute`; ``options`` are
        as there.
        """
        names = key_names(self)
        if not names:
            raise TypeError(f"{name_of(self)} takes no key; send its inputs with each "
                            f"{self._kind.operation}")
        self._check_count("A key", names, key)
        self._check_operands(*[0] * (len(input_names(self)) - len(names)), *key, **options)
        return self.key_operands.encode(self._named(names, key, options))

    def _check_count(self, what, names, given):
        if len(given) != len(names):
            raise TypeError(f"{what} of {name_of(self)} must be {listed(names)}, not "
                            f"{plural(len(given), 'number')}")

    def _named(self, names, inputs, options):
        return dict.fromkeys(option_names(self)) | dict(zip(names, inputs, strict=False)) | options

    def decode(self, words: Sequence[int]) -> int:
        """Return the result from the list of words received from port ``o``.

        Errors are those of :meth:`.Message.decode`.
        """
        return self._results.decode(words)

    @property
    def _results(self) -> Message:
        return Message(self.word_width, (Field("result", self.result_words, "the result"),))

    # -- Numbers.

    @abc.abstractmethod
    def _check_operands(self, *inputs: int, **options: Any) -> None: ...

    @abc.abstractmethod
    def compute(self, *inputs: int, **options: Any) -> int:
        """Return the result of the hardware, by the steps of the paper's algorithm."""

    def _expected_words(self, result: int, *inputs: int) -> list[int]:
        return self._results.encode({"result": result})

    # -- Time.

    @property
    @abc.abstractmethod
    def cycles(self) -> Cycles:
        """:class:`montgomery.Cycles` of the longest operation: of each, if all take as long."""

    def _cycles_of(self, *inputs: int, **options: Any) -> Cycles:
        return self.cycles

    @property
    def _filler_cycles(self) -> Cycles:
        """:class:`montgomery.Cycles` of the operation and the key of :meth:`.Message.filler`."""
        return self.cycles

    # -- Hardware.

    @abc.abstractmethod
    def create(self) -> wiring.Component:
        """Return a new :class:`amaranth.lib.wiring.Component` with ports :attr:`signature`."""
