"""What cores of one kind have in common."""

import dataclasses
from collections.abc import Mapping

__all__ = ["Kind"]


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
