"""EdDSA verification on a wide pipelined multiplier."""

import dataclasses
import functools
from typing import ClassVar

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.values import after, at_last, later, signals
from ..core import About, Core, parameter, to_words
from ..kinds.eddsa_verification import EddsaVerifier
from ..numbers.catalogue import EDWARDS
from .curve_core import Recipe, WideCurve
from .datapath.primes import DIGITS, FoldedPrime
from .datapath.ranges import BASE
from .engines.paired_engine import JointEdwardsEngine
from .programs import joint_edwards_program
from .units.held import ReducedNumber, less_by_words
from .units.joint_digits import JointDigits, joint_digits

__all__ = ["EdwardsVerdict", "Parameters", "WideEdwardsVerifier"]

_CURVE = EDWARDS["Ed25519"]
#: Numbers that come in, by their places.
_K, _S, _A, _R = range(4)
#: Numbers that the engine sends, by their places: x of the key or minus that, x and y of the sum.
_ROOT, _X, _Y = range(3)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(WideCurve, EddsaVerifier):
    """Parameters of :class:`WideEdwardsVerifier`, for Ed25519; see :class:`~.curve_core.WideCurve`.
    """

    _about = About(
        source="RFC 8032: Edwards-curve digital signature algorithm, 5.1.3 and 5.1.7; Hisil, Wong, "
               "Carter, Dawson: Twisted Edwards curves revisited; Bernstein, Yang: Fast "
               "constant-time gcd computation and modular inversion",
        summary="both multiples at once by extended coordinates on the multiplier wide, and the "
                "key's first coordinate",
        uses_blocks=True,
        quick_width=_CURVE.width)

    width: int = parameter(help="bits of a coordinate", minimum=_CURVE.width, maximum=_CURVE.width)
    curve: str = parameter(_CURVE.name, "name of the elliptic curve", choices=(_CURVE.name,))

    in_flight: ClassVar[int] = 1

    _recipes: ClassVar = {FoldedPrime: Recipe(
        joint_edwards_program.build,
        lambda params: joint_edwards_program.constants(params.domain), JointEdwardsEngine,
        lambda params: JointDigits(DIGITS, opposite=True),
        held=functools.partial(ReducedNumber, compares=True, stores=True))}

    @property
    def cycles(self):
        summed = super().cycles
        # The verdict follows the last word that is sent.
        compute = summed.compute + summed.unload - 1 + EdwardsVerdict.LATENCY
        return dataclasses.replace(summed, compute=compute, unload=1)

    def compute(self, k, s, a, r):
        self._check_operands(k, s, a, r)
        p, top = self.domain.p, 1 << self.width
        # Digits for the point change their signs with its x.
        zeros, (root, x, y) = self._computed(
            {"in_y": a % top}, joint_digits(k, s, DIGITS * BASE),
            lambda sent: (sent[0] & 1) == (a >= top))
        return int(s < self.domain.n and a % top < p and not any(zeros)
                   and (root != 0 or a < top) and r == y + top * (x & 1))

    def create(self):
        return WideEdwardsVerifier(self)


class WideEdwardsVerifier(Core):
    """Verifies signatures, one at a time, as its program says.

    A square root is found with each key. All times are constant, though there is nothing secret. A
    signature that is refused takes the same clocks.

    Latency: the same number of clocks for all signatures. Throughput: a signature at a time.
    """

    def elaborate(self, platform):
        m = Module()
        m.submodules.engine = engine = self.params.engine()
        m.submodules.verdict = verdict = EdwardsVerdict()
        wiring.connect(m, engine.o, verdict.i)
        wiring.connect(m, verdict.o, wiring.flipped(self.o))
        m.d.comb += [
            engine.i.valid.eq(self.i.valid), self.i.ready.eq(engine.i.ready),
            engine.i.payload.eq(Cat(self.i.payload[:-1], self.i.payload[-1] & ~verdict.of_sign)),
            verdict.takes.eq(self.i.valid & self.i.ready), verdict.word.eq(self.i.payload),
            engine.digits.flips.eq(verdict.flips)]
        return m


class EdwardsVerdict(wiring.Component):
    """Compares what a signature says with what a :class:`~.paired_engine.JointEdwardsEngine` sends.

    The words of k, s, A and R pass by. s must be below the order, and y of A below the prime. The
    engine has the multiple of A subtracted if the x that it sends has the sign of A, and else
    added. That x must not be 0 where the sign is 1. Of the sum, x gives the sign of R, and all
    other words must be those of y.

    Latency: :attr:`LATENCY` clocks from the last word of y. Throughput: a word per clock.
    """

    LATENCY = 2

    def __init__(self):
        super().__init__({
            # A word of the operands comes, the lowest one of each first.
            "takes": In(1), "word": In(BASE),
            "of_sign": Out(1),  # the highest bit of the word is the sign of A
            "flips": Out(1),  # digits for the key have the opposite sign
            "i": In(stream.Signature(BASE)),  # words of numbers that the engine sends
            "o": Out(stream.Signature(BASE)),  # 1 if the signature is valid, and else 0
        })

    def elaborate(self, platform):
        m = Module()
        sign, wrong = self._operands(m)
        m.submodules.words = memory = Memory(shape=BASE, depth=DIGITS, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        m.d.comb += [write.en.eq(self.takes & (self._number == _R)), write.addr.eq(self._place),
                     write.data.eq(self.word), read.addr.eq(self._place_out)]

        # A word that comes, its place, and the word of R there are in registers before they are
        # compared. The last one of y lets no other one in until the verdict is taken.
        place, number = self._place_out, Signal(range(3))
        moves, last, full, waits = signals("moves last full waits")
        m.d.comb += [self.i.ready.eq(~waits), moves.eq(self.i.valid & ~waits),
                     last.eq(place.all()), self.o.valid.eq(full)]
        with m.If(moves):
            m.d.sync += [place.eq(place + 1), number.eq(after(number, 3, last)),
                         waits.eq(last & (number == _Y))]
        came, first, ends = (later(m, value, 1, name, reset_less=False) for value, name in (
            (moves, "came"), (place == 0, "first_out"), (last, "ends_out")))
        of, word, of_r = (later(m, value, 1, name) for value, name in (
            (number, "number_of"), (self.i.payload, "word_out"), (read.data, "word_of_r")))
        odd, some, differs = signals("odd some differs")
        some_now = word.any() | (some & ~first)
        sign_of_r = Cat(C(0, BASE - 1), odd & ends)
        differs_now = ((word | sign_of_r) != of_r) | (ends & word[-1]) | (differs & ~first)
        with m.If(came):
            m.d.sync += [some.eq(some_now), differs.eq(differs_now)]
            with m.If(first & (of != _Y)):
                m.d.sync += odd.eq(word[0])
            with m.If(ends & (of == _ROOT)):
                m.d.sync += [self.flips.eq(odd == sign), wrong.eq(wrong | (sign & ~some_now))]
            with m.If(ends & (of == _Y)):
                m.d.sync += [full.eq(1), self.o.payload.eq(~(differs_now | wrong))]
        with m.If(full & self.o.ready):
            m.d.sync += [full.eq(0), waits.eq(0)]
        return m

    def _operands(self, m):
        """Return the sign of A, and a signal that is 1 if s or y of A is not below its limit."""
        self._number, self._place = Signal(range(4), name="number_in"), Signal(4, name="place_in")
        self._place_out = Signal(4, name="place_out")
        number, place = self._number, self._place
        sign, wrong, last = Signal(name="sign"), Signal(name="wrong"), at_last(place, DIGITS)
        tables = (Array(C(each, BASE) for each in to_words(limit, BASE, DIGITS))
                  for limit in (_CURVE.n, _CURVE.p))
        limit, word = signals("limit word", BASE, reset_less=True)
        of_n, of_p = (table[place] for table in tables)
        first, checked, ends = (later(m, value, 2, name, reset_less=False) for value, name in (
            (place == 0, "first"), (self.takes & number.matches(_S, _A), "checked"),
            (last, "ends")))
        m.d.comb += self.of_sign.eq(last & (number == _A))
        m.d.sync += [limit.eq(Mux(number == _S, of_n, of_p)),
                     word.eq(Cat(self.word[:-1], self.word[-1] & ~self.of_sign))]
        less = less_by_words(m, "limit", word, limit, first, checked)
        with m.If(self.takes):
            m.d.sync += [place.eq(place + 1), number.eq(number + last)]
            with m.If(self.of_sign):
                m.d.sync += sign.eq(self.word[-1])
            with m.If((number == _K) & (place == 0)):
                m.d.sync += wrong.eq(0)
        with m.If(checked & ends & ~less):
            m.d.sync += wrong.eq(1)
        return sign, wrong
