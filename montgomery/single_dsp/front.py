"""Between the streams and the memory."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .processor import Processor
from .resets import Resets

__all__ = ["Front"]


class Front(wiring.Component):
    """Writes numbers to the memory of a processor, and sends one from it.

    First comes a word that says how many digits each number has: that number less one. Of its upper
    bits, those that the memory has no room for are ignored; so any word stands for some number of
    digits, and a sender who counts alike is always in step. Then comes -1/M, then M, which goes to
    the part ``modulus``, and what else goes to the parts after it. The highest digit of each number
    gets its flag here.

    Neither is done in each clock, since both are done once an operation, and what decides in a
    clock about all of this would be what limits the frequency.

    Parameters
    ----------
    width, index_width, part_width, modulus : :class:`int`
        Of the :class:`~montgomery.single_dsp.processor.Processor`.
    final : :class:`int`
        The last part that is written; ``modulus`` or above.
    reset : :class:`~amaranth.hdl.Signal` or None
        Of :class:`~montgomery.single_dsp.resets.Resets`.

    Attributes
    ----------
    LOAD, UNLOAD : :class:`int`
        Clocks from one word to the next, of ``i`` and of ``o``, where nobody waits.

    Members
    -------
    i : :py:`In(stream.Signature(width))`
        The numbers, one digit per word.
    o : :py:`Out(stream.Signature(width))`
        Digits of a result.
    last : :py:`Out(index_width)`
        Index of the highest digit.
    loaded : :py:`Out(1)`
        All was written. The next numbers are taken when the result was sent.
    send : :py:`In(1)`
        Send the number in part ``source``, or as many digits of 0 if ``is_0``.
    source : :py:`In(part_width)`
    is_0 : :py:`In(1)`
    sent : :py:`Out(1)`
        This is done; it is the clock of the last digit.
    part, index, write, data : :py:`Out(...)`
        For the processor. Out of use between ``loaded`` and ``send``.
    q : :py:`In(width + 1)`
        From the processor.
    """

    LOAD = 2
    UNLOAD = Processor.LATENCY + 1

    def __init__(self, *, width, index_width, part_width, modulus, final, reset=None):
        self.modulus, self.final, self._reset = modulus, final, reset
        super().__init__({
            "i": In(stream.Signature(width)), "o": Out(stream.Signature(width)),
            "last": Out(index_width), "loaded": Out(1),
            "send": In(1), "source": In(part_width), "is_0": In(1), "sent": Out(1),
            "part": Out(part_width), "index": Out(index_width), "write": Out(1),
            "data": Out(width + 1), "q": In(width + 1),
        })

    def elaborate(self, platform):
        m = Module()
        resets = Resets(m, self._reset)
        part, last, index = (Signal.like(port, name=port.name, reset_less=True)
                             for port in (self.part, self.last, self.index))
        following = Signal.like(index, name="following", reset_less=True)  # one above the index
        header = resets.register(name="header", init=1)
        loading, before, highest = (resets.register(name=name) for name in (
            "loading", "before", "highest"))  # this word is -1/M; or a number's highest digit
        # A word is taken in one clock, and what that changes is changed in the next.
        takes = Signal(name="takes")
        took, starts, restarts = (resets.register(name=name) for name in (
            "took", "starts", "restarts"))  # it was the header; or the last one of a number
        loaded, = resets.behind(self.loaded)
        m.d.comb += [
            self.i.ready.eq((header | loading) & ~took),
            takes.eq(self.i.ready & self.i.valid),
            self.write.eq(takes & loading),
            self.data.eq(Cat(self.i.payload, highest)),
            self.part.eq(part), self.last.eq(last), self.index.eq(index),
        ]
        m.d.sync += [took.eq(takes), starts.eq(takes & header),
                     restarts.eq(takes & loading & (before | highest)),
                     loaded.eq(takes & loading & highest & (part == self.final)),
                     header.eq(self.sent | (header & ~starts)),
                     loading.eq(starts | (loading & ~loaded)),
                     before.eq(starts | (before & ~restarts))]
        with m.If(header & ~took):
            m.d.sync += last.eq(self.i.payload)
        with m.If(starts):
            # -1/M goes to the place before M.
            m.d.sync += part.eq(self.modulus - 1)
        # Known in time, since an index stays for two clocks or more.
        is_highest, all_are = (Signal(name=name, reset_less=True)
                               for name in ("is_highest", "all_are"))
        m.d.sync += [is_highest.eq(following == last), all_are.eq(last == 0)]
        m.d.sync += highest.eq((restarts & all_are) | (took & ~restarts & is_highest)
                               | (~took & highest))  # whatever it is with -1/M
        with m.If(restarts):
            m.d.sync += part.eq(part + 1)

        # A digit leaves the memory some clocks after its index is known, stays there until the
        # register in front of the port has room, and makes way for the next one.
        coming = resets.register(Processor.LATENCY + 1, name="coming")  # the last bit stays
        full = resets.register(name="full")
        ends, leaves = Signal(name="$signal", reset_less=True), Signal(name="leaves")
        digit = Signal.like(self.o.payload, name="digit", reset_less=True)
        m.d.comb += [
            leaves.eq(coming[-1] & ~full), self.o.valid.eq(full), self.o.payload.eq(digit),
            self.sent.eq(full & self.o.ready & ends),
        ]
        m.d.sync += [coming.eq(Cat(self.send | (leaves & ~self.q[-1]), coming[:-1])),
                     coming[-1].eq(coming[-2] | (coming[-1] & full))]
        with m.If(self.send):
            m.d.sync += part.eq(self.source)  # from index 0, where loading ended
        with m.If(~full):
            m.d.sync += [full.eq(leaves), digit.eq(self.q), ends.eq(self.q[-1])]
        with m.Elif(self.o.ready):
            m.d.sync += full.eq(0)
        with m.If(self.is_0):
            m.d.sync += digit.eq(0)

        with m.If(took | leaves):
            m.d.sync += [index.eq(following), following.eq(following + 1)]
        with m.If(restarts):
            m.d.sync += [index.eq(0), following.eq(1)]
        with m.If(starts):
            m.d.sync += [index.eq(-1), following.eq(0)]
        resets.close()
        return m
