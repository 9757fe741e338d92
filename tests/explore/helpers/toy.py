"""Small architectures for tests of the explorer: radix 2, one bit of ``x`` a clock."""

import dataclasses
import itertools
import os

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring

from montgomery.core import (
    About,
    Cycles,
    Field,
    Message,
    Signature,
    ceil_div,
    check_operands,
    parameter,
)
from montgomery.kinds.multiplier import Multiplier as _Multiplier

__all__ = ["Endless", "Mistaken", "Particular", "Raising", "Toy", "Vanishing", "Wrong"]


class Multiplier(wiring.Component):
    """The first bit of a result is wrong where a function of x, y and the modulus is true."""

    def __init__(self, params, wrong_for=None):
        self._params, self._wrong_for = params, wrong_for
        super().__init__(Signature(params.word_width))

    def elaborate(self, platform):
        m = Module()
        width, word, words = self._params.width, self._params.word_width, self._params.words
        x, y, modulus = (Signal(words * word, name=name) for name in ("x", "y", "modulus"))
        total = Signal(width + 2)
        step = Signal(range(2 * width))
        count = Signal(range(3 * words))
        state = Signal(2)
        # Chains that carry nothing but zeros, which no synthesis can know.
        ballast = []
        for index in range(self._params.ballast):
            chain = Signal(100, name=f"ballast{index}")
            m.d.sync += chain.eq(Cat((step > width) & (total == index), chain))
            ballast.append(chain[-1])
        operands = Cat(x, y, modulus)
        flip = 0 if self._wrong_for is None else Signal()
        with m.Switch(state):
            with m.Case(0):
                m.d.comb += self.i.ready.eq(1)
                with m.If(self.i.valid):
                    m.d.sync += [operands.eq(Cat(operands[word:], self.i.payload)),
                                 count.eq(count + 1)]
                    with m.If(count == 3 * words - 1):
                        m.d.sync += [state.eq(1), count.eq(0), step.eq(0), total.eq(0)]
                        if self._wrong_for is not None:
                            given = Cat(operands[word:], self.i.payload)
                            m.d.sync += flip.eq(self._wrong_for(
                                *(given.word_select(index, words * word) for index in range(3))))
            with m.Case(1):
                first = Signal(width + 2)
                second = Signal(width + 3)
                m.d.comb += [first.eq(total + Mux(x[0], y, 0)),
                             second.eq(first + Mux(first[0], modulus, 0))]
                m.d.sync += [total.eq(second >> 1), x.eq(x >> 1), step.eq(step + 1)]
                with m.If(step == width - 1):
                    m.d.sync += state.eq(2)
            with m.Case(2):
                # total < 2 * modulus
                m.d.sync += [total.eq(Mux(total >= modulus, total - modulus, total)), state.eq(3)]
            with m.Case(3):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(total ^ Cat(ballast).xor())]
                if self._wrong_for is not None:
                    m.d.comb += self.o.payload.eq(total ^ (flip & (count == 0)))
                with m.If(self.o.ready):
                    m.d.sync += [total.eq(total >> word), count.eq(count + 1)]
                    with m.If(count == words - 1):
                        m.d.sync += [state.eq(0), count.eq(0)]
        return m


@dataclasses.dataclass(frozen=True, kw_only=True)
class Toy(_Multiplier):
    _about = About(source="no paper", summary="one bit of x a clock")

    word_width: int = parameter(8, "bits per word of the streams", minimum=1, maximum=64)
    ballast: int = parameter(0, "hundreds of registers that do nothing", minimum=0)
    style: str = parameter("plain", "nothing but a name", choices=("plain", "fancy"))

    @classmethod
    def _name(cls):
        return cls.__name__.lower()

    @property
    def words(self):
        return ceil_div(self.width, self.word_width)

    @property
    def r(self):
        return 1 << self.width

    def bound(self, modulus):
        return modulus

    @property
    def cycles(self):
        load, compute = 3 * self.words, self.width + 2
        return Cycles(load=load, compute=compute, unload=self.words,
                      interval=load + compute + self.words - 1)

    def compute(self, x, y, modulus):
        check_operands(self, x, y, modulus)
        total = 0
        for index in range(self.width):
            total += (x >> index & 1) * y
            total = (total + (total & 1) * modulus) >> 1
        return total - modulus if total >= modulus else total

    @property
    def operands(self):
        return Message(self.word_width, tuple(Field(name, self.words, f"the number {name}")
                                              for name in ("x", "y", "modulus")), self._numbers)

    @property
    def result_words(self):
        return self.words

    def create(self):
        return Multiplier(self)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Particular(Toy):
    """One that may differ from device to device, and so has options for its blocks."""

    _about = About(summary="blocks of the device", uses_blocks=True)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Wrong(Toy):
    """The same with hardware that disagrees with its model."""

    def create(self):
        return Multiplier(self, lambda *operands: 1)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Mistaken(Toy):
    """The same with a model that is wrong."""

    def compute(self, x, y, modulus):
        return (super().compute(x, y, modulus) + 1) % modulus


@dataclasses.dataclass(frozen=True, kw_only=True)
class Raising(Toy):
    """One that cannot be built."""

    def create(self):
        raise NotImplementedError("no such hardware")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Vanishing(Toy):
    """One that takes the process with it."""

    def create(self):
        os.abort()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Endless(Toy):
    """One that is never built."""

    def create(self):
        for _ in itertools.count():
            pass
