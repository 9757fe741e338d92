"""The contract of every core."""

import abc
import dataclasses
import functools
import inspect
from typing import ClassVar

from ..arithmetic import check_operand
from .kind import Kind
from .messages import Field, Message, plural
from .ports import Signature
from .rules import Rules
from .traits import About, Traits

__all__ = ["CoreParameters", "input_names", "key_names", "key_of", "kind_of",
           "option_names"]


@functools.cache
def _arguments(cls):
    found = inspect.signature(cls.compute).parameters.values()
    return tuple(tuple(each.name for each in found if each.kind is kind and each.name != "self")
                 for kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD,
                              inspect.Parameter.KEYWORD_ONLY))


def input_names(params):
    """Return the names of the inputs of an operation: what ``compute`` takes."""
    return _arguments(type(params))[0]


def option_names(params):
    """Return the names of what may be given beside the inputs; each is None by default."""
    return _arguments(type(params))[1]


def kind_of(params):
    """Return the :class:`Kind` of a core."""
    return params._kind


def key_names(params):
    """Return the names of the inputs that make up a key, the last ones; none without port ``k``."""
    return params._kind.key_inputs if params.k_words else ()


def _listed(names):
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def key_of(params, *inputs):
    """Return the inputs that make up the key of an operation, in order."""
    return inputs[len(inputs) - len(key_names(params)):]


@dataclasses.dataclass(frozen=True, kw_only=True)
class CoreParameters(Rules, abc.ABC):
    """What a core is instantiated with, and everything that can be said without hardware.

    Each core derives one frozen class named ``Parameters`` from that of its kind, such as
    :class:`montgomery.kinds.multiplier.Multiplier`, in a module of its own; see :meth:`name`.

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

    _kind: ClassVar[Kind]
    #: What is the same for all cores of the architecture.
    about: ClassVar[About] = About()

    @property
    def traits(self):
        """The :class:`Traits`, which tools ask for."""
        return Traits()

    # -- Words.

    @property
    @abc.abstractmethod
    def operands(self):
        """The :class:`Message` to port ``i`` for one operation."""

    @property
    def key_operands(self):
        """The :class:`Message` to port ``k`` for one key; it has no fields without the port.

        A key is what operations have in common: the modulus and its constants, and the exponent if
        there is one.
        """
        return Message(0)

    @property
    def results(self):
        """The :class:`Message` that comes from port ``o`` for one operation."""
        return Message(self.word_width, (Field("result", self.result_words, "the result"),))

    @property
    @abc.abstractmethod
    def result_words(self):
        """Number of words of a result."""

    @property
    def i_words(self):
        """Number of words of an operation, of the longest one if they differ."""
        return self.operands.words

    @property
    def k_words(self):
        """Number of words of a key; 0 without port ``k``."""
        return self.key_operands.words

    @functools.cached_property
    def signature(self):
        """:class:`Signature` of the component."""
        return Signature(self.word_width, i_width=self.operands.width, o_width=self.results.width,
                         k_width=self.key_operands.width)

    def encode(self, *inputs, **options):
        """Return the list of words to send to port ``i``, in order.

        Parameters
        ----------
        inputs : :class:`int`
            The inputs of the operation, without those of the key: then they are only checked to fit
            in their words. With those of the key, operands are checked in full.
        options
            As of :meth:`compute`.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """
        names = input_names(self)
        own = len(names) - len(key_names(self))
        if len(inputs) == len(names):
            self.check_operands(*inputs, **options)
        elif len(inputs) != own:
            raise TypeError(f"An operation of {self.name()} must be {_listed(names[:own])}, not "
                            f"{plural(len(inputs), 'number')}")
        else:
            for name, value in zip(names, inputs, strict=False):
                check_operand(name, value, 1 << self.operands.width * self.i_words)
        return self.operands.encode(self._named(names, inputs, options))

    def encode_key(self, *key, **options):
        """Return the list of words to send to port ``k``, in order.

        Parameters
        ----------
        key : :class:`int`
            The inputs that make up a key, the last ones of :meth:`compute`.
        options
            As of :meth:`compute`.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """
        names = key_names(self)
        if not names:
            raise TypeError(f"{self.name()} takes no key; send its inputs with each "
                            f"{self._kind.operation}")
        if len(key) != len(names):
            raise TypeError(f"A key of {self.name()} must be {_listed(names)}, not "
                            f"{plural(len(key), 'number')}")
        self.check_operands(*[0] * (len(input_names(self)) - len(names)), *key, **options)
        return self.key_operands.encode(self._named(names, key, options))

    def _named(self, names, inputs, options):
        return dict.fromkeys(option_names(self)) | dict(zip(names, inputs, strict=False)) | options

    def decode(self, words):
        """Return the result from the list of words received from port ``o``.

        Raises
        ------
        ValueError
            If the number of words is not :attr:`result_words`, or one has too many bits.
        """
        return self.results.decode(words)

    # -- Numbers.

    @abc.abstractmethod
    def check_operands(self, *inputs, **options):
        """Refuse operands that the core is not made for.

        Raises
        ------
        TypeError
            If one is not an integer.
        ValueError
            If one is out of range.
        """

    @abc.abstractmethod
    def compute(self, *inputs, **options):
        """Return the result of the hardware, by the steps of the paper's algorithm.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """

    def result(self, *inputs, **options):
        """Return the list of words that come from port ``o``, in order.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """
        return self.results.encode({"result": self.compute(*inputs, **options)})

    # -- Time.

    @property
    @abc.abstractmethod
    def cycles(self):
        """:class:`montgomery.Cycles` of the longest operation: of each, if all take as long."""

    def cycles_of(self, *inputs, **options):
        """Return the :class:`montgomery.Cycles` of one operation, exactly."""
        return self.cycles

    @property
    def filler_cycles(self):
        """:class:`montgomery.Cycles` of the operation and the key of :meth:`.Message.filler`."""
        return self.cycles

    # -- Hardware.

    @abc.abstractmethod
    def create(self):
        """Return a new :class:`amaranth.lib.wiring.Component` with ports :attr:`signature`."""
