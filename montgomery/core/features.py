"""What is said of cores: of all of a kind, of an architecture, and of one by its parameters."""

import dataclasses
from collections.abc import Mapping
from typing import Any

__all__ = ["About", "Cycles", "Kind", "Products", "Traits"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of core, by what one of its operations is."""

    name: str  # a key of KINDS
    # What stands before the name of a core where all kinds are named; may be empty.
    prefix: str = ""
    group: str  # what commands call all cores of the kind together
    # What a core is called in a sentence, and what several are.
    noun: str
    nouns: str
    operation: str  # the noun for one operation
    formula: str  # the result of an operation, by the names of its inputs
    inputs: Mapping[str, str]  # a line of help for each input of an operation, by name, in order
    # The inputs that make up a key, the last ones, on a core with port ``k``.
    key_inputs: tuple[str, ...] = ()
    does_rsa: bool = False  # whether an operation makes an RSA signature, or half of one
    # Name of the module that verification and documents ask about the kind; empty for a module of
    # ``explore.simulation.kinds`` that is called as the kind.
    adapter: str = ""

    def full_name(self, name: str) -> str:
        """Return the name of a core among those of all kinds: ``exponentiation.generic``."""
        return f"{self.prefix}.{name}".lstrip(".")


@dataclasses.dataclass(frozen=True, kw_only=True)
class About:
    """What is the same for all cores of an architecture."""

    # Citation of the paper, and the algorithm or figure in it that the architecture follows.
    source: str = ""
    summary: str = ""  # one line for ``montgomery list``
    formula: str = ""  # the result of an operation, if it is not that of the kind
    uses_blocks: bool = False  # whether the hardware depends on the Technology
    wraps: bool = False  # whether there is another core inside, which a parameter names
    # Width in the preset ``quick``: one that people use, if tools take seconds for it.
    quick_width: int = 64


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cycles:
    """Clocks of one operation in an environment that never waits."""

    # From the clock that accepts the first word of a key to the first one that may accept a word of
    # an operation. 0 for a core without port ``k``.
    load_key: int = 0
    # From the clock that accepts the first operand word to the one that accepts the last, both
    # counted.
    load: int
    # From the clock that accepts the last operand word to the one in which the first result word is
    # ready. This is what papers call the time of a multiplication.
    compute: int
    # From the clock in which the first result word is ready to the one that hands over the last,
    # both counted.
    unload: int
    # From the first result word of one operation to the first of the next, when the next one
    # depends on the result of this one and has the same key. A word of the next operation follows
    # the word of the result at the same place, one clock later. On a multiplier that keeps results
    # as operands (``keeps_results``) they are not sent. On a core without port ``k`` the next
    # operation follows the whole result.
    interval: int


@dataclasses.dataclass(frozen=True)
class Products:
    """Multiplications that blocks of a device do."""

    count: int
    # Bits of the unsigned operands.
    a_width: int
    b_width: int
    undivided: bool = False  # whether each must fit into one block


@dataclasses.dataclass(frozen=True, kw_only=True)
class Traits:
    """What depends on the parameters of a core."""

    # Clocks from a result to the next one, for independent operations that are sent back to back in
    # an environment that never waits. None if unknown.
    initiation: int | None = None
    # Clocks, from the first word of an operand on, near which words move between parts of the core.
    # Resets are tried there.
    moves: tuple[int, ...] = ()
    takes_every: int = 1  # operations begin in every so many clocks, and in none between these
    # Number of operations with one key that run side by side, each for as long as Cycles says.
    parallel: int = 1
    # Whether an operand can be the result of the operation before, which is not sent; see
    # ``Parameters.encode``.
    keeps_results: bool = False
    # Whether the length of numbers is data: the core takes the words of cores of a smaller width,
    # which ``shorter(width)`` gives, in the clocks of those.
    takes_shorter: bool = False
    coprime_to: int = 1  # moduli and factors that have a factor in common with this are refused
    # Whether results are checked before they leave the core; ones alone are given instead of a
    # wrong one.
    checks: bool = False
    # Of a core for RSA with CRT: whether keys without CRT are taken too, of which q is 1.
    single_factor: bool = False
    products: tuple = ()  # what is multiplied in blocks
    # Number of registers that only delay operands, which papers may leave out of their areas. None
    # if they are not counted apart from other registers.
    skew_bits: int | None = None
    reach: int = 2  # of a multiplier: ``bound(modulus)`` is at most so many times the modulus
    # Of a multiplier: how much larger the product x y may be than that of the largest operands.
    # Where x y is below ``headroom * bound(modulus)**2``, and x and y are below R, the result is
    # below ``bound(modulus)`` as always. So sums of results may be operands.
    headroom: int = 1
    flushes: int = 2  # number of operations after which nothing of those before is left in the core
    inner: Any = None  # the core inside that a parameter names
    advice: str = ""  # what else matters for the time, in sentences

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
