"""The program of a multiplication: one word for all Rowers in each clock."""

from .layout import Add, Store, Take
from .stages import STAGES
from .steps import READ, Bank, Source

__all__ = ["Program"]


class Program:
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

        takes = {Source.RING: Take.RING, Source.MEMORY: Take.MEMORY, Source.RESULT: Take.RESULT,
                 Source.CHAIN: Take.MEMORY}
        for clock, source in schedule.sources.items():
            put(clock, take=takes[source], chain=source is Source.CHAIN)
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
