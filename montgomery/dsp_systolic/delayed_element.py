"""The processing element of the array with a delayed quotient."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In

from ..blocks.carry_chain import ChosenSum
from ..blocks.multiply_add import MultiplyAdd
from ..blocks.values import later
from .chain import Element

__all__ = ["DelayedElement"]


class DelayedElement(Element):
    """Some digits of the two parts of T <- floor(T / b) + q m + x_r y, with one multiplier.

    The sum T has two parts, that of the products with x and that of those with quotient digits,
    whose digits are found in turn. For digit k of a part P, with c and m or y as the multiplier::

        both_k = lower digit of c m_k + upper digit of c m_(k-1) + carry of both_(k-1)
        P_k    = both_k + P_(k+1) + carry of P_(k-1)

    So no sum waits for anything but the digit above it. The parts are added where their lowest
    digits leave the array and, when they are complete, everywhere: the result moves down from PE to
    PE, and up, to where it is y, as far as it has moved down in the steps without x.

    Of these, ``high`` is the upper digit of the product; ``both`` and ``part`` are the carries of
    both_k and P_k, and ``result`` that of the sum of both parts.

    Latency and throughput: see :class:`~.chain.Element`.

    Parameters
    ----------
    schedule : :class:`~.schedule.DelayedSchedule`
    place : :class:`str`
        ``"inner"`` or ``"tail"``.

    Members
    -------
    below, above : see :class:`~.chain.Element`
        On the bus there are also:

        - ``fresh``: the sum before counts as 0, at the time of the addition to it.
        - ``final``: the sum is complete, but for the other part, which comes with the next clock.
        - ``lowest``, of a PE of several digits: high two clocks after those of the lowest one.
        - ``renew``, without folding: the y that waits is used.
        - ``given``, without folding: what ``load`` keeps, instead of ``digit``.
    kept : :py:`In(digit_width)`
        Digits of the result that are to become y.
    """

    def __init__(self, schedule, place="inner"):
        digit = schedule.digit_width
        own = {"lowest": 1} if schedule.per_element > 1 else {"given": digit, "renew": 1}
        super().__init__(schedule, place, own | {"fresh": 1, "final": 1},
                         {"high": digit, "both": 1, "part": 1, "result": 1}, {"kept": In(digit)})

    def elaborate(self, platform):
        m = Module()
        s, bus = self.schedule, self.below.bus
        below, above = self.below.carries, self.above.carries
        width = s.digit_width
        folded = s.per_element > 1
        product = Const(0, 2 * width) if self.place == "tail" else self._product(m)

        def register(name, shape):
            return Signal(shape, name=name, reset_less=True)

        high, both, part, result = (register("high", width), register("both", width + 1),
                                    register("part_of_sum", width + 1),
                                    register("result", width + 1))
        m.d.sync += high.eq(product[width:])
        m.d.comb += [above.high.eq(high), above.both.eq(both[-1]), above.part.eq(part[-1]),
                     above.result.eq(result[-1]), self.below.sum.eq(part),
                     self.below.results.eq(result)]
        carried = {name: below[name] for name in below.shape().members}
        old = self.above.sum
        if folded:
            # The digit below is in this PE, or the last one of the PE below, two clocks before.
            lowest = {"high": bus.lowest, "both": bus.lowest}
            lowest["part"] = later(m, bus.lowest, 1, "lowest")
            lowest["result"] = later(m, lowest["part"], 2, "lowest_result")
            carried = self.carried(m, lowest)
            if self.place != "tail":
                # The digit above is here too, or the lowest one of the PE above.
                old = later(m, Mux(lowest["result"], self.above.sum, part[:width]), s.period - 3,
                            "old")

        m.d.sync += both.eq(product[:width] + carried["high"] + carried["both"])
        if self.place == "tail":
            m.d.sync += part.eq(both[:width] + carried["part"])
            return m
        m.submodules.sum = add = ChosenSum(width)
        m.d.comb += [add.a.eq(both), add.b.eq(0), add.c.eq(old), add.choose.eq(bus.fresh),
                     add.carry.eq(carried["part"])]
        m.d.sync += part.eq(add.total)

        # A clock after that of the first part there is the second one. Otherwise nothing is added.
        other, final = register("other", width), register("final", 1)
        m.d.sync += [other.eq(part), final.eq(bus.final)]
        with m.If(~bus.final):
            m.d.sync += other.eq(0)
        m.submodules.whole = whole = ChosenSum(width)
        m.d.comb += [whole.a.eq(other), whole.b.eq(part), whole.c.eq(self.above.results),
                     whole.choose.eq(final), whole.carry.eq(carried["result"])]
        m.d.sync += result.eq(whole.total)
        return m

    def _product(self, m):
        """Add the multiplier, the storage of y and m and the bus; return the product."""
        s, bus = self.schedule, self.below.bus
        operand, full = (self.digit_memory(m, Mux(bus.keep, self.kept, bus.digit))
                         if s.per_element > 1 else self._registers(m))
        for name in bus.shape().members:
            value = bus.load & full if name == "load" else bus[name]
            m.d.comb += self.above.bus[name].eq(later(m, value, s.hop, f"next_{name}"))
        width = s.digit_width
        m.submodules.multiplier = multiplier = MultiplyAdd(a_width=width, b_width=width)
        m.d.comb += [multiplier.a.eq(bus.digit), multiplier.b.eq(operand)]
        return multiplier.p

    def _registers(self, m):
        """Add registers for a digit; return what is multiplied by, and whether one is there.

        Of the y that was given last and the y that was kept last one is 0.
        """
        bus, width = self.below.bus, self.schedule.digit_width
        modulus, waiting, given, kept = (Signal(width, name=name, reset_less=True)
                                         for name in ("modulus", "waiting", "given", "kept_y"))
        full = Signal(name="full", reset_less=True)
        mine = bus.load & ~full
        m.d.sync += full.eq((full | bus.load) & ~bus.last_operand)
        with m.If(mine & bus.is_modulus):
            m.d.sync += modulus.eq(bus.given)
        with m.If(mine & ~bus.is_modulus):
            m.d.sync += waiting.eq(bus.given)
        with m.If(bus.keep):
            m.d.sync += given.eq(0)
        with m.Elif(bus.renew):
            m.d.sync += given.eq(waiting)
        with m.If(bus.renew):
            m.d.sync += kept.eq(0)
        with m.Elif(bus.keep):
            m.d.sync += kept.eq(self.kept)
        return Mux(bus.index[0], modulus, given | kept), full
