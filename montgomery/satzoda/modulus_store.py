"""The modulus, from which each multiplication on a ring begins."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..blocks.banks import Pointer, choose, look_up

__all__ = ["ModulusStore"]


class ModulusStore(wiring.Component):
    """Buffer whose words are read in order, as often as they are wanted.

    A word is looked up in a distributed memory, and chosen among the banks in the clock after. So
    two words are on their way while a third one is at ``word``, and depth costs no speed.

    Latency: :attr:`LATENCY`. Throughput: one word is written and one is read per clock.

    Parameters
    ----------
    width : :class:`int`
        Bits per word.
    count : :class:`int`
        Number of words.

    Attributes
    ----------
    LATENCY : :class:`int`
        Clocks from ``rewind`` to the first word at ``word``.

    Members
    -------
    push : :py:`In(1)`
        Write ``data`` as the next word. The first word follows the last.
    data : :py:`In(width)`
        See ``push``.
    rewind : :py:`In(1)`
        Go back to the first word. A word that is pushed in the same clock is there in time.
    filled : :py:`Out(1)`
        High for one clock, two clocks before the first word is at ``word``.
    steps : :py:`In(1)`
        Go on to the next word in the next clock.
    word : :py:`Out(width)`
        The current word.
    """

    LATENCY = 3

    def __init__(self, width, count):
        self.width = width
        self.count = count
        super().__init__({"push": In(1), "data": In(width), "rewind": In(1), "filled": Out(1),
                          "steps": In(1), "word": Out(width)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.write = write = Pointer(self.count)
        m.submodules.read = read = Pointer(self.count)
        fills = Signal(name="fills")
        moves = Signal(name="moves")
        # A clock ahead, since it enables many registers.
        m.d.sync += [fills.eq(self.rewind), moves.eq(self.steps | self.rewind | fills)]
        m.d.comb += [
            write.step.eq(self.push), self.filled.eq(fills),
            read.step.eq(moves | self.rewind), read.rewind.eq(self.rewind),
        ]
        words = look_up(m, self.width, self.count, write=write, read=read, push=self.push,
                        data=self.data)
        word = choose(m, words, read.bank, enable=moves)
        with m.If(moves):
            m.d.sync += self.word.eq(word)
        return m
