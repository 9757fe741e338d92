"""ECDSA verification on a wide pipelined multiplier."""

import dataclasses
import functools

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..blocks.skid import Skid
from ..core import About, Cycles, Products, Signature, ceil_div, parameter, traits
from ..kinds.ecdsa_verification import EcdsaVerifier
from ..points.microcode import FETCH
from . import joint_program, model, order_arithmetic
from .core import WideCore
from .joint_digits import joint_digits
from .joint_engine import OPERANDS, JointEngine
from .order_arithmetic import OrderArithmetic, multiplier, scalars
from .paired_intake import PairedIntake
from .primes import DIGITS, PRIMES
from .queue import WordQueue
from .ranges import BASE
from .slots import check_pair

__all__ = ["Parameters", "Verdict", "WideVerifier"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(EcdsaVerifier):
    """Parameters of :class:`WideVerifier`.

    Parameters
    ----------
    width : :class:`int`
        Bits of a coordinate: 256.
    word_width : :class:`int`
        Bits per word of the streams: 16.
    curve : :class:`str`
        Name of the elliptic curve: P-256.
    digits_per_clock : :class:`int`
        Digits of 16 bits that are multiplied in a clock, by 16 blocks each.
    in_flight : :class:`int`
        Signatures whose points are added at the same time: 1, or 2 with four digits a clock. Two of
        them take turns at the multiplier, which seldom waits then; each takes longer. With two
        digits a clock, one is as fast.
    """

    _about = About(
        source="Renes, Costello, Batina: Complete addition formulas for prime order elliptic "
               "curves, Algorithms 4 and 6; Bernstein: dbl-2001-b; Bernstein, Yang: Fast "
               "constant-time gcd computation and modular inversion, 11.2",
        summary="both multiples at once by complete formulas on the multiplier wide, while the "
                "next signature is inverted",
        uses_blocks=True,
        quick_width=DIGITS * BASE)

    width: int = parameter(help="bits of a coordinate", minimum=DIGITS * BASE,
                           maximum=DIGITS * BASE)
    word_width: int = parameter(BASE, "bits per word of the streams", minimum=BASE, maximum=BASE)
    curve: str = parameter("P-256", "name of the elliptic curve", choices=("P-256",))
    digits_per_clock: int = parameter(2, "digits of 16 bits that are multiplied in a clock",
                                      choices=(2, 4))
    in_flight: int = parameter(1, "signatures whose points are added at the same time",
                               choices=(1, 2))

    @property
    def prime(self):
        """The :class:`~.primes.Prime`."""
        return PRIMES[self.curve]

    def _check_parameters(self):
        super()._check_parameters()
        check_pair(self)

    @functools.cached_property
    def joint(self):
        """The :class:`Joint`."""
        return Joint(self)

    @property
    def _traits(self):
        bits = model.DIGIT_BITS - 1
        return dataclasses.replace(
            super()._traits, initiation=self.joint.interval,
            products=(Products(self.digits_per_clock * DIGITS, bits, bits),
                      *traits(multiplier()).products))

    @property
    def cycles(self):
        load = order_arithmetic.PERIOD * (self.i_words - 1) + 1
        queue = WordQueue.LATENCY * (self.in_flight == 1) + OPERANDS.words - 1
        compute = order_arithmetic.clocks(self.domain.n) + queue + self.joint.latency
        return Cycles(load=load, compute=compute, unload=1, interval=load + compute)

    def compute(self, z, r, s, x, y):
        self._check_operands(z, r, s, x, y)
        n, p = self.domain.n, self.domain.p
        of_base, scalar = scalars(z, r, s, n)
        if not (0 < r < n and 0 < s < n and max(x, y) < p):
            return 0
        return self.joint.compute(scalar, of_base, x, y, r, n if r + n < p else 0)

    def create(self):
        return WideVerifier(self)


class Joint:
    """What a :class:`~.joint_engine.JointEngine` is made with, and what it computes.

    Parameters
    ----------
    params : :class:`Parameters`

    Attributes
    ----------
    signature, operands : as of a core
    """

    signature, operands = Signature(BASE), OPERANDS

    def __init__(self, params):
        self.curve, self.prime = params.domain, params.prime
        self._per_clock, self._slots = params.digits_per_clock, params.in_flight

    @property
    def program(self):
        """The :class:`~.engine_program.EngineProgram`."""
        return self._program(self._slots)

    def _program(self, slots):
        pace = model.Pace(self.prime, self._per_clock)
        return joint_program.build(self.prime, pace.interval, pace.latency,
                                   quick=self._per_clock > 2, slots=slots)

    @property
    def _sends(self):
        """Clocks from the segment that sends Z to the verdict."""
        return (self.program.timing.zero + 1 + Skid.LATENCY + 2 * (DIGITS - 1)
                + Verdict.LATENCY)

    @property
    def _turn(self):
        """Clocks from the last word that comes in to a verdict in the same turn."""
        return 3 + FETCH + self.program.clocks + self._sends

    @property
    def latency(self):
        """Clocks from the last word that comes in to the verdict."""
        clocks = self.program.microcode.clocks
        # In the turn before nothing was sent, and no word came after it.
        before = self.program.clocks + clocks["send"] + clocks["wait"] + PairedIntake.ALONE
        return self._turn + before * (self._slots - 1)

    @property
    def interval(self):
        """Clocks from a verdict to the next one, when words are waiting to come in."""
        clocks = self.program.microcode.clocks
        # From the segment that sends: to what follows it, when all has been seen to be sent.
        sent = 4 * DIGITS + 3 + self.program.timing.fetch
        waits = ceil_div(sent - clocks["send"], clocks["wait"]) + 1
        whole = clocks["send"] + waits * clocks["wait"]
        return whole - (FETCH - 2) - self._sends + OPERANDS.words - 1 + self._turn

    @functools.cached_property
    def constants(self):
        """Numbers by the names of their places in the memory."""
        curve, p, r = self.curve, self.curve.p, 1 << DIGITS * BASE
        found = {"one": 1, "b": curve.b, "b3": 3 * curve.b, "square": r,
                 f"{joint_program.multiple_name(0)}_y": 1}
        if self._slots > 1:
            found |= {"one_1": 1}
        for magnitude in range(1, joint_program.BASE_MULTIPLES):
            found |= {f"{joint_program.multiple_name(magnitude)}_{part}": number
                      for part, number in zip("xy", curve.multiply(magnitude, curve.base),
                                              strict=True)}
        return {name: number * r % p for name, number in found.items()} | {"unit": 1}

    def compute(self, scalar, of_base, x, y, r, d):
        """Return 1 if scalar (x, y) + of_base G has a first coordinate that is r or r + d, and 0 if
        not or (x, y) is no point; by the steps of the hardware.
        """
        p = self.curve.p
        inverse = pow(1 << DIGITS * BASE, -1, p)
        alone = self._program(1)
        constants = {name: number for name, number in self.constants.items()
                     if name in alone.places}
        zeros, (z,) = alone.run(
            constants | {"in_x": x, "in_y": y, "in_r": r, "in_d": d},
            joint_digits(scalar, of_base), lambda a, b: a * b * inverse % p, p,
            joint_program.JointMemory)
        return int(not any(zeros) and z != 0)

    def create(self):
        """Return the :class:`~.joint_engine.JointEngine`."""
        return JointEngine(self, WideCore(self.prime, self._per_clock), self.program, self._slots)


class WideVerifier(wiring.Component):
    """Verifies signatures in two stages, so that the scalars of one signature are computed while
    the multiples of points of another, or of two others, are added. In between numbers queue.

    All times are constant, though there is nothing secret. A signature that is refused takes the
    same clocks.

    Latency: the same number of clocks for all signatures. Throughput: a signature in the clocks of
    the second stage.

    Members
    -------
    i, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self._params = params
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        m.submodules.arithmetic = arithmetic = OrderArithmetic(self._params.domain)
        m.submodules.engine = engine = self._params.joint.create()
        scalars = arithmetic.o
        if self._params.in_flight == 1:
            m.submodules.queue = queue = WordQueue(OPERANDS.words)
            wiring.connect(m, scalars, queue.i)
            scalars = queue.o
        m.submodules.verdict = verdict = Verdict()
        wiring.connect(m, wiring.flipped(self.i), arithmetic.i)
        wiring.connect(m, scalars, engine.i)
        wiring.connect(m, engine.o, verdict.i)
        wiring.connect(m, verdict.o, wiring.flipped(self.o))
        return m


class Verdict(wiring.Component):
    """Makes a word of the number that a :class:`~.joint_engine.JointEngine` gives: 1 unless its
    bits are all 0 or all 1, which no number below the prime has.

    Latency: :attr:`LATENCY` clocks from the last word. Throughput: a word per clock.

    Members
    -------
    i, o : :py:`In(stream.Signature(BASE))`, :py:`Out(stream.Signature(BASE))`
    """

    LATENCY = 1

    def __init__(self):
        super().__init__({"i": In(stream.Signature(BASE)), "o": Out(stream.Signature(BASE))})

    def elaborate(self, platform):
        m = Module()
        place = Signal(range(DIGITS))
        ones, zeros, full = Signal(init=1), Signal(init=1), Signal()
        only_ones, only_zeros = ones & self.i.payload.all(), zeros & ~self.i.payload.any()
        m.d.comb += [self.i.ready.eq(~full), self.o.valid.eq(full),
                     self.o.payload.eq(~ones & ~zeros)]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [place.eq(place + 1), ones.eq(only_ones), zeros.eq(only_zeros),
                         full.eq(place.all())]
        with m.If(full & self.o.ready):
            m.d.sync += [full.eq(0), ones.eq(1), zeros.eq(1)]
        return m
