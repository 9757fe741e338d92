"""What is multiplied one after the other: the key, and exponentiation by windows, Figure 3."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .exponent import Exponent
from .operations import Run, Then, Which, operations
from .runner import operation

__all__ = ["Windows"]


class Windows(wiring.Component):
    """Walks the list of :func:`~montgomery.cox_rower.operations.operations`, a small ROM.

    When an operation has been taken, the next one is at ``next`` :attr:`LATENCY` clocks later, and
    ``more`` is about it from the clock after the next one on.

    Latency: :attr:`LATENCY`. Throughput: an operation every :attr:`LATENCY` clocks, which is less
    than any of them takes.

    Parameters
    ----------
    width : :class:`int`
        Bits r of a word of the stream.
    words : :class:`int`
        Words of an exponent.
    places : :class:`~montgomery.cox_rower.places.Places`
    both : bool
        Those are for keys with CRT, but keys may also be without: there is a list for each.

    Attributes
    ----------
    LATENCY : :class:`int`
        Clocks for ``takes``, the address, the word of the ROM, a register, and the numbers.

    Members
    -------
    i : :py:`In(stream.Signature(width))`
        The header of a key, which is taken at once, for
        :class:`~montgomery.cox_rower.exponent.Exponent`: with CRT of the exponents for p and for q.
        It must not come while something is done. What is done next is to prepare the key.
    single : :py:`In(1)`
        With ``both``: the key is one without CRT. It has to be there while the header comes.
    next : :py:`Out(operation(places.count, len(Run)))`
        What is multiplied.
    takes : :py:`In(1)`
        The next one, please.
    more : :py:`Out(1)`
        After the run that what has been taken is of, there is another one.
    """

    LATENCY = 5

    def __init__(self, width, words, places, *, both=False):
        self.width, self.words, self.places, self.both = width, words, places, both
        super().__init__({"i": In(stream.Signature(width)), "takes": In(1), "more": Out(1),
                          "next": Out(operation(places.count, self.runs(places)))}
                         | ({"single": In(1)} if both else {}))

    @staticmethod
    def runs(places):
        """Return the number of programs that there are."""
        return len(Run) if places.crt else Run.PRODUCT

    def elaborate(self, platform):
        m = Module()
        at, window, next_ = self.places, self.places.window, self.next
        m.submodules.exponent = exponent = Exponent(self.width, self.words, window, 1 + at.crt)
        wiring.connect(m, wiring.flipped(self.i), exponent.i)

        # -- The operation.
        listed = operations(at, self.width)
        if self.both:
            listed += operations(at, self.width, single=True)
        names = {each.name: index for index, each in enumerate(listed)}
        place = data.StructLayout({"which": Which, "place": range(at.count)})
        shape = data.StructLayout({
            "run": range(self.runs(at)), "target": place, "x": place, "y": place,
            "again": range(max(each.times for each in listed)), "last": 1, "more": 1, "loads": 1,
            "begins": 1, "then": Then, "to": range(len(listed))})

        def word_of(each):
            numbers = {name: dict(zip(("which", "place"), getattr(each, name), strict=True))
                       for name in ("target", "x", "y")}
            flags = {name: getattr(each, name)
                     for name in ("run", "last", "more", "loads", "begins", "then")}
            return numbers | flags | {"again": each.times - 1, "to": names[each.to or "key"]}

        m.submodules.list = memory = Memory(shape=shape, depth=len(listed),
                                            init=map(word_of, listed))
        read = memory.read_port()
        address = Signal(range(len(listed)), name="address", init=names["message"])
        now = Signal(shape, name="now")
        m.d.comb += read.addr.eq(address)
        m.d.sync += now.eq(read.data)

        # -- The numbers.
        is_q = Signal(name="is_q")
        latest = Signal(range(at.count), name="latest")
        power = Signal(range(at.count), name="power")
        m.d.sync += power.eq(at.powers + exponent.digit)
        if at.crt:
            with m.If(exponent.digit == 0):  # of which the power depends on the factor
                m.d.sync += power.eq(at.one + is_q)
        for name in ("target", "x", "y"):
            with m.Switch(now[name].which):
                with m.Case(Which.FIXED):
                    m.d.sync += next_[name].eq(now[name].place)
                with m.Case(Which.FACTOR):
                    m.d.sync += next_[name].eq(now[name].place + is_q)
                with m.Case(Which.POWER):
                    m.d.sync += next_[name].eq(power)
                with m.Case(Which.LATEST):
                    m.d.sync += next_[name].eq(latest)
        m.d.sync += next_.key.eq(at.key + is_q)
        m.d.comb += [next_.last.eq(now.last), next_.program.eq(now.run)]

        # -- What follows it.
        count = Signal.like(now.again, name="count")
        takes, done, jumps = (Signal(name=name) for name in ("takes_late", "done", "jumps"))
        m.d.sync += takes.eq(self.takes)
        m.d.comb += done.eq(takes & (count == now.again))
        m.d.sync += [
            exponent.uses.eq(done & (now.begins | (now.y.which == Which.POWER))),
            exponent.loads.eq(done & now.loads),
            exponent.second.eq((now.then == Then.FACTORS) & ~is_q),
        ]
        with m.Switch(now.then):
            with m.Case(Then.JUMP):
                m.d.comb += jumps.eq(1)
            with m.Case(Then.DIGITS):
                m.d.comb += jumps.eq(exponent.left != 0)
            with m.Case(Then.NO_DIGITS):
                m.d.comb += jumps.eq(exponent.left == 0)
            with m.Case(Then.FACTORS):
                m.d.comb += jumps.eq(~is_q)
        with m.If(takes):
            m.d.sync += [self.more.eq(now.more), count.eq(Mux(done, 0, count + 1)),
                         latest.eq(Mux(now.begins, power, at.y))]
        with m.If(done):
            m.d.sync += address.eq(Mux(jumps, now.to, address + 1))
            with m.If(now.then == Then.FACTORS):
                m.d.sync += is_q.eq(~is_q)
        with m.If(self.i.valid):
            m.d.sync += address.eq(Mux(self.single, names["single key"], names["key"])
                                   if self.both else names["key"])
        return m
