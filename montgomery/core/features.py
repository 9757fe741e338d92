"""What is said of cores: of all of a kind, of an architecture, and of one by its parameters."""

import dataclasses
from collections.abc import Mapping
from typing import Any

__all__ = ["About", "Cycles", "Kind", "Products", "Traits"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of core, by what one of its operations is.

    Attributes
    ----------
    name : :class:`str`
        A key of :data:`montgomery.KINDS`.
    prefix : :class:`str`
        What stands before the name of a core where all kinds are named; may be empty.
    group : :class:`str`
        What commands call all cores of the kind together.
    noun, nouns : :class:`str`
        What a core is called in a sentence, and what several are.
    operation : :class:`str`
        The noun for one operation.
    formula : :class:`str`
        The result of an operation, by the names of its inputs.
    inputs : :class:`dict` from :class:`str` to :class:`str`
        A line of help for each input of an operation, by name, in order.
    key_inputs : tuple of :class:`str`
        The inputs that make up a key, the last ones, on a core with port ``k``.
    does_rsa : :class:`bool`
        Whether an operation makes an RSA signature, or half of one.
    adapter : :class:`str`
        Name of the module that verification and documents ask about the kind; empty for a module of
        ``explore.simulation.kinds`` that is called as the kind.
    """

    name: str
    prefix: str = ""
    group: str
    noun: str
    nouns: str
    operation: str
    formula: str
    inputs: Mapping[str, str]
    key_inputs: tuple[str, ...] = ()
    does_rsa: bool = False
    adapter: str = ""

    def full_name(self, name: str) -> str:
        """Return the name of a core among those of all kinds: ``exponentiation.generic``."""
        return f"{self.prefix}.{name}".lstrip(".")


@dataclasses.dataclass(frozen=True, kw_only=True)
class About:
    """What is the same for all cores of an architecture.

    Attributes
    ----------
    source : :class:`str`
        Citation of the paper, and the algorithm or figure in it that the architecture follows.
    summary : :class:`str`
        One line for ``montgomery list``.
    formula : :class:`str`
        The result of an operation, if it is not that of the kind.
    uses_blocks : :class:`bool`
        Whether the hardware depends on the :class:`~montgomery.technology.Technology`.
    wraps : :class:`bool`
        Whether there is another core inside, which a parameter names; see :attr:`Traits.inner`.
    quick_width : :class:`int`
        Width in the preset ``quick``: one that people use, if tools take seconds for it.
    """

    source: str = ""
    summary: str = ""
    formula: str = ""
    uses_blocks: bool = False
    wraps: bool = False
    quick_width: int = 64


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cycles:
    """Clocks of one operation in an environment that never waits.

    Attributes
    ----------
    load_key : :class:`int`
        From the clock that accepts the first word of a key to the first one that may accept a word
        of an operation. 0 for a core without port ``k``.
    load : :class:`int`
        From the clock that accepts the first operand word to the one that accepts the last, both
        counted.
    compute : :class:`int`
        From the clock that accepts the last operand word to the one in which the first result word
        is ready. This is what papers call the time of a multiplication.
    unload : :class:`int`
        From the clock in which the first result word is ready to the one that hands over the last,
        both counted.
    interval : :class:`int`
        From the first result word of one operation to the first of the next, when the next one
        depends on the result of this one and has the same key. A word of the next operation follows
        the word of the result at the same place, one clock later. On a multiplier that keeps
        results as operands (:attr:`.Traits.keeps_results`) they are not sent. On a core without
        port ``k`` the next operation follows the whole result.
    """

    load_key: int = 0
    load: int
    compute: int
    unload: int
    interval: int


@dataclasses.dataclass(frozen=True)
class Products:
    """Multiplications that blocks of a device do.

    Attributes
    ----------
    count : :class:`int`
    a_width, b_width : :class:`int`
        Bits of the unsigned operands.
    undivided : :class:`bool`
        Whether each must fit into one block.
    """

    count: int
    a_width: int
    b_width: int
    undivided: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Traits:
    """What depends on the parameters of a core.

    Attributes
    ----------
    initiation : :class:`int` or ``None``
        Clocks from a result to the next one, for independent operations that are sent back to back
        in an environment that never waits. None if unknown.
    moves : tuple of :class:`int`
        Clocks, from the first word of an operand on, near which words move between parts of the
        core. Resets are tried there.
    takes_every : :class:`int`
        Operations begin in every so many clocks, and in none between these.
    parallel : :class:`int`
        Number of operations with one key that run side by side, each for as long as
        :class:`montgomery.Cycles` says.
    keeps_results : :class:`bool`
        Whether an operand can be the result of the operation before, which is not sent; see
        :meth:`montgomery.Parameters.encode`.
    takes_shorter : :class:`bool`
        Whether the length of numbers is data: the core takes the words of cores of a smaller width,
        which ``shorter(width)`` gives, in the clocks of those.
    coprime_to : :class:`int`
        Moduli and factors that have a factor in common with this are refused.
    checks : :class:`bool`
        Whether results are checked before they leave the core; ones alone are given instead of a
        wrong one.
    single_factor : :class:`bool`
        Of a core for RSA with CRT: whether keys without CRT are taken too, of which q is 1.
    products : tuple of :class:`Products`
        What is multiplied in blocks.
    skew_bits : :class:`int` or ``None``
        Number of registers that only delay operands, which papers may leave out of their areas.
        None if they are not counted apart from other registers.
    reach : :class:`int`
        Of a multiplier: ``bound(modulus)`` is at most so many times the modulus.
    headroom : :class:`int`
        Of a multiplier: how much larger the product x y may be than that of the largest operands.
        Where x y is below ``headroom * bound(modulus)**2``, and x and y are below R, the result is
        below ``bound(modulus)`` as always. So sums of results may be operands.
    flushes : :class:`int`
        Number of operations after which nothing of those before is left in the core.
    inner : :class:`montgomery.CoreParameters` or ``None``
        The core inside that a parameter names.
    advice : :class:`str`
        What else matters for the time, in sentences.
    """

    initiation: int | None = None
    moves: tuple[int, ...] = ()
    takes_every: int = 1
    parallel: int = 1
    keeps_results: bool = False
    takes_shorter: bool = False
    coprime_to: int = 1
    checks: bool = False
    single_factor: bool = False
    products: tuple = ()
    skew_bits: int | None = None
    reach: int = 2
    headroom: int = 1
    flushes: int = 2
    inner: Any = None
    advice: str = ""

    def blocks(self, technology: Any) -> int:
        """Return the number of multiplier blocks on a :class:`~montgomery.technology.Technology`.

        :exc:`ValueError` says that it has no multipliers, or that they are too small.
        """
        block, count = technology.multiplier, 0
        if self.products and block is None:
            raise ValueError(f"The technology must be one with multipliers, not {technology.name}")
        for each in self.products:
            parts = -(-each.a_width // block.a_width) * -(-each.b_width // block.b_width)
            if each.undivided and parts > 1:
                widest = min(block.a_width, block.b_width)
                raise ValueError(
                    f"Digits must have {widest} bits or fewer on {technology.name}, whose "
                    f"{block.cell} multiplies unsigned numbers of {block.a_width} x "
                    f"{block.b_width} bits, not {max(each.a_width, each.b_width)}")
            count += each.count * parts
        return count
