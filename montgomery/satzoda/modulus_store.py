"""The modulus, from which each multiplication on a ring begins."""

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..blocks.carry_save import gate
from ..blocks.memory_ports import read_port, write_port
from ..blocks.word_buffer import BANK, Pointer

__all__ = ["ModulusStore"]


class ModulusStore(wiring.Component):
    """Buffer whose words are read in order, as often as they are wanted.

    A word is looked up in a distributed memory, and chosen among the banks in the clock after. So
    two words are on their way while a third one is at ``word``, and depth costs no speed.

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
        looked_up = []
        for number in range(len(write.bank)):
            depth = min(BANK, self.count - number * BANK)
            memory = Memory(shape=self.width, depth=depth, init=[])
            m.submodules[f"bank_{number}"] = memory
            put = write_port(memory, "$signature")
            get = read_port(memory, "read_port", domain="comb")
            m.d.comb += [put.addr.eq(write.index), put.data.eq(self.data),
                         put.en.eq(self.push & write.bank[number]), get.addr.eq(read.index)]
            word = Signal(self.width, name=f"word_{number}", reset_less=True)
            chosen = Signal(name=f"chosen_{number}", reset_less=True)
            with m.If(moves):
                m.d.sync += [word.eq(get.data), chosen.eq(read.bank[number])]
            looked_up.append(gate(chosen, word))
        with m.If(moves):
            m.d.sync += self.word.eq(reduce(or_, looked_up))
        return m
