"""A core that can be told to forget: nothing that it was sent stays in a register or a memory."""

from amaranth.hdl import Const, Module, Mux, ResetInserter, Signal
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from ..core import traits

__all__ = ["Clearable"]


class _State(enum.Enum, shape=3):
    RUN = 0
    RESET = 1
    KEY = 2
    OPERANDS = 3
    RESULTS = 4
    END = 5


class Clearable(wiring.Component):
    """A core with an input that has it forget its key, and drop what it computes.

    A reset does not reach memories, nor registers that need none. So the core is reset, takes a key
    that fills what it keeps of keys, does operations that fill the rest, and is reset again. These
    have the longest numbers and the shortest exponents. What the core holds then is the same,
    whatever it was sent before.

    Latency: none in either direction; :attr:`clocks` at most from the last clock of ``clear`` to
    the first one in which ``busy`` is low. Throughput: that of the core.

    Members
    -------
    ports of the core
    clear : :py:`In(1)`
        May come in any clock, and stay. No word moves from the next clock on, until ``busy`` is
        low.
    busy : :py:`Out(1)`
        The core is being cleared.
    """

    #: The core inside, once this is elaborated.
    core = None
    #: Clocks of the two resets.
    _RESETS = 2

    def __init__(self, params):
        self._params = params
        super().__init__({**params.signature.members, "clear": In(1), "busy": Out(1)})

    @property
    def clocks(self):
        p, cycles = self._params, self._params._filler_cycles
        more = (traits(p).flushes - 1) * max(traits(p).initiation or cycles.interval, 1)
        if cycles.load > p.i_words:
            # Where words have to wait for others, the first one may have to after a reset.
            more += cycles.load
        return (self._RESETS + max(cycles.load_key, 1) + cycles.load + cycles.compute
                + cycles.unload + more + traits(p).takes_every - 1)

    def elaborate(self, platform):
        m = Module()
        p = self._params
        state, resets = Signal(_State), Signal()
        passes = state == _State.RUN
        self.core = p.create()
        m.submodules.core = core = ResetInserter(resets)(self.core)
        m.d.comb += [
            self.busy.eq(~passes),
            resets.eq((state == _State.RESET) | (state == _State.END)),
            self.o.payload.eq(core.o.payload), self.o.valid.eq(core.o.valid & passes),
            core.o.ready.eq(self.o.ready | ~passes)]
        left = Signal(range(traits(p).flushes * p.result_words + 1))  # words of results
        with m.If(resets):
            m.d.sync += left.eq(traits(p).flushes * p.result_words)
        with m.Elif(core.o.valid):
            m.d.sync += left.eq(left - 1)
        sent = self._fill(m, core, "i", p.operands, state == _State.OPERANDS, passes,
                          traits(p).flushes)
        keyed = 1
        if p.k_words:
            keyed = self._fill(m, core, "k", p.key_operands, state == _State.KEY, passes, 1)
        with m.Switch(state):
            for now, ends in ((_State.RESET, 1), (_State.KEY, keyed), (_State.OPERANDS, sent),
                              (_State.RESULTS, left == 0), (_State.END, 1)):
                with m.Case(now), m.If(ends):
                    m.d.sync += state.eq(_State((now.value + 1) % 6))
        with m.If(self.clear):
            m.d.sync += state.eq(_State.RESET)
        return m

    def _fill(self, m, core, name, message, fills, passes, times):
        """Connect a port, and return whether the last word of the last filler is taken."""
        outer, inner = getattr(self, name), getattr(core, name)
        words = message.filler()
        most = max(set(words), key=words.count)
        index, done = Signal(range(len(words)), name=f"{name}_index"), Signal(range(times))
        word = Const(most, message.width)
        for place, other in enumerate(words):
            if other != most:
                word = Mux(index == place, Const(other, message.width), word)
        last = index == len(words) - 1
        m.d.comb += [inner.payload.eq(Mux(passes, outer.payload, word)),
                     inner.valid.eq(Mux(passes, outer.valid, fills)),
                     outer.ready.eq(inner.ready & passes)]
        with m.If(~fills):
            m.d.sync += [index.eq(0), done.eq(0)]
        with m.Elif(inner.ready):
            m.d.sync += [index.eq(Mux(last, 0, index + 1)), done.eq(done + last)]
        return inner.ready & last & (done == times - 1)
