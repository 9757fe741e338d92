"""What goes through a program."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .program import Flow

__all__ = ["Sequencer"]


class Sequencer(wiring.Component):
    """Goes through a :class:`~.program.Program`, as :meth:`~.program.Program.walk` does.

    The steps are in a read-only memory. While a step is done the next one is looked up, in a clock
    each for whether a turn of a loop is the last one, for the address, and for the word.

    Latency: a step is there in the clock after ``begin`` or ``advance``, and what follows it
    :attr:`LATENCY` clocks after these. Throughput: a step every :attr:`LATENCY` clocks.

    Parameters
    ----------
    program : :class:`~.program.Program`
    entries : sequence of :class:`str`
        Labels of the steps with which a run may begin; the first step alone if empty.

    Members
    -------
    begin : :py:`In(1)`
        Begin with the first step. Only while the sequencer rests, three clocks or more after it
        has begun to.
    entry : :py:`In(range(len(entries)))`
        With ``entries``: which of them to begin with, from two clocks before ``begin``.
    advance : :py:`In(1)`
        The step is over.
    resting : :py:`Out(1)`
        There is no step.
    step : :py:`Out(program.layout)`
        The step that is done.
    following : :py:`Out(program.word)`
        What follows it: its fields, and whether the program ends instead.
    turn, last : :py:`Out(...)`, :py:`In(...)`
        By name of the loop: the number of its turn; that of its last turn, where it is given, which
        stays during a run.
    condition : :py:`In(1)`
        The condition of ``Flow.REPEAT_IF``. It stays during a step, but for its first clock.
    """

    LATENCY = 4

    def __init__(self, program, entries=()):
        self.program, self.entries = program, entries
        numbers = {name: loop.turns.stop for name, loop in program.loops.items()}
        super().__init__({
            "begin": In(1), "advance": In(1), "resting": Out(1, init=1),
            "step": Out(program.layout), "following": Out(program.word),
            "turn": Out(data.StructLayout({name: range(stop) for name, stop in numbers.items()})),
            "last": In(data.StructLayout({name: range(stop) for name, stop in numbers.items()
                                          if program.loops[name].given})),
            "condition": In(1)} | ({"entry": In(range(len(entries)))} if entries else {}))

    def turn_of(self, loop):
        """Return the number of the turn of a loop, and 0 if the program has none of that name."""
        return self.turn[loop] if loop in self.program.loops else Const(0, 1)

    def elaborate(self, platform):
        m = Module()
        program, words = self.program, self.program.words()
        # In logic: a block RAM without its output register takes most of a clock.
        m.submodules.words = memory = Memory(shape=program.word, depth=len(words), init=words,
                                             attrs={"rom_style": "logic"})
        read = memory.read_port()
        now = Signal(program.word, name="now")
        number, address = (Signal(range(len(words)), name=name) for name in ("number", "address"))
        jumps, counts = Signal(name="jumps"), Signal(name="counts")
        is_last = Signal(len(program.loops), name="is_last")  # of each loop, if the step names it
        m.d.comb += [read.addr.eq(address), self.following.eq(read.data), self.step.eq(now.fields)]
        begins = 0
        if self.entries:
            begins = Array(map(program.number, self.entries))[self.entry]
        m.d.sync += address.eq(Mux(self.resting, begins, Mux(jumps, now.to, number + 1)))
        with m.If(self.begin | self.advance):
            m.d.sync += [now.eq(read.data), number.eq(address), self.resting.eq(read.data.ends)]

        # -- What follows.
        with m.Switch(now.flow):
            with m.Case(Flow.REPEAT):
                m.d.comb += [jumps.eq(~is_last.any()), counts.eq(1)]
            with m.Case(Flow.LEAVE):
                m.d.comb += [jumps.eq(is_last.any()), counts.eq(1)]
            with m.Case(Flow.REPEAT_IF):
                m.d.comb += [jumps.eq(self.condition & ~is_last.any()), counts.eq(jumps)]

        # -- The turns of loops.
        lasts = []
        for index, (name, loop) in enumerate(program.loops.items()):
            turn = Signal(range(loop.turns.stop), name=f"turn_{name}", init=loop.turns[0])
            named = now.loop == index
            lasts.append(named & (turn == (self.last[name] if loop.given else loop.turns[-1])))
            m.d.comb += self.turn[name].eq(turn)
            with m.If(self.resting):
                m.d.sync += turn.eq(loop.turns[0])
            with m.Elif(self.advance & counts & named):
                m.d.sync += turn.eq(Mux(is_last.any(), loop.turns[0], turn + 1))
        m.d.sync += is_last.eq(Cat(lasts))
        return m
