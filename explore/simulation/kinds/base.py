"""What every kind of core says of its operations: operands to try, and text."""

from __future__ import annotations

import abc
import dataclasses
import functools
import random
import tomllib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from montgomery.arithmetic import coprime_below
from montgomery.core import about, input_names, kind_of, name_of, traits

__all__ = ["SHORT_EXPONENT_BITS", "Adapter", "Example", "OfCurve", "Vector"]

#: The inputs of an operation, in the order in which ``compute`` takes them.
Vector = tuple[int, ...]

#: Length of the longest random exponent, in bits, where many operations are to take little time.
SHORT_EXPONENT_BITS = 6


@dataclasses.dataclass(frozen=True, kw_only=True)
class Example:
    """How a user gets an ordinary result from a core, with numbers.

    It has the numbers by name, each operation that it takes (what it is, and its inputs), what the
    inputs give, without any factor R, and that as a formula of their names.
    """

    inputs: dict[str, int]
    operations: list[tuple[str, Vector]]
    result: int
    formula: str


@functools.cache
def _documents() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("documents.toml").read_text(encoding="utf-8"))


class Adapter(abc.ABC):
    """The operations of a core, and operands that are likely to show what is wrong with it."""

    def __init__(self, params: Any) -> None:
        self.params = params
        self.kind = kind_of(params)
        self.inputs = input_names(params)

    @property
    def formula(self) -> str:
        """The result of an operation, by the names of its inputs."""
        return about(self.params).formula or self.kind.formula

    @property
    def longest_exponent(self) -> int:
        """Bits of the longest exponent; 0 if the core takes none."""
        return 0

    # -- The operation.

    @abc.abstractmethod
    def golden(self, *inputs: int) -> int:
        """Return the result by the definition of the operation, as Python's own integers have it.

        It is below the modulus, even where the core may return a larger number.
        """

    def contradiction(self, result: int, *inputs: int) -> str:
        """Return what a result of the model should have been; empty if it is right."""
        golden = self.golden(*inputs)
        return "" if result == golden else f"{self.formula} = {golden:#x}"

    def told(self, result: int) -> str:
        """Return a result as text."""
        return f"{result:#x}"

    def constants(self) -> dict[str, int]:
        """Return numbers, by name, on which a result depends beside the inputs."""
        return {}

    @abc.abstractmethod
    def longest(self) -> Vector:
        """Return the inputs of an operation that takes the most words and the most clocks."""

    def lengths(self, *inputs: int) -> tuple[int, ...]:
        """Return the lengths, in bits, on which the time may depend; they are public."""
        return (inputs[-1].bit_length(),)

    # -- Operands.

    @abc.abstractmethod
    def edges(self) -> list[Vector]:
        """Return the inputs that are most likely to be computed wrongly or to take more clocks."""

    def solved(self) -> list[Vector]:
        """Return inputs that were solved for what random ones hardly ever give inside of a core.

        These are quotients and results of long carries, and results at the ends of their range. The
        list is the same in each call.
        """
        return []

    def rare(self, every: int = 1) -> Sequence[Vector]:
        """Return inputs that random ones hardly ever give: in what a core recodes, compares or
        inverts, and for which it computes results that it compares; or one of about so many of
        them.

        They follow from the numbers on which the operation depends, and the ends of words. The list
        is the same in each call.
        """
        return []

    def narrowly_refused(self, every: int = 1) -> Sequence[tuple[Vector, list[int]]]:
        """Return operations as those of :meth:`refused`, in which one bit is wrong of what is
        checked, or one of about so many of them.
        """
        return []

    def telling(self) -> list[Vector]:
        """Return inputs of a few short operations that use all that a core keeps for them.

        After a reset they show what else it kept. The list is the same in each call, and empty
        where any operation does.
        """
        return []

    def refused(self, rng: random.Random) -> list[tuple[Vector, list[int]]]:
        """Return operations whose results a core that checks them must refuse.

        Each is a pair: the inputs of a right operation, and the words of a wrong key, which are
        sent in place of those of its key and take as many clocks. On a core without keys they are
        the words of a wrong operation, in place of those of the right one.
        """
        return []

    @abc.abstractmethod
    def sample(self, rng: random.Random, *, shorter: bool = False) -> Vector:
        """Return random inputs of an operation with a short exponent, which takes little time.

        The modulus has the full length, or any if it may be ``shorter``.
        """

    def modulus(self, rng: random.Random, *, shorter: bool = False) -> int:
        """Return a random modulus of full length, or of any length."""
        bits = rng.randint(2, self.params.width) if shorter else self.params.width
        return self.usable(rng.getrandbits(bits) | (1 << (bits - 1)) | 1)

    def usable(self, modulus: int) -> int:
        """Return the largest modulus up to an odd one that the core works with."""
        return coprime_below(modulus, traits(self.params).coprime_to)

    def whole(self, rng: random.Random) -> tuple[list[Vector], int]:
        """Return an operation with random numbers of full length, or several that make one.

        Each comes after the one before. The length of the exponent, in bits, is 0 without one.
        """
        return [self.sample(rng)], 0

    def check_enumerable(self) -> None:
        """Refuse a core of which :meth:`every` cannot list all operations; the message has no
        advice.
        """
        raise ValueError(f"Only a multiplier can be tried with all operands, not the "
                         f"{self.kind.noun} {name_of(self.params)}")

    def dependent(self, rng: random.Random, count: int) -> tuple[list[Vector], list[int]]:
        """Return operations, each of the result before, and their results.

        There are some where the core keeps results as operands.
        """
        return [], []

    def every(self, size: int) -> Iterator[Collection[Vector]]:
        """Yield the inputs of all operations, in blocks of about ``size``.

        A block has a length, and can be sent to another process.
        """
        return iter(())

    # -- Text.

    def example(self, rng: random.Random) -> Example:
        """Return an example with random numbers, which takes little time."""
        inputs = self.sample(rng)
        return Example(inputs=dict(zip(self.inputs, inputs, strict=True)),
                       operations=[(f"one {self.kind.operation}", inputs)],
                       result=self.params.compute(*inputs), formula=self.formula)

    def words(self) -> dict[str, Any]:
        """Return what the texts of ``documents.toml`` name, and on what some of them depend."""
        return {"core": self.params, "formula": self.formula, "moduli": self.moduli(),
                "bits": self.longest_exponent}

    def document(self) -> dict[str, Any]:
        """Return what a person who uses a core without Python has to know of its operations, in
        Markdown, as ``documents.toml`` has it for the kind.

        ``result`` says in sentences what is computed, and ``conversion`` how to convert operands
        and results. ``rules`` are names with what these numbers have to be, or are by definition.
        The clocks are those of what is ``timed``. ``usage``, if there is any, is the source of
        Python functions that show the conversion, and ``illegal`` what the hardware does with other
        operands.
        """
        said, words = _documents()[self.kind.name], self.words()
        some: dict[str, str] = {}
        for condition, texts in said.get("when", {}).items():
            some |= {name: text.format(**words) if words[condition] else some.get(name, "")
                     for name, text in texts.items()}

        def filled(text: str) -> str:
            paragraphs = text.format(**words, **some).split("\n\n")
            return "\n\n".join(" ".join(each.split()) for each in paragraphs)

        rules = {name: filled(text) for name, text in said["rules"].items()}
        return {"rules": [(name, text) for name, text in rules.items() if text],
                "usage": said.get("usage", "").format(**words, **some),
                **{name: filled(said[name]) for name in ("result", "conversion", "timed", "illegal")
                   if name in said}}

    def moduli(self) -> str:
        """Return the rule for moduli, as text."""
        width, avoided = self.params.width, traits(self.params).coprime_to
        rule = f"odd, from 3 to 2^{width} - 1"
        return rule if avoided == 1 else (
            f"{rule}, with no factor in common with an element of base B, which are listed below; "
            f"one whose prime factors all have more than {self.params.word_width} bits has none")


class OfCurve(Adapter):
    """The operations of a core for a curve, all of which take the same time."""

    @property
    def curve(self) -> Any:
        return self.params.domain

    def lengths(self, *inputs: int) -> tuple[int, ...]:
        return ()

    def words(self) -> dict[str, Any]:
        return {**super().words(), "curve": self.curve,
                "number_bits": self.params.word_width * self.params.field_words}
