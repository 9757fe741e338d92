"""A Rower: multiplier, accumulator, reduction unit, Cox, and its memories."""

import itertools

from amaranth.hdl import Array, Cat, ClockSignal, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.block_ram import BlockRam
from ..blocks.carry_save import gate
from ..blocks.multiply_add import MultiplyAdd
from ..blocks.values import DeviceBlock, later
from ..core import Products, ceil_div
from ..technology import technology_of
from .control import Add, Roms
from .schedule import STAGES, Factor, Take

__all__ = ["Rower", "products"]

_PIECE = 18


def _pieces(r):
    width = ceil_div(r, ceil_div(r, _PIECE))
    return [slice(low, min(low + width, r)) for low in range(0, r, width)]


def products(rowers, r, reduction):
    """Return the tuple of :class:`~montgomery.core.Products` of some Rowers."""
    pieces = [piece.stop - piece.start for piece in _pieces(r)]
    folds = [(upper, reduction.mu_width) for bound in reduction.bounds
             if (upper := (bound - 1).bit_length() - r) > 1]
    return tuple(Products(rowers, *widths)
                 for widths in [*itertools.product(pieces, repeat=2), *folds])


class Rower(wiring.Component):
    """Figures 7 and 8, with the registers of :class:`~montgomery.cox_rower.schedule.Stages`.

    Latency: 4, 8 or 11 clocks, from the other factor to the result in R2. Throughput: a product per
    clock.
    """

    def __init__(self, sets, latency, index):
        (rns, layout), *_ = sets
        self.bases, self.reduction, self.layout = rns.bases, rns.reduction, layout
        self.stages, self.roms = STAGES[latency], Roms(sets, index)
        r, z = self.bases.r, self.reduction.width
        converting = {
            # Number of a bit of the exponents, 0 for the highest one, two clocks before its use.
            "bit": In(range(r)),
            "drain_before": In(z),  # ``drain`` of the Rower after this one
            # R1, in the clock after one with ``control.drain``, and in all other clocks
            # ``drain_before``, a clock late.
            "drain": Out(z),
        }
        super().__init__({
            # What to do in the next clock. ``Factor.Y`` stands for squares alone and means R2;
            # ``Store.LATE`` does not come, and ``chain`` is ignored.
            "control": In(layout.shape),
            "store_r2": In(1),  # the control word stores R2, not a result
            "before": In(r),  # R2 of the Rower before this one in the ring
            "r2": Out(r),
        } | (converting if layout.converts else {}))

    def elaborate(self, platform):
        m = Module()
        r, control = self.bases.r, Signal(self.layout.shape, name="here")
        store_r2 = Signal(name="store_r2_here")
        m.d.comb += Cat(control, store_r2).eq(
            self._near(m, platform, Cat(self.control, self.store_r2)))
        result = Signal(r, name="result")
        r2 = Signal(r, name="r2", reset_less=True)

        # -- The memories.
        m.submodules.variables = variables = BlockRam(r, self.layout.variables)
        m.submodules.constants = constants = Memory(shape=r, depth=len(self.roms.constants),
                                                    init=self.roms.constants)
        late_result = Signal(r, name="late_result", reset_less=True)
        constant, read = Signal(r, name="constant", reset_less=True), constants.read_port()
        m.d.sync += [late_result.eq(result), constant.eq(read.data)]
        m.d.comb += [
            variables.a.address.eq(control.target), variables.a.write.eq(control.store != 0),
            variables.a.data.eq(Mux(store_r2, r2, late_result)),
            variables.b.address.eq(control.variable), read.addr.eq(control.constant),
        ]

        # -- R2.
        m.d.comb += self.r2.eq(r2)
        with m.Switch(control.take):
            with m.Case(Take.RING):
                m.d.sync += r2.eq(self.before)
            with m.Case(Take.MEMORY):
                m.d.sync += r2.eq(variables.b.q)
            with m.Case(Take.RESULT):
                m.d.sync += r2.eq(result)

        # -- The other factor, the products, and the Cox.
        factor = Signal(r, name="factor")
        is_constant = control.factor == Factor.CONSTANT
        if self.layout.converts:
            is_constant |= (control.factor == Factor.CHOSEN) & ~self._choice(m, control)
        m.d.comb += factor.eq(Mux(is_constant, constant, Mux(
            control.factor == Factor.Y, r2, variables.b.q)))
        carries = self._cox(m, control)
        first = Signal()
        mu = Signal(self.reduction.mu_width, reset_less=True)
        negated = Signal(r, name="negated", reset_less=True)
        m.d.sync += [
            first.eq(control.first),
            mu.eq(Array(Const(mu, self.reduction.mu_width) for mu, _ in self.roms.elements)[
                control.element]),
            negated.eq(Array(Const(value, r) for _, value in self.roms.elements)[control.element]),
        ]

        # -- Accumulation: what there is besides the product comes with it.
        stages = self.stages
        early = stages.sums == 2  # The negated product is added to the partial products.
        negated = later(m, gate(carries, negated), stages.factors + stages.sums - early, "negated")
        first, mu = (later(m, value, stages.factors + stages.sums, "selected")
                     for value in (first, mu))
        product = self._multiply(m, factor, negated if early else 0)
        r1 = Signal(self.reduction.width, name="r1", reset_less=True)
        m.d.sync += r1.eq(gate(~first, r1) + product + (0 if early else negated))
        if self.layout.converts:
            drain = Signal(len(r1), name="drained", reset_less=True)
            m.d.sync += drain.eq(Mux(control.drain, r1, self.drain_before))
            m.d.comb += self.drain.eq(drain)

        # -- Reduction.
        m.d.comb += result.eq(self._reduce(m, r1, mu))
        return m

    @staticmethod
    def _near(m, platform, value):
        """Return a value that other Rowers have too a clock late, in a register beside its loads.

        yosys would make one register for all Rowers, far from most of them, but leaves instances
        alone.
        """
        late = Signal(len(value), name="late", reset_less=True)
        if technology_of(platform).name != "ecp5":
            m.d.sync += late.eq(value)
        else:
            for bit in range(len(value)):
                m.submodules[f"bit_{bit}"] = DeviceBlock(
                    "FD1S3AX", p_GSR="DISABLED", i_CK=ClockSignal(), i_D=value[bit], o_Q=late[bit])
        return late

    def _choice(self, m, control):
        """Return the current bit of the exponent of the current element, which is one of b."""
        r, bits = self.bases.r, Signal(len(self.roms.exponents), name="bits")
        table = [sum((exponent >> index & 1) << element
                     for element, exponent in enumerate(self.roms.exponents))
                 for index in reversed(range(r))]
        # First by the lower bits of the number, and then by the upper ones.
        parts = []
        for start in range(0, r, 16):
            part = Signal(len(bits), name=f"bits_{start}")
            m.d.sync += part.eq(Array(Const(value, len(bits)) for value in
                                      table[start:start + 16])[self.bit[:4]])
            parts.append(part)
        m.d.sync += bits.eq(Array(parts)[self.bit[4:]])
        return bits.bit_select(control.element, 1)

    def _multiply(self, m, factor, addend):
        """Return the product of R2 and the factor; the addend comes with the last register."""
        # By their weight: those at even places follow each other, those at odd ones are added.
        even, odd = [], []
        for (first, own), (second, other) in itertools.product(
                enumerate(_pieces(self.bases.r)), repeat=2):
            a, b = self.r2[own], factor[other]
            m.submodules[f"multiplier_{own.start}_{other.start}"] = part = MultiplyAdd(
                a_width=len(a), b_width=len(b), input_register=self.stages.factors > 0,
                output_register=False)
            m.d.comb += [part.a.eq(a), part.b.eq(b)]
            (odd if (first + second) % 2 else even).append(part.p)
        even, odd = Cat(even), sum(odd, Const(0, 1))
        low = _pieces(self.bases.r)[0].stop
        if self.stages.sums == 2:
            even, odd = later(m, even, 1, "even"), later(m, odd, 1, "odd")
        total = (even + (odd << low) + addend)[:2 * self.bases.r]
        return later(m, total, min(self.stages.sums, 1), "total")

    def _cox(self, m, control):
        """Return the carry of the addition of the clock before."""
        g, add = self.bases.g, control.add
        sigma, carries = Signal(g, name="sigma", reset_less=True), Signal(name="carries")
        start = Cat(Const(0, g - 1), add == Add.HALF)
        total = Mux(add == Add.SUM, sigma, start) + self.r2[-g:]
        m.d.sync += [sigma.eq(total), carries.eq(total[g] & (add != Add.NOTHING))]
        return carries

    def _reduce(self, m, value, mu):
        """Return the result in the clock before it is in R2; µ is a clock ahead of the value."""
        r, bounds = self.bases.r, self.reduction.bounds
        registers = self.stages.folds
        mu = later(m, mu, 1, "mu")
        for index, after in enumerate([*bounds[1:], 1 << r]):
            inner, outer = registers[index] if index < len(registers) else (0, 0)
            upper, lower = value[r:], later(m, value[:r], inner, "lower")
            if len(upper) > 1:
                m.submodules[f"fold_{index}"] = fold = MultiplyAdd(
                    a_width=len(upper), b_width=len(mu), c_width=r, input_register=False,
                    product_registers=inner, output_register=outer > 0)
                m.d.comb += [fold.a.eq(upper), fold.b.eq(mu), fold.c.eq(lower)]
                value = fold.p
            else:
                value = later(m, lower + later(m, gate(upper, mu), inner, "upper"), outer, "folded")
            value = value[:(after - 1).bit_length()]  # what is above is 0
            mu = later(m, mu, inner + outer, "mu")
        return later(m, value, sum(map(sum, registers[len(bounds):])), "reduced")
