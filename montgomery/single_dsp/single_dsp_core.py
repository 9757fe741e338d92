"""What is around a processor in each core."""

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring

from .loader import NumberLoader
from .processor import Processor
from .sender import Sender

__all__ = ["SingleDspCore"]


class SingleDspCore(wiring.Component):
    """A processor, with what loads its memory and what sends results. A derived class controls it.

    The first word of a key tells how many words each number has, so that shorter numbers take less
    time. Bits of it for which the memory has no room are ignored. A word is taken every second
    clock, and a word of the result comes every fourth clock.

    Latency and throughput are those of the control.

    Parameters
    ----------
    params : :class:`montgomery.CoreParameters`
    index_width, part_width : see :class:`~.processor.Processor`
    loads
        What :class:`~.loader.NumberLoader` takes besides.

    Attributes
    ----------
    last : :class:`~amaranth.hdl.Signal`
        The word at ``o`` is the last one of a result.

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params, *, index_width, part_width, **loads):
        self.params = params
        self.processor = Processor(params.word_width, index_width, part_width)
        self.loader = NumberLoader(params.word_width, index_width, **loads)
        self.sender = Sender(params.word_width)
        self.last = self.sender.last
        super().__init__(params.signature)

    def control(self, m):
        """Add the control to module ``m``.

        Return part and index of the digit that is read where there is no product, and none is
        loaded.
        """
        raise NotImplementedError

    def elaborate(self, platform):
        m = Module()
        m.submodules.processor = processor = self.processor
        m.submodules.loader = loader = self.loader
        m.submodules.sender = sender = self.sender
        wiring.connect(m, wiring.flipped(self.i), loader.i)
        wiring.connect(m, wiring.flipped(self.k), loader.k)
        wiring.connect(m, sender.o, wiring.flipped(self.o))
        part, index = self.control(m)
        m.d.comb += [
            processor.last.eq(loader.last), processor.write.eq(loader.write),
            processor.data.eq(loader.data),
            processor.part.eq(Mux(loader.write, loader.part, part)),
            processor.index.eq(Mux(loader.write, loader.index, index)),
            sender.blocked.eq(loader.write), sender.q.eq(processor.q),
        ]
        return m
