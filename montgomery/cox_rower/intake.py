"""The phases of the front in which words come: of keys, and of messages."""

from amaranth.hdl import Signal

__all__ = ["Intake"]


class Intake:
    """The phases ``idle``, ``message``, ``header``, ``factors`` and ``modulus``.

    Parameters
    ----------
    front : :class:`~montgomery.cox_rower.front.Front`
    common : :class:`~montgomery.cox_rower.phases.Common`

    Attributes
    ----------
    place
        Of a word of a key in the block RAM.
    """

    def __init__(self, front, common):
        self.front, self.common = front, common
        self.place = Signal(range(common.kept.message + 1), name="place")

    def states(self, m):
        """Add the phases to an FSM."""
        front, at, place = self.front, self.common, self.place
        k, i, message = front.k, front.i, at.kept.message
        n, words = front.sets[-1].n, at.kept.halves * front.sets[-1].n
        with m.State("idle"):
            m.d.comb += [k.ready.eq(1), i.ready.eq(at.has_key & ~k.valid),
                         at.target.eq(message), at.written.eq(i.payload)]
            with m.If(k.valid):
                if at.single is None:
                    m.d.comb += front.header.valid.eq(1)
                else:
                    m.d.sync += at.single.eq(k.payload[0])
                m.d.sync += [at.has_key.eq(0), front.is_message.eq(0), at.digit.eq(1)]
                m.next = "header"
            with m.Elif(i.valid & at.has_key):
                m.d.comb += at.writes.eq(1)
                m.d.sync += [front.is_message.eq(1), at.digit.eq(1)]
                if words > 1:
                    m.next = "message"
                else:
                    self._loads_message(m)
        if words > 1:
            with m.State("message"):
                m.d.comb += [i.ready.eq(1), at.writes.eq(i.valid), at.written.eq(i.payload),
                             at.target.eq(message + at.digit)]
                with m.If(at.ends(m, i.valid, words - 1, at.digit)):
                    self._loads_message(m)
        with m.State("header"):
            m.d.comb += [k.ready.eq(1), front.header.valid.eq(k.valid)]
            with m.If(at.ends(m, k.valid, front.header_words - 1, at.digit)):
                m.next = "factors"
        with m.State("factors"):
            m.d.comb += [k.ready.eq(1), at.writes.eq(k.valid)]
            if not front.crt:
                m.d.comb += front.modulus.valid.eq(k.valid)
            with m.If(k.valid):
                m.d.sync += place.eq(place + 1)
                for index, each in enumerate(at.tops):
                    is_its = (place >= index * n) & (place < (index + 1) * n)
                    with m.If((k.payload != 0) & is_its):
                        m.d.sync += each.eq(at.digit)
            with m.If(at.ends(m, k.valid, n - 1, at.digit) & (place == message - 1)):
                m.d.sync += place.eq(0)
                m.next = "modulus" if front.crt else "length"
        if front.crt:
            with m.State("modulus"):
                m.d.comb += [k.ready.eq(1), front.modulus.valid.eq(k.valid)]
                with m.If(at.ends(m, k.valid, 2 * n - 1, at.digit)):
                    m.next = "length"

    def _loads_message(self, m):
        m.d.sync += self.common.digit.eq(0)
        m.next = "waits"
        with m.If(~self.front.gives):
            m.next = "rows"
