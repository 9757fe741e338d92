"""What a kind of core says of its operations, as data."""

import dataclasses

__all__ = ["SHORT_EXPONENT_BITS", "Definition", "Description", "Example", "Operand", "RsaKey",
           "WholeOperation", "long_exponent_bits", "plural"]

#: Length of the longest random exponent, in bits, where many operations are to take little time.
SHORT_EXPONENT_BITS = 6


def plural(count, noun):
    """Return a number with its noun: ``1 word``, ``2 words``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


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


@dataclasses.dataclass(frozen=True)
class Definition:
    """A number that a core is sent or that its words depend on, in words and as Python.

    Attributes
    ----------
    name : :class:`str`
    meaning : :class:`str`
        What the number is: a formula, and a sentence where the formula needs one. The modulus is m.
    python : :class:`str`
        An expression that gives the number, from the inputs of the operation, by their names, and
        from what is defined before.
    """

    name: str
    meaning: str
    python: str


@dataclasses.dataclass(frozen=True)
class Operand:
    """A part of what an operation is sent.

    Attributes
    ----------
    name : :class:`str`
    size : :class:`int`
        Number of words; bits where operands are side by side.
    meaning : :class:`str`
        What the words hold, in Markdown.
    python : :class:`str`
        An expression that gives the list of the words, or the number where operands are side by
        side in one word. ``split(number, count)`` gives the words of a number, the lowest first;
        those of a key have ``bits=K_WIDTH``.
    """

    name: str
    size: int
    meaning: str
    python: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class Description:
    """What a person who uses a core without Python has to know of its operations, in Markdown.

    Attributes
    ----------
    result : :class:`str`
        What is computed, in sentences.
    rules : list of pairs of :class:`str`
        What numbers have to be, and what they are by definition: name and text.
    definitions : list of :class:`Definition`
        Numbers that are the same for all operations of the core.
    options : tuple of :class:`str`
        Names of what may be given beside the inputs.
    constants : list of :class:`Definition`
        Numbers that belong to one operation, beside its inputs; to a key where there are keys.
    key_sent : :class:`str`
        How a key is sent, in sentences; empty for a core without port ``k``.
    key_operands : list of :class:`Operand`
        What a key is sent, in order.
    sent : :class:`str`
        How operands are sent, in sentences.
    operands : list of :class:`Operand`
        What is sent, in order.
    side_by_side : :class:`int`
        Number of words, if each holds a part of every operand, that of the first one in its lowest
        bits; else 0.
    received : :class:`str`
        How a result comes, in sentences.
    decoded : :class:`str`
        An expression that gives the result from its ``words``; ``join(words)`` gives the number
        that has these words, the lowest first.
    conversion : :class:`str`
        How to convert operands and results, in sentences.
    usage : :class:`str`
        Source of Python functions that show this.
    advice : :class:`str`
        What else matters for the time, in sentences.
    timed : :class:`str`
        What the clocks are those of.
    """

    result: str
    rules: list
    definitions: list = dataclasses.field(default_factory=list)
    options: tuple = ()
    constants: list = dataclasses.field(default_factory=list)
    key_sent: str = ""
    key_operands: list = dataclasses.field(default_factory=list)
    sent: str
    operands: list
    side_by_side: int = 0
    received: str
    decoded: str = "join(words)"
    conversion: str
    usage: str = ""
    advice: str = ""
    timed: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class Example:
    """How a user gets an ordinary result from a core, with numbers.

    Attributes
    ----------
    inputs : :class:`dict` from :class:`str` to :class:`int`
        The numbers by name.
    operations : list of pairs of :class:`str` and tuple of :class:`int`
        Each operation that it takes: what it is, and its inputs.
    result : :class:`int`
        What the inputs give, without any factor R.
    formula : :class:`str`
        The result by the names of the inputs.
    """

    inputs: dict
    operations: list
    result: int
    formula: str


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
