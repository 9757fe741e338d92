"""Everything that can be said about a core without hardware."""

import abc
import dataclasses
import types

from ..operations import Example
from .operands import Operands

__all__ = ["CoreParameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class CoreParameters(Operands):
    """What a core is instantiated with, and everything that can be said without hardware.

    This is what the kinds of cores have in common: :class:`montgomery.kinds.multiplier.Multiplier`,
    :class:`montgomery.kinds.exponentiator.Exponentiator`,
    :class:`montgomery.kinds.rsa_crt.RsaCrt` and :class:`montgomery.kinds.hash.Hash`. Each core
    derives one frozen class named ``Parameters`` from one of these, in a module of its own; see
    :meth:`name`.

    Whatever uses cores asks them what it has to know, here or by a method, and never which kind
    they are. So a new kind is a class derived from this one, in a module of
    :mod:`montgomery.kinds`.

    Parameters
    ----------
    width : :class:`int`
        Every odd modulus from 3 to ``2**width - 1`` works, unless the architecture's documentation
        says which do not; see :meth:`usable_modulus`.
    word_width : :class:`int`
        Bits per word of the streams.

    Raises
    ------
    TypeError
        For a parameter that is unknown or of the wrong type.
    ValueError
        For a value that breaks its rule; the message names the nearest legal one.
    """

    #: What stands before the name of a core of this kind where all kinds are named; may be empty.
    prefix = ""
    #: What commands call all cores of this kind together.
    group = ""
    #: Names that the kind had, which commands and files may still have.
    formerly = ()
    #: The hardware is the same for every :class:`~montgomery.technology.Technology`.
    portable = True
    #: A line of help for each input of an operation, by its name, in the order in which methods
    #: take the inputs.
    input_help = types.MappingProxyType({})
    #: Bits of the longest exponent; 0 if the core takes no exponent.
    longest_exponent = 0
    #: Whether an operation of the core makes an RSA signature or half of one; see
    #: :meth:`rsa_operations`.
    does_rsa = False
    #: Whether an operand can be the result of the operation before, which is not sent; only of
    #: multipliers, see :meth:`Parameters.encode`.
    chains = False
    #: Number of registers that only delay operands, which papers may leave out of their areas. None
    #: if they are not counted apart from other registers.
    skew_bits = None
    #: Clocks from the first word of a result to the first word of the next result, for independent
    #: operations that are sent back to back in an environment that never waits. None if unknown.
    initiation = None
    #: Number of operations with one key that run side by side, each for as long as
    #: :class:`Cycles` says.
    parallel = 1
    #: :class:`Cycles` of every operation, or of the slowest operation if they hardly differ. None
    #: if they depend on the inputs.
    common_cycles = None
    #: Citation of the paper, and the algorithm or figure in it that the architecture follows.
    source = ""
    #: One line for ``montgomery list``.
    summary = ""
    #: Width of the core in the preset ``quick``: one that people use, if tools take seconds for it.
    quick_width = 64

    @abc.abstractmethod
    def cycles_of(self, *inputs):
        """Return the :class:`Cycles` of one operation, exactly."""

    def rsa_operations(self, key, message):
        """Return the operations that raise a message to the private exponent of a key.

        Parameters
        ----------
        key : :class:`~montgomery.operations.RsaKey`
        message : :class:`int`
            Below its modulus.

        Returns
        -------
        list of pairs of :class:`tuple` and :class:`dict`
            Inputs and options of each: one operation, or two whose results
            :meth:`~montgomery.operations.RsaKey.join` joins. Empty if the core is too short, or
            :attr:`does_rsa` is false.
        """
        return []

    @staticmethod
    def rsa_clocks(bits, *, compute, interval):
        """Return the clocks of an RSA operation with a modulus and an exponent of ``bits`` bits.

        Parameters
        ----------
        compute, interval : number
            Those of :class:`Cycles`, for the longest operation of a core of ``bits`` bits.

        Returns
        -------
        number or None
            None if RSA does not consist of operations of this kind of core.
        """
        return None

    def example(self, rng):
        """Return an :class:`~montgomery.operations.Example` with random numbers.

        It takes little time: exponents are short.

        Parameters
        ----------
        rng : :class:`random.Random`
        """
        inputs = self.random_operands(rng)
        return Example(inputs=dict(zip(self.inputs, inputs, strict=True)),
                       operations=[(f"one {self.operation}", inputs)],
                       result=self.compute(*inputs), formula=self.formula)

    @abc.abstractmethod
    def describe(self):
        """Return the :class:`~montgomery.operations.Description` of the operations."""

    def multipliers(self, technology):
        """Return the number of multiplier blocks that the core takes.

        Parameters
        ----------
        technology : :class:`~montgomery.technology.Technology`
            One that has multipliers.

        Raises
        ------
        ValueError
            If its multipliers cannot hold what the core multiplies.
        """
        return 0

    @abc.abstractmethod
    def create(self):
        """Return a new :class:`amaranth.lib.wiring.Component` with ports :class:`Signature`."""
