"""What a kind of core says of its operations, as data."""

import dataclasses

__all__ = ["SHORT_EXPONENT_BITS", "Description", "RsaKey", "WholeOperation",
           "long_exponent_bits"]

#: Length of the longest random exponent, in bits, where many operations are to take little time.
SHORT_EXPONENT_BITS = 6


def long_exponent_bits(params):
    """Return the length of an exponent that takes more than a word, but no long time."""
    return min(params.longest_exponent, params.i_width + 1, 4 * SHORT_EXPONENT_BITS)


@dataclasses.dataclass(frozen=True, kw_only=True)
class WholeOperation:
    """An exponentiation with an exponent of full length, as a core does it.

    Attributes
    ----------
    inputs : :class:`dict` from :class:`str` to :class:`int`
        Its numbers by name.
    operations : list of tuple of :class:`int`
        The inputs of the core's operations that it takes, each after the one before.
    result : :class:`int`
        By the integer model of the core.
    golden : :class:`int`
        As Python itself has it.
    exponent_bits : :class:`int`
        Length of the exponent.
    """

    inputs: dict
    operations: list
    result: int
    golden: int
    exponent_bits: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Description:
    """What a person who uses a core has to know of its operations, in Markdown.

    Attributes
    ----------
    result : :class:`str`
        What is computed, in sentences.
    rules : list of pairs of :class:`str`
        What numbers have to be, and what they are by definition: name and text.
    sent : :class:`str`
        How operands are sent; empty where :meth:`~montgomery.CoreParameters.encode` says it.
    unit : :class:`str`
        What ``operands`` are counted in: words or bits.
    operands : list of pairs of :class:`str` and :class:`int`
        Names of the operands and their lengths, in the order in which they are sent; empty where
        :meth:`~montgomery.CoreParameters.encode` says it.
    encoded : :class:`bool`
        The docstring of :meth:`~montgomery.CoreParameters.encode` belongs to the description.
    received : :class:`str`
        How a result comes.
    timed : :class:`str`
        What the clocks are those of.
    """

    result: str
    rules: list
    sent: str = ""
    unit: str = "words"
    operands: list = dataclasses.field(default_factory=list)
    encoded: bool = True
    received: str
    timed: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class RsaKey:
    """The numbers of a private RSA key, by their names in RFC 8017, section 3.2.

    Attributes
    ----------
    n, d : :class:`int`
        Modulus and private exponent.
    p, q : :class:`int`
        Factors of the modulus.
    d_p, d_q : :class:`int`
        The exponent modulo p - 1, and modulo q - 1.
    q_inverse : :class:`int`
        1/q modulo p.
    """

    n: int
    d: int
    p: int
    q: int
    d_p: int
    d_q: int
    q_inverse: int

    def join(self, of_p, of_q):
        """Return the number below n that is ``of_p`` modulo p and ``of_q`` modulo q."""
        return of_q + self.q * ((of_p - of_q) * self.q_inverse % self.p)
