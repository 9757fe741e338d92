"""An exponentiator around any multiplier whose products chain."""

import dataclasses

from ..blocks.left_to_right import LeftToRight
from ..core import Cycles, ceil_div, parameter
from ..registry import architectures
from .processor import Exponentiator

__all__ = ["Exponentiator", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(LeftToRight):
    """Parameters of :class:`Exponentiator`.

    Parameters
    ----------
    multiplier : :class:`str`
        Name of the architecture, and after it what is not the default: ``mmm_mx_1d
        arrangement=row pe_width=8``. Its words are those of the exponentiator.
    method : :class:`str`
        ``always``: a square and a product for each bit of the exponent; ``binary``: a square for
        each bit and a product for each one, so that the time tells how many ones there are.
    """

    source = ("Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery Multiplication"
              " Systolic Architecture Implemented on an FPGA; Algorithm 5 (square and multiply "
              "always, left to right), Figure 6")
    summary = "square and multiply around any multiplier whose results may be its operands"
    portable = False

    multiplier: str = parameter("mmm_mx_1d", "architecture, followed by its parameters as "
                                "KEY=VALUE")
    method: str = parameter("always", "multiply for each bit of the exponent (always), or for "
                            "each bit that is 1 (binary)",
                            choices=("always", "binary"))

    def check(self):
        inner = self.inner
        if not inner.positional:
            raise ValueError(f"The multiplier must take numbers as digits, and "
                             f"{self.multiplier!r} takes residues; choose another one")
        if inner.bound(3) > 6:
            raise ValueError(f"Products of the multiplier must be below twice the modulus, and "
                             f"those of {self.multiplier!r} are not; choose another one")
        if inner.initiation == 2:
            # In which clocks is beyond what cycles() could know.
            raise ValueError(f"The multiplier must take operands in any clock, and "
                             f"{self.multiplier!r} takes them in every second clock; choose "
                             f"another one")

    @property
    def inner(self):
        """:class:`montgomery.Parameters` of the multiplier.

        Raises
        ------
        TypeError, ValueError
            If there is no such architecture, parameter or value.
        """
        name, *settings = self.multiplier.split() or [""]
        if name not in architectures():
            raise ValueError(f"Multiplier must be one of {', '.join(architectures())}, not "
                             f"{name!r}")
        cls = architectures()[name]
        types = {field.name: field.type for field in dataclasses.fields(cls)}
        own = {key: getattr(self, key) for key in ("width", "word_width") if key in types}
        others = {}
        for setting in settings:
            key, _, value = setting.partition("=")
            if key in own or key not in types:
                legal = ", ".join(key for key in types if key not in own)
                raise ValueError(f"A parameter of multiplier {name} must be one of {legal}, not "
                                 f"{key!r}")
            if types[key] is int:
                if not value.isdecimal():
                    raise ValueError(f"Parameter {key} of multiplier {name} must be an integer, "
                                     f"not {value!r}")
                value = int(value)
            others[key] = value
        return cls(**own, **others)

    def modules(self):
        return (*super().modules(), *self.inner.modules())

    @property
    def reduces(self):
        """Whether the last product may be the modulus, which is 0 then."""
        return self.inner.bound(3) > 3

    @property
    def check_clocks(self):
        """Clocks in which the last product is compared with the modulus."""
        return 2 * self.operand_words + 1 if self.reduces else 0

    def multipliers(self, technology):
        return self.inner.multipliers(technology)

    def cycles(self, base, exponent, modulus, *, exponent_bits=None):
        bits = self.check_operands(base, exponent, modulus, exponent_bits=exponent_bits)
        count = self.multiplications(base, exponent, modulus, exponent_bits=bits)
        inner = self.inner.cycles
        # Words are on their way from the memory for Exponentiator.LATENCY clocks; where several are
        # in one word of the multiplier, it waits for the last of them.
        joined = 0 if self.inner.i_width == self.inner.o_width else len(self.inner.operands) - 1
        latency = Exponentiator.LATENCY
        product = latency + joined + inner.load + inner.compute + inner.unload - 1
        compute = (1 + ceil_div(bits, self.i_width) + count * product + self.check_clocks
                   + latency)
        load = (self.header_words + sum(words for _, words in self.fixed) + 3 * self.operand_words
                + self.exponent_words)
        return Cycles(load=load, compute=compute, unload=self.result_words,
                      interval=load + compute + self.result_words - 1)

    def create(self):
        return Exponentiator(self)
