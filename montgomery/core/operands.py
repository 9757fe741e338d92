"""What a core computes, and numbers to try it with."""

import abc

from .ports import Ports

__all__ = ["Operands"]


class Operands(Ports):
    """The operation of a core, and operands of it; see :class:`montgomery.CoreParameters`."""

    #: What a core of this kind is called in a sentence, and what several are.
    noun, nouns = "core", "cores"
    #: The result of an operation, as a formula of the names of its inputs.
    formula = ""
    #: Whether results are checked before they leave the core, which gives :attr:`refusal` in place
    #: of a wrong one.
    checks = False
    refusal = None

    @abc.abstractmethod
    def golden(self, *inputs):
        """Return the result by the definition of the operation, as Python's own integers have it.

        It is below the modulus, even where :meth:`compute` may return a larger number.
        """

    def contradiction(self, result, *inputs):
        """Return what a result of :meth:`compute` should have been; empty if it is right."""
        golden = self.golden(*inputs)
        return "" if result == golden else f"{self.formula} = {golden:#x}"

    @property
    def constants_of_core(self):
        """Numbers, by name, on which a result depends beside the inputs."""
        return {}

    def moduli_text(self):
        """Return the rule for moduli, as text."""
        return f"odd, from 3 to 2^{self.width} - 1"

    def usable_modulus(self, modulus):
        """Return the largest modulus up to an odd one that the core works with, at least 3.

        Where all moduli work it is that one.
        """
        return modulus

    @abc.abstractmethod
    def check_operands(self, *inputs):
        """Refuse operands that the core is not made for.

        Raises
        ------
        TypeError
            If one is not an integer.
        ValueError
            If one is out of range.
        """

    @property
    @abc.abstractmethod
    def longest(self):
        """The inputs of an operation that takes the most words and the most clocks."""

    @staticmethod
    @abc.abstractmethod
    def lengths(*inputs):
        """Return the lengths, in bits, on which the time of an operation may depend.

        They are public.
        """

    def shorter_cores(self):
        """Return the parameters of some shorter cores whose words the core takes as well.

        It takes as long for them as the shorter core. There are none by default.
        """
        return []

    def fitted(self, *inputs, **options):
        """Return the parameters whose words give the core the least time for an operation.

        These are its own parameters, unless the core takes the words of shorter cores as well.

        Raises
        ------
        ValueError
            If the numbers are too long for the core.
        """
        return self

    @abc.abstractmethod
    def edge_operands(self):
        """Return the inputs that are most likely to be computed wrongly or to take more clocks."""

    def solved_operands(self):
        """Return inputs that were solved for what random ones hardly ever give inside of a core.

        These are quotients and results of long carries, and results at the ends of their range. The
        list is the same in each call.
        """
        return []

    def telling_operands(self):
        """Return inputs of a few short operations that use all that a core keeps for them.

        After a reset they show what else it kept. The list is the same in each call, and empty
        where any operation does.
        """
        return []

    def refused_operations(self, rng):
        """Return operations whose results a core that checks them must refuse.

        Each is a pair: the inputs of a right operation, and the words of a wrong key, which are
        sent in place of those of its key and take as many clocks. There are none where nothing is
        checked.

        Parameters
        ----------
        rng : :class:`random.Random`
        """
        return []

    @abc.abstractmethod
    def random_operands(self, rng, *, shorter=False):
        """Return random inputs of an operation with a short exponent, which takes little time.

        Parameters
        ----------
        rng : :class:`random.Random`
        shorter : :class:`bool`
            The modulus has any length, instead of the full length.
        """

    def random_modulus(self, rng, *, shorter=False):
        """Return a random modulus of full length, or of any length; see :meth:`random_operands`."""
        bits = rng.randint(2, self.width) if shorter else self.width
        return self.usable_modulus(rng.getrandbits(bits) | (1 << (bits - 1)) | 1)

    @abc.abstractmethod
    def whole_operation(self, rng):
        """Return a :class:`~montgomery.operations.WholeOperation` with random numbers of full
        length.
        """

    def check_enumerable(self):
        """Refuse a core of which :meth:`every_operation` cannot list all operations.

        Raises
        ------
        ValueError
            If the core is one of these; the message has no advice.
        """
        raise ValueError(f"Only a multiplier can be tried with all operands, not the {self.noun} "
                         f"{self.name()}")

    def every_operation(self, size):
        """Return an iterable of the inputs of all operations, in blocks of about ``size``.

        A block has a length, can be iterated over, and can be sent to another process. There are no
        blocks if :meth:`check_enumerable` refuses the core.
        """
        return ()
