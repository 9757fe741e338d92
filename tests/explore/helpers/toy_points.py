"""A toy of the kind of cores for scalar multiplication, on a curve of 13 points.

Workers import it by its name, which they could not do with a module of tests.
"""

import dataclasses
import itertools

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import memory, wiring

from montgomery.core import About, Cycles, Signature, parameter
from montgomery.kinds.scalar_multiplication import ScalarMultiplier
from montgomery.numbers.curves import WeierstrassCurve

__all__ = ["CURVE", "Model", "Points", "Swapped", "Trusting"]

#: The curve of textbooks.
CURVE = WeierstrassCurve(name="F-11", p=11, a=1, b=6, n=13, gx=2, gy=7)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Model(ScalarMultiplier):
    """One of which nothing is built, for a curve of any size."""

    _about = About(source="no paper", summary="a table of products")

    @classmethod
    def _name(cls):
        return cls.__name__.lower()

    @property
    def cycles(self):
        load, unload = self.i_words, self.result_words
        return Cycles(load=load, compute=3, unload=unload, interval=load + unload + 2)

    def compute(self, scalar, x, y):
        self._check_operands(scalar, x, y)
        return self._product(scalar, x, y)

    def _product(self, scalar, x, y):
        """Return the result for any numbers."""
        if not self.domain.contains(x, y):
            return self._results.largest
        product = self.domain.multiply(scalar, (x, y)) or (0, 0)
        return product[0] + (product[1] << self.word_width * self.field_words)

    def create(self):
        raise NotImplementedError


@dataclasses.dataclass(frozen=True, kw_only=True)
class Points(Model):
    """One whose products are in a table."""

    width: int = parameter(4, help="bits of a coordinate", minimum=4, maximum=4)
    word_width: int = parameter(2, "bits per word of the streams", minimum=1, maximum=4)
    curve: str = parameter(CURVE.name, "name of the elliptic curve", choices=(CURVE.name,))

    @property
    def domain(self):
        return CURVE

    def create(self):
        return _Table(self, self._product)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Trusting(Points):
    """One whose hardware takes (0, 0) for the point at infinity."""

    def create(self):
        return _Table(self, lambda *operands: 0 if operands[1:] == (0, 0) else
                      self._product(*operands))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Swapped(Points):
    """One whose model gives the opposite point."""

    def compute(self, scalar, x, y):
        return super().compute(scalar, x, CURVE.p - y)


class _Table(wiring.Component):
    def __init__(self, params, product):
        self._params, self._product = params, product
        super().__init__(Signature(params.word_width))

    def elaborate(self, platform):
        m = Module()
        params = self._params
        word, width = params.word_width, params.width
        padded = word * params.field_words
        operands, result = Signal(3 * padded), Signal(2 * padded)
        count = Signal(range(params.i_words))
        m.submodules.table = table = memory.Memory(
            shape=2 * padded, depth=1 << 3 * width,
            init=[self._product(*each) for each in itertools.product(range(1 << width), repeat=3)])
        port = table.read_port()
        scalar, x, y = (operands.word_select(index, padded)[:width] for index in range(3))
        m.d.comb += port.addr.eq(Cat(y, x, scalar))
        with m.FSM():
            with m.State("LOAD"):
                m.d.comb += self.i.ready.eq(1)
                with m.If(self.i.valid):
                    m.d.sync += [operands.eq(Cat(operands[word:], self.i.payload)),
                                 count.eq(count + 1)]
                    with m.If(count == params.i_words - 1):
                        m.d.sync += count.eq(0)
                        m.next = "READ"
            with m.State("READ"):
                m.next = "TAKE"
            with m.State("TAKE"):
                m.d.sync += result.eq(port.data)
                m.next = "UNLOAD"
            with m.State("UNLOAD"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(result)]
                with m.If(self.o.ready):
                    m.d.sync += [result.eq(result >> word), count.eq(count + 1)]
                    with m.If(count == params.result_words - 1):
                        m.d.sync += count.eq(0)
                        m.next = "LOAD"
        return m
