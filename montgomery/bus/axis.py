"""A core with the names of AXI4-Stream."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.clearable import Clearable
from ..blocks.values import after, at_last
from ..core import ceil_div, results_of

__all__ = ["AxisCore"]


class AxisCore(wiring.Component):
    """A core whose ports are called as those of AXI4-Stream.

    Words take whole bytes. Bits of ``tdata`` above the bits of a word are ignored, and are 0 at
    ``m_axis``.

    Latency and throughput: those of the core.

    Parameters
    ----------
    params : :class:`montgomery.CoreParameters`
    clear : :class:`bool`
        Add ``clear`` and ``busy``: see :class:`~montgomery.blocks.clearable.Clearable`.

    Members
    -------
    s_axis, s_axis_key, m_axis : :py:`In(...)`, :py:`In(...)`, :py:`Out(...)`
        ``tdata``, ``tvalid`` and ``tready`` of operands, keys and results; ``m_axis`` has
        ``tlast``, in the last word of a result. Without keys there is no ``s_axis_key``.
    """

    #: The core inside, once this is elaborated.
    core = None

    def __init__(self, params, *, clear=False):
        self._params, self._clear = params, clear
        signature = params.signature

        def stream(width, **more):
            return wiring.Signature({"tdata": Out(8 * ceil_div(width, 8)), "tvalid": Out(1),
                                     "tready": In(1), **more})

        super().__init__({
            "s_axis": In(stream(signature.i_width)),
            "m_axis": Out(stream(signature.o_width, tlast=Out(1))),
            **({"s_axis_key": In(stream(signature.k_width))} if signature.k_width else {}),
            **({"clear": In(1), "busy": Out(1)} if clear else {})})

    def elaborate(self, platform):
        m = Module()
        p = self._params
        m.submodules.core = core = self.core = Clearable(p) if self._clear else p.create()
        for inner, outer in ((core.i, self.s_axis),
                             *([(core.k, self.s_axis_key)] if p.k_words else [])):
            m.d.comb += [inner.payload.eq(outer.tdata), inner.valid.eq(outer.tvalid),
                         outer.tready.eq(inner.ready)]
        words = results_of(p).words
        place = Signal(range(words), name="place")
        moves = core.o.valid & self.m_axis.tready
        m.d.sync += place.eq(after(place, words, moves))
        m.d.comb += [self.m_axis.tdata.eq(core.o.payload), self.m_axis.tvalid.eq(core.o.valid),
                     core.o.ready.eq(self.m_axis.tready),
                     self.m_axis.tlast.eq(at_last(place, words))]
        if self._clear:
            m.d.comb += [core.clear.eq(self.clear), self.busy.eq(core.busy)]
            with m.If(core.busy):
                m.d.sync += place.eq(0)
        return m
