"""From digits to digits: what RSA without CRT, and with it, have around the Rowers."""

import abc

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import wiring

from ..blocks.skid import Skid
from .correction import Correction
from .front import Front
from .multiplier_component import drained, row
from .sequencer import Load, Sequencer
from .windows import Windows

__all__ = ["FromDigits"]


class FromDigits(wiring.Component, abc.ABC):
    """Rowers with a front that takes digits, and a correction that gives them.

    Latency: the runs that :class:`~montgomery.cox_rower.windows.Windows` lists, whose number
    depends on the number of digits of the exponent alone, and the correction. Throughput: one
    operation at a time; the words of the next message are taken while the result is handed over.

    Parameters
    ----------
    params : :class:`montgomery.CoreParameters`
        With ``exponent_words``, the words of each exponent, and ``places``, the
        :class:`~montgomery.cox_rower.places.Places`.

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    @property
    def both(self):
        """Keys may be with CRT or without; otherwise they are as ``places`` are."""
        return False

    @abc.abstractmethod
    def parts(self):
        """Return the programs as ``Windows`` numbers them, and what :func:`row` takes.

        That is the latency of a Rower, and an ``Rns`` with its ``Layout`` for each base size, in
        rising order.
        """

    @abc.abstractmethod
    def measure(self, m, front, correction):
        """Tell the correction how long its numbers are."""

    def elaborate(self, platform):
        m = Module()
        p, places = self.params, self.params.places
        programs, latency, sets = self.parts()
        slots = sets[-1][1].slots
        m.submodules.front = front = Front(
            tuple(rns.bases for rns, _ in sets), sets[-1][0].bases.n // slots,
            p.header_words, crt=places.crt, both=self.both)
        m.submodules.windows = windows = Windows(p.word_width, p.exponent_words, places,
                                                 both=self.both)
        if self.both:
            m.d.comb += windows.single.eq(front.single)
        m.submodules.sequencer = sequencer = Sequencer(
            programs, width=p.word_width, u=front.u, rows_out=0,
            loads=(Load(places.unit, 2 * places.loaded * slots),
                   Load(places.digits, (1 + places.crt) * slots)))
        m.submodules.correction = correction = Correction(
            p.word_width, sets[0][0].reduction.width, max(p.result_words, 2))
        m.submodules.result = result = Skid(p.word_width)
        wiring.connect(m, correction.o, result.i)
        rowers = row(m, sequencer, latency, sets)

        wiring.connect(m, wiring.flipped(self.i), front.i)
        wiring.connect(m, wiring.flipped(self.k), front.k)
        for source, target in ((front.header, windows.i), (front.modulus, correction.modulus),
                               (front.rows, sequencer.i)):
            wiring.connect(m, source, target)
        # Programs of a size are numbered from its first one on.
        program = Signal(range(len(programs)), name="program")
        m.d.sync += program.eq(windows.next.program + Array(
            range(0, len(programs), len(programs) // len(sets)))[front.set])
        m.d.comb += [
            sequencer.load.eq(front.is_message),
            sequencer.next.eq(windows.next), sequencer.next.program.eq(program),
            windows.takes.eq(sequencer.takes), sequencer.more.eq(windows.more),
            front.ready.eq(self.o.valid),
            front.gives.eq(correction.o.valid | result.o.valid),
        ]
        self.measure(m, front, correction)

        drained(m, rowers, sequencer, correction)
        # A result waits until the Rowers have nothing to do, but not for those of the next key.
        free, was_free = Signal(name="free"), Signal(name="was_free")
        m.d.sync += was_free.eq(result.o.valid & free)
        m.d.comb += [free.eq(sequencer.i.ready | was_free),
                     self.o.payload.eq(result.o.payload),
                     self.o.valid.eq(result.o.valid & free),
                     result.o.ready.eq(self.o.ready & free)]
        return m
