"""An inverter that divides by two, over and over."""

import dataclasses

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib.memory import Memory

from .arithmetic import divided, division_steps
from .blocks.values import delays, later, signals
from .core import About, Core, Cycles, ceil_div
from .kinds.inversion import Inverter

__all__ = ["DivstepInverter", "Parameters"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Inverter):
    """Parameters of :class:`DivstepInverter`; ``width`` and ``word_width`` are inherited."""

    _about = About(
        source="Bernstein, Yang: Fast constant-time gcd computation and modular inversion, 11.2; "
               "Wuille, Maxwell: Bounds on divsteps iterations in safegcd",
        summary="division steps, word by word, in constant time")

    @property
    def steps(self):
        """Division steps after which every g is 0."""
        return division_steps(self.width)

    @property
    def result_words(self):
        # A sum has two bits more than the modulus, and a word needs four clocks until it is read.
        return max(ceil_div(self.width + 2, self.word_width), 4)

    @property
    def cycles(self):
        words, compute = self.result_words, (self.steps + 1) * (self.result_words + 1) + 1
        return Cycles(load=2 * words, compute=compute, unload=words,
                      interval=compute + 3 * words - 1)

    def compute(self, x, modulus):
        """Return the inverse, or 0, by division steps."""
        self._check_operands(x, modulus)
        f, d = divided(x, modulus, self.steps)
        return (d if f > 0 else -d) % modulus if abs(f) == 1 else 0

    def create(self):
        return DivstepInverter(self)


class DivstepInverter(Core):
    """Does division steps on numbers in memories, from the lowest word to the highest.

    A step replaces (f, g) by (f, g / 2), (f, (g + f) / 2) or (g, (g - f) / 2), and (d, e) by the
    same combination modulo the modulus. Three stages make the sums, add the modulus to that of d
    and e or subtract it if that is odd, and shift both. A last pass corrects the sign of d.

    Latency: a clock more than there are words for each step, and as many for the last pass.
    Throughput: one inversion at a time.
    """

    def elaborate(self, platform):
        m = Module()
        p = self.params
        width, words = p.word_width, p.result_words
        place = Signal(range(words + 1), name="place")
        memories = {name: Memory(shape=width, depth=words, init=[]) for name in "fgdem"}
        ports = {name: memory.read_port(domain="comb") for name, memory in memories.items()}
        read = {name: port.data for name, port in ports.items()}
        m.d.comb += [port.addr.eq(place) for port in ports.values()]

        odd, odd_next, swaps, final, running, held, plus_one, minus_one, has_x = signals(
            "odd odd_next swaps final running held plus_one minus_one has_x")
        negative = {name: Signal(name=f"negative_{name}") for name in "fde"}
        at = delays(m, place, 3, "place")
        valid = delays(m, running & (place != words), 3, "valid", reset_less=False)

        def total(name, stage, first, second, inverted):
            """Return a register for the sum of two words and the carry from the word below."""
            found = Signal(width + 1, name=f"{name}_sum")
            carry = Mux(at[stage] == 0, inverted, found[-1])
            m.d.sync += found.eq(first + (second ^ inverted.replicate(width)) + carry)
            return found[:-1]

        # -- First stage: sums.
        sum_g = total("g", 0, read["g"], Mux(odd, read["f"], 0), swaps)
        sum_e = total("e", 0, Mux(final, 0, read["e"]), Mux(odd | final, read["d"], 0),
                      Mux(final, negative["f"], swaps))
        new_f = later(m, Mux(swaps, read["g"], read["f"]), 1, "new_f")
        new_d = later(m, Mux(swaps, read["e"], read["d"]), 1, "new_d")

        # -- Second stage: the modulus.
        modulus = later(m, read["m"], 1, "modulus")
        multiple = Mux(final, negative["d"] ^ negative["f"], Mux(at[1] == 0, sum_e[0], held))
        sum_g = later(m, sum_g, 1, "g_late")
        sum_e = total("multiple", 1, sum_e, Mux(multiple, modulus, 0),
                      multiple & ~final & ~negative["e"])
        m.d.sync += held.eq(multiple)
        with m.If(valid[1] & ~final):
            m.d.sync += [plus_one.eq((new_f == (at[1] == 0)) & (plus_one | (at[1] == 0))),
                         minus_one.eq(new_f.all() & (minus_one | (at[1] == 0))),
                         negative["f"].eq(new_f[-1]), negative["d"].eq(new_d[-1])]

        # -- Third stage: a shift, for which the word above follows.
        last_g, last_e = later(m, sum_g, 1, "last_g"), later(m, sum_e, 1, "last_e")
        shifted_g, shifted_e = (Cat(last[1:], Mux(at[3] == words - 1, last[-1], above[0]))
                                for last, above in ((last_g, sum_g), (last_e, sum_e)))
        with m.If(valid[2] & (at[2] == words - 1)):
            m.d.sync += negative["e"].eq(sum_e[-1])
        with m.If(valid[3] & (at[3] == 0)):
            m.d.sync += odd_next.eq(shifted_g[0])

        # -- Memories: x goes to g and the modulus to f; d is 0 and e is 1 at first.
        accepted = self.i.valid & self.i.ready
        loads_x, loads_modulus = accepted & ~has_x, accepted & has_x
        for name, stage, new, loads, first in (
                ("f", 1, new_f, loads_modulus, self.i.payload), ("d", 1, new_d, loads_modulus, 0),
                ("m", 1, modulus, loads_modulus, self.i.payload),
                ("g", 3, shifted_g, loads_x, self.i.payload),
                ("e", 3, Mux(final, last_e, shifted_e), loads_x, place == 0)):
            m.submodules[name], write = memories[name], memories[name].write_port()
            m.d.comb += [write.en.eq(loads | (valid[stage] & ~(final & (stage == 1)))),
                         write.addr.eq(Mux(loads, place, at[stage])),
                         write.data.eq(Mux(loads, first, new))]

        # -- Control.
        left, ends, step = Signal(range(p.steps + 1)), Signal(name="ends"), Signal(name="step")
        delta = Signal(signed(p.steps.bit_length() + 1), name="delta")
        m.d.comb += [ends.eq(place == Mux(running, words, words - 1)),
                     self.o.payload.eq(Mux(plus_one | minus_one, read["e"], 0))]
        swap = odd_next & (delta >= 0)
        with m.If(step):  # the last clock before one
            m.d.sync += [odd.eq(odd_next), swaps.eq(swap), delta.eq(Mux(swap, -delta, delta + 1))]
        with m.FSM(name="inverter"):
            with m.State("load"):
                m.d.comb += [self.i.ready.eq(1), step.eq(loads_modulus & ends)]
                m.d.sync += [has_x.eq(has_x ^ (accepted & ends)), left.eq(p.steps),
                             final.eq(0)]
                with m.If(loads_x & (place == 0)):
                    m.d.sync += [odd_next.eq(self.i.payload[0]), delta.eq(0)]
                with m.If(step):
                    m.next = "steps"
            with m.State("steps"):
                m.d.comb += [running.eq(1), step.eq(ends)]
                m.d.sync += [left.eq(left - ends), final.eq(final | (ends & (left == 1)))]
                with m.If(ends & final):
                    m.next = "result"
            with m.State("result"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready & ends):
                    m.next = "load"
        with m.If(running | accepted | (self.o.valid & self.o.ready)):
            m.d.sync += place.eq(Mux(ends, 0, place + 1))
        return m
