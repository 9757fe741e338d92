"""ECDSA verification on a wide pipelined multiplier."""

import dataclasses
from typing import ClassVar

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.values import after, at_last
from ..core import About, Cycles, Products, parameter, traits
from ..kinds.ecdsa_verification import EcdsaVerifier
from .curve_core import Recipe, WideCurve
from .datapath.primes import KOBLITZ, PRIMES, WIDTHS, KoblitzPrime, Prime
from .datapath.ranges import BASE
from .engines.paired_engine import JointEngine, JointHalvesEngine, operands
from .programs import halves_program, joint_program
from .programs.affine import coordinates
from .programs.joint_program import BASE_MULTIPLES, multiple_name
from .scalar_multiplication import folded_constants, scaled_constants
from .units import order_arithmetic
from .units.joint_digits import JointDigits, JointHalves, joint_digits, joint_half_digits
from .units.order_arithmetic import OrderArithmetic, multiplier, scalars
from .units.words import WordQueue

__all__ = ["Parameters", "Verdict", "WideVerifier"]


def _constants(params):
    curve = params.domain
    # The point at infinity is (0 : 1 : 0).
    points = {multiple_name(magnitude): curve.multiply(magnitude, curve.base) or (0, 1)
              for magnitude in range(BASE_MULTIPLES)}
    return scaled_constants(params) | coordinates(points, curve.p, params.r)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(WideCurve, EcdsaVerifier):
    """Parameters of :class:`WideVerifier`; others are those of :class:`~.curve_core.WideCurve`.

    Two signatures in flight, on P-256 with four digits a clock, have their points added at the same
    time. With two digits a clock, one is as fast.

    On secp256k1 the scalar for the key is divided in two halves, and sums of multiples of the base
    point are in a comb. With four digits a clock, a signature takes longest modulo the order there.
    """

    _about = About(
        source="Renes, Costello, Batina: Complete addition formulas for prime order elliptic "
               "curves, Algorithms 4 and 6; Bernstein: dbl-2001-b; Bernstein, Yang: Fast "
               "constant-time gcd computation and modular inversion, 11.2",
        summary="both multiples at once by complete formulas on the multiplier wide, while the "
                "next signature is inverted",
        uses_blocks=True,
        quick_width=WIDTHS[0])

    width: int = parameter(help="bits of a coordinate", minimum=WIDTHS[0],
                           maximum=WIDTHS[-1])
    curve: str = parameter("P-256", "name of the elliptic curve", choices=(*PRIMES, KOBLITZ.name))

    _recipes: ClassVar = {
        Prime: Recipe(joint_program.build, _constants, JointEngine,
                      lambda params: JointDigits(params.prime.digits, params.in_flight)),
        KoblitzPrime: Recipe(
            halves_program.build_joint,
            lambda params: folded_constants(params) | halves_program.constants(),
            JointHalvesEngine, lambda params: JointHalves(), (Products(1, BASE, BASE),))}

    _pair = ("P-256", "two signatures are verified")

    @property
    def _products(self):
        return (*super()._products, *traits(multiplier(self.domain.n)).products)

    @property
    def _engine_words(self):
        """Words of the numbers that the engine takes."""
        return operands(self.prime.digits).words

    @property
    def _traits(self):
        # From the arithmetic modulo the order to the engine that adds points.
        comes = self.cycles.load + order_arithmetic.clocks(self.domain.n)
        # The stage that takes longer has another signature begin.
        initiation = max(self._program(self.in_flight).interval(self._engine_words),
                         order_arithmetic.interval(self.domain.n))
        return dataclasses.replace(super()._traits, initiation=initiation,
                                   moves=(comes, comes + self._engine_words))

    @property
    def cycles(self):
        load = order_arithmetic.PERIOD * (self.i_words - 1) + 1
        queue = WordQueue.LATENCY * (self.in_flight == 1) + self._engine_words - 1
        # The verdict follows the last word of a number.
        summed = self._program(self.in_flight).cycles(self._engine_words, self.in_flight)
        compute = (order_arithmetic.clocks(self.domain.n) + queue + summed.compute + summed.unload
                   - 1 + Verdict.LATENCY)
        return Cycles(load=load, compute=compute, unload=1, interval=load + compute)

    def compute(self, z, r, s, x, y):
        self._check_operands(z, r, s, x, y)
        n, p = self.domain.n, self.domain.p
        of_base, scalar = scalars(z, r, s, n)
        if not (0 < r < n and 0 < s < n and max(x, y) < p):
            return 0
        return self.found(scalar, of_base, x, y, r, n if r + n < p else 0)

    def found(self, scalar, of_base, x, y, r, d):
        """Return 1 if scalar (x, y) + of_base G has a first coordinate that is r or r + d, and 0 if
        not or (x, y) is no point; by the steps of the hardware.
        """
        inputs = {"in_x": x, "in_y": y, "in_r": r, "in_d": d}
        digits = (joint_half_digits(scalar, of_base) if isinstance(self.prime, KoblitzPrime) else
                  joint_digits(scalar, of_base, self.width))
        zeros, (z,) = self._computed(inputs, digits)
        return int(not any(zeros) and z != 0)

    def create(self):
        return WideVerifier(self)


class WideVerifier(wiring.Component):
    """Verifies signatures in two stages, so that the scalars of one signature are computed while
    the multiples of points of another, or of two others, are added. In between numbers queue.

    All times are constant, though there is nothing secret. A signature that is refused takes the
    same clocks.

    Latency: the same number of clocks for all signatures. Throughput: a signature in the clocks of
    the stage that takes longer.
    """

    def __init__(self, params):
        self._params = params
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        m.submodules.arithmetic = arithmetic = OrderArithmetic(self._params.domain)
        m.submodules.engine = engine = self._params.engine()
        scalars = arithmetic.o
        if self._params.in_flight == 1:
            m.submodules.queue = queue = WordQueue(engine.operands.words)
            wiring.connect(m, scalars, queue.i)
            scalars = queue.o
        m.submodules.verdict = verdict = Verdict(self._params.prime.digits)
        wiring.connect(m, wiring.flipped(self.i), arithmetic.i)
        wiring.connect(m, scalars, engine.i)
        wiring.connect(m, engine.o, verdict.i)
        wiring.connect(m, verdict.o, wiring.flipped(self.o))
        return m


class Verdict(wiring.Component):
    """Makes a word of the number that a :class:`~.paired_engine.JointEngine` gives: 1 unless its
    bits are all 0 or all 1, which no number below the prime has.

    Latency: :attr:`LATENCY` clocks from the last word. Throughput: a word per clock.
    """

    LATENCY = 1

    def __init__(self, count):
        self.count = count
        super().__init__({"i": In(stream.Signature(BASE)), "o": Out(stream.Signature(BASE))})

    def elaborate(self, platform):
        m = Module()
        place = Signal(range(self.count))
        ones, zeros, full = Signal(init=1), Signal(init=1), Signal()
        only_ones, only_zeros = ones & self.i.payload.all(), zeros & ~self.i.payload.any()
        m.d.comb += [self.i.ready.eq(~full), self.o.valid.eq(full),
                     self.o.payload.eq(~ones & ~zeros)]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [place.eq(after(place, self.count)), ones.eq(only_ones),
                         zeros.eq(only_zeros), full.eq(at_last(place, self.count))]
        with m.If(full & self.o.ready):
            m.d.sync += [full.eq(0), ones.eq(1), zeros.eq(1)]
        return m
