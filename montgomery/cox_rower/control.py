"""Control words: one for all Rowers in each clock; and what each Rower has in its ROMs."""

from .layout import Add, Store
from .steps import READ, STAGES, Bank

__all__ = ["ControlProgram", "Roms"]


class ControlProgram:
    """The control words of a :class:`~montgomery.cox_rower.schedule.Schedule`.

    Parameters
    ----------
    schedule : :class:`~montgomery.cox_rower.schedule.Schedule`
    layout : :class:`~montgomery.cox_rower.layout.Layout`

    Attributes
    ----------
    words : list of dict
        Values of the layout's fields, where they are not 0. Word c is that of clock c, and of all
        clocks that are a multiple of the interval away.
    lead : :class:`int`
        Clocks before clock 0 that a multiplication needs.
    drained : :class:`int`
        Clock in which the last sum is in R1, if sums are what is wanted.
    tail : :class:`int`
        The last result of a multiplication is written in this clock of the next one.
    """

    def __init__(self, schedule, layout):
        self.layout = layout
        interval = schedule.interval
        self.words = [{} for _ in range(interval)]
        clocks = []

        def put(clock, **fields):
            clocks.append(clock)
            self.words[clock % interval].update(fields)

        for clock, (take, chain) in schedule.sources.items():
            put(clock, take=take, chain=chain)
        for clock, (bank, slot) in schedule.reads.items():
            put(clock - READ, variable=layout.address(bank, slot), number=layout.number(bank))
        for clock, product in schedule.products.items():
            step = product.step
            put(clock - READ, constant=layout.constant(step, product.slot, product.index))
            put(clock, factor=product.factor, first=product.index == 0,
                element=layout.element(step, product.slot), add=self._add(product))
        for clock in schedule.sums:
            self.drained = clock + STAGES[schedule.latency].to_sum
            put(self.drained, drain=1)
        for (bank, slot), clock in schedule.made.items():
            clock += schedule.latency
            put(clock, store=Store.LATE if clock >= interval else Store.NOW,
                target=layout.address(bank, slot), is_result=bank < Bank.Y_A)
        self.lead = -min(clocks)
        self.tail = max(max(clocks) - interval, 0)

    @property
    def interval(self):
        """Clocks between multiplications."""
        return len(self.words)

    def clocks(self, multiplications):
        """Return the clocks of some multiplications that follow each other."""
        return self.lead + multiplications * self.interval + self.tail + 1

    @staticmethod
    def _add(product):
        if product.step not in ("to a", "to b", "digits", "high digits"):
            return Add.NOTHING
        if product.index:
            return Add.SUM
        return Add.ZERO if product.step == "to a" else Add.HALF


class Roms:
    """What a Rower knows of its elements.

    Parameters
    ----------
    sets : list of tuple of :class:`~.rns.Rns` and :class:`~.layout.Layout`
        Of each base size.
    index : :class:`int`
        Number of the Rower.

    Attributes
    ----------
    constants : list of :class:`int`
        As the layouts number them.
    elements : list of tuple of :class:`int`
        For each element, by number: µ, and the residue of the other base's negated product.
    exponents : list of :class:`int`
        For each element, by number: of those of base b, λ - 1, by which numbers are inverted.
    """

    def __init__(self, sets, index):
        (_, layout), *_ = sets
        self.constants = [0] * layout.constants
        self.elements, self.exponents = [None] * layout.elements, [0] * layout.elements
        for rns, layout in sets:
            self._fill(rns, layout, index)

    def _fill(self, rns, layout, index):
        bases, n, crt = rns.bases, layout.n, layout.crt
        if layout.converts:
            to_xi, digit_rows = rns.to_xi(crt), rns.digit_rows(crt)

        def put(step, slot, *values):
            for turn, value in enumerate(values):
                self.constants[layout.constant(step, slot, turn)] = value

        def in_turn(values):
            """Return what goes with the residues, or digits, that come round: n of either half.

            In each turn they are those that were first in R2 of the Rower ``turn % u`` before.
            """
            return [values[half + (index - turn) % layout.u + turn // layout.u * layout.u]
                    for half in range(0, len(values), n) for turn in range(n)]

        for slot in range(layout.slots):
            own = index + layout.u * slot
            for step, powers, (element, row, negated) in (
                    ("to a", "radix a", rns.b_to_a[own]), ("to b", "radix b", rns.a_to_b[own])):
                self.elements[layout.element(step, slot)] = bases.mu(element), negated
                put(step, slot, *in_turn(row))
                if layout.converts:
                    put(powers, slot, *in_turn([(1 << bases.r * digit) % element
                                                for digit in range((1 + crt) * n)]))
            put("xi_a", slot, rns.s_to_xi[own])
            put("w_a", slot, rns.from_xi[own])
            if not layout.converts:
                continue
            put("to_xi", slot, rns.negated_inverse_of_b_j[own])
            put("choose", slot, 1)
            self.exponents[layout.element("choose", slot)] = rns.exponents[own]
            for half, (xi, digits) in enumerate(
                    [("xi", "digits"), ("xi of b", "high digits")][:1 + crt]):
                row, negated = digit_rows[half * n + own]
                put(xi, slot, to_xi[half * n + own])
                put(digits, slot, *in_turn(row))
                self.elements[layout.element(digits, slot)] = 0, negated
