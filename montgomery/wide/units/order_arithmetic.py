"""What ECDSA verification computes modulo the order of the base point."""

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from ...blocks.block_ram import BlockRam
from ...blocks.program import Program, Sequencer, Step
from ...blocks.values import later
from ...core import ceil_div, to_words
from ...single_dsp.multiplier import Parameters as Multiplier
from ..datapath.ranges import BASE
from . import order_inverse
from .held import less_by_words
from .order_inverse import OrderInverse, half_inverse

__all__ = ["PERIOD", "OrderArithmetic", "clocks", "interval", "multiplier", "scalars"]

#: Clocks of a word that waits for nothing.
PERIOD = 4
#: Clocks from the last word of the scalars until the first one of the next signature is taken.
_AGAIN = 8
#: Bits of the place of a word in a number.
_PLACE_BITS = 5


class _Port(enum.IntEnum):
    """Where words come from, or go to."""

    OPERANDS, INVERSE, PRODUCT, KEY, SCALARS = range(5)


class _Role(enum.IntEnum):
    """What else is done with words: R and S compare r and s with 0 and n. If one is wrong, X sends
    ones as x, which no x below the prime is. D sends 0 as d unless r + n is below the prime.
    """

    PLAIN, R, S, X, D = range(5)


#: Numbers that come in, one after the other.
_OPERANDS = "zrsxy"
#: Numbers in the memory, by name: those that come in, others, and constants.
_SLOTS = {name: slot for slot, name in enumerate(
    (*_OPERANDS, "inverse", "of_base", "scalar", "key", "scale", "one", "d"))}

_LAYOUT = data.StructLayout({"port": _Port, "out": 1, "slot": range(len(_SLOTS)),
                             "last": _PLACE_BITS, "role": _Role})


def _move(port, out, name, words, role=_Role.PLAIN):
    return Step(fields={"port": port, "out": out, "slot": _SLOTS[name], "last": words - 1,
                        "role": role})


def _words(n):
    """Return how many words a number below 2**(bits of n) has."""
    return ceil_div(n.bit_length(), BASE)


def _steps(n):
    words, multiplies = _words(n), multiplier(n)
    roles = {role.name.lower(): role for role in _Role}

    def product(result, x, y):
        yield _move(_Port.PRODUCT, 1, x, multiplies.digits)
        yield _move(_Port.PRODUCT, 1, y, multiplies.digits)
        yield _move(_Port.PRODUCT, 0, result, multiplies.digits)

    for name in _OPERANDS:
        checked = roles[name] if name in "rs" else _Role.PLAIN
        yield _move(_Port.OPERANDS, 0, name, words, checked)
    yield _move(_Port.INVERSE, 1, "s", multiplies.digits)
    # The inversion goes on meanwhile.
    yield _move(_Port.KEY, 1, "key", multiplies.k_words)
    yield _move(_Port.INVERSE, 0, "inverse", multiplies.digits)
    yield from product("inverse", "inverse", "scale")
    for result, factor in (("of_base", "z"), ("scalar", "r")):
        yield from product(result, factor, "inverse")
        yield from product(result, result, "one")
    for name in ("scalar", "of_base", "x", "y", "r", "d"):
        yield _move(_Port.SCALARS, 1, name, words,
                    roles[name] if name in "xd" else _Role.PLAIN)


def _program(n):
    return Program(_LAYOUT, _steps(n), {})


def multiplier(n):
    """Return the :class:`~..single_dsp.multiplier.Parameters` of what multiplies modulo n."""
    return Multiplier(width=n.bit_length(), word_width=BASE)


def _scale(n):
    """Return a factor that makes R²/s of 1/2s, which a product with R is divided by twice then."""
    return 2 * multiplier(n).r ** 3 % n


def scalars(z, r, s, n):
    """Return z/s and r/s modulo n, or minus them, by the steps of the hardware.

    For z of no more bits than n, and r and s from 1 to n - 1; for other r and s any two numbers up
    to n.
    """
    product = multiplier(n).compute
    inverse = product(half_inverse(s, n), _scale(n), n)
    return [product(product(each, inverse, n), 1, n) for each in (z, r)]


def clocks(n):
    """Return the clocks from the last word of a signature to the last one of the scalars."""
    steps = [step.fields for step in _program(n).steps]
    words = sum(fields["last"] + 1 for fields in steps
                if fields["port"] not in (_Port.OPERANDS, _Port.KEY))
    products = sum(fields["port"] is _Port.PRODUCT and not fields["out"] for fields in steps)
    return (PERIOD * words + order_inverse.clocks(n, BASE) - PERIOD
            + products * (multiplier(n).cycles.compute - PERIOD))


def interval(n):
    """Return the clocks from a signature to the next one."""
    return PERIOD * (len(_OPERANDS) * _words(n) - 1) + 1 + clocks(n) + _AGAIN


class OrderArithmetic(wiring.Component):
    """Turns signatures into scalars for :class:`~.paired_engine.JointEngine`.

    All numbers are in a block RAM, and words go from there to an inverter and a multiplier, and
    from these to it, as a program says. Both scalars have the sign of the inverse, which may be
    minus: the sum of the multiples has the same x.

    Latency: :func:`clocks` from the last word of a signature to the last one of the scalars.
    Throughput: a signature in :func:`interval` clocks.

    The prime of the ``curve`` is above its order n, and has as many bits.
    """

    def __init__(self, curve):
        self.curve = curve
        super().__init__({
            "i": In(stream.Signature(BASE)),  # z, r, s, x and y of a signature
            # Words of OPERANDS: d is n where r + n is below the prime, and else 0; if r or s is 0,
            # or not below n, x is all ones.
            "o": Out(stream.Signature(BASE)),
        })

    def _constants(self):
        n, params = self.curve.n, multiplier(self.curve.n)
        numbers = {"key": params.encode_key(n), "scale": to_words(_scale(n), BASE, _words(n)),
                   "one": [1], "d": to_words(n, BASE, _words(n))}
        words = [0] * (len(_SLOTS) << _PLACE_BITS)
        for name, number in numbers.items():
            first = _SLOTS[name] << _PLACE_BITS
            words[first:first + len(number)] = number
        return words

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer = sequencer = Sequencer(_program(self.curve.n))
        m.submodules.memory = memory = BlockRam(BASE, len(_SLOTS) << _PLACE_BITS,
                                                self._constants())
        m.submodules.inverse = inverse = OrderInverse(self.curve.n, BASE)
        m.submodules.multiplier = product = multiplier(self.curve.n).create()
        step, resting = sequencer.step, sequencer.resting
        place, phase = Signal(range(1 << _PLACE_BITS)), Signal(2)
        moves, moved, ends = Signal(), Signal(), Signal()

        # -- A word: two clocks until it has been read, one or more in which it moves, and one in
        # which it is written.
        m.d.sync += [ends.eq(place == step.last), moved.eq(moves)]
        m.d.comb += [sequencer.advance.eq(moved & ends),
                     sequencer.begin.eq(resting & later(
                         m, resting, Sequencer.LATENCY, "rested", reset_less=False))]
        with m.If(resting):
            m.d.sync += [phase.eq(0), place.eq(0)]
        with m.Elif(moved):
            m.d.sync += [phase.eq(0), place.eq(Mux(ends, 0, place + 1))]
        with m.Elif(phase != 2):
            m.d.sync += phase.eq(phase + 1)
        word, written = Signal(BASE, reset_less=True), Signal()
        m.d.sync += written.eq(moves & ~step.out)
        address = Cat(place, step.slot)
        m.d.comb += [memory.a.address.eq(address), memory.b.address.eq(address),
                     memory.b.write.eq(written), memory.b.data.eq(word)]

        # -- Where it comes from, or goes to.
        wrong, fits = self._checks(m, step, word, written, place, ends)
        found = []
        for number, port, out in (
                (_Port.OPERANDS, self.i, 0), (_Port.INVERSE, inverse.o, 0),
                (_Port.PRODUCT, product.o, 0), (_Port.INVERSE, inverse.i, 1),
                (_Port.PRODUCT, product.i, 1), (_Port.KEY, product.k, 1),
                (_Port.SCALARS, self.o, 1)):
            offers = Signal(name=f"offers_{number.name.lower()}_{out}")
            chosen = (step.port == number) & (step.out == out)
            moved_here = port.valid & port.ready
            m.d.sync += offers.eq((chosen & (phase == 1)) | (offers & ~moved_here))
            if out:
                m.d.comb += [port.payload.eq(memory.a.q), port.valid.eq(offers)]
            else:
                m.d.comb += port.ready.eq(offers)
                with m.If(offers):
                    m.d.sync += word.eq(port.payload)
            found.append(moved_here)
        m.d.comb += moves.eq(Cat(found).any())
        with m.If((step.role == _Role.X) & wrong):
            m.d.comb += self.o.payload.eq(-1)
        with m.If((step.role == _Role.D) & ~fits):
            m.d.comb += self.o.payload.eq(0)
        return m

    def _checks(self, m, step, word, written, place, ends):
        """Return whether r or s is wrong, and whether r + n is below the prime."""
        n, p = self.curve.n, self.curve.p
        first, last, checked = Signal(), Signal(), Signal()
        role, some, any_ = Signal(_Role), Signal(), Signal()
        m.d.sync += [first.eq(place == 0), last.eq(ends), role.eq(step.role), checked.eq(written),
                     some.eq(word.any())]
        less = []
        for name, limit in (("n", n), ("fit", p - n)):
            table = Array(C(each, BASE) for each in to_words(limit, BASE, _words(n)))
            of_limit = later(m, table[place[:(len(table) - 1).bit_length()]], 1, f"limit_{name}")
            less.append(less_by_words(m, name, word, of_limit, first, checked))
        is_zero, wrong, fits = Signal(), Signal(), Signal()
        m.d.comb += is_zero.eq(~some & (first | ~any_))
        with m.If(checked):
            m.d.sync += any_.eq(~is_zero)
        with m.If(checked & last):
            with m.If(role == _Role.R):
                m.d.sync += [wrong.eq(~less[0] | is_zero), fits.eq(less[1])]
            with m.If(role == _Role.S):
                m.d.sync += wrong.eq(wrong | ~less[0] | is_zero)
        return wrong, fits
