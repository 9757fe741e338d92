"""What is done besides multiplications, with few elements a Rower and with many."""

import pytest

from montgomery.cox_rower.control import ControlProgram, Layout
from montgomery.cox_rower.microcode import Run
from montgomery.cox_rower.schedule import READ, Bank, inversion, schedules

NUMBERS = (Bank.X_A, Bank.X_B, Bank.Y_A, Bank.Y_B)


def _plans(slots):
    """Yield each plan of elements that all belong to one Rower, with its program."""
    for crt in (True, False):
        layout = Layout((slots,), 1, 25, converts=True, crt=crt)
        plans = schedules(slots, 1, 11, crt=crt)
        yield from ((run, plan, ControlProgram(plan, layout))
                    for run, plan in zip(Run, plans, strict=False) if run is not Run.MULTIPLICATION)


@pytest.mark.parametrize("slots", [2, 6, 7, 8, 15, 16, 17, 19, 33])
def test_what_comes_next_disturbs_nothing(slots):
    for run, plan, program in _plans(slots):
        # The next x and y are known when a program has been sent but for what precedes its clock 0.
        last_read = max((clock for clock, (bank, _) in plan.reads.items() if bank in NUMBERS),
                        default=0)
        assert last_read < plan.interval - 2 * (READ + 1), run
        # What precedes it comes before the first one too, when there is nothing to be done yet.
        assert max(plan.products) < plan.interval - program.lead, run
        if run is not Run.INVERSION:  # of which the next step takes the result
            assert program.tail == 0, run


def test_bases_of_the_paper_take_no_longer():
    """What many elements need must not be paid for few."""
    assert [(schedules(n, 11, 11, crt=True)[Run.PRODUCT].interval, inversion(n, 11, 11).interval)
            for n in (22, 33, 66)] == [(43, 26), (45, 26), (51, 26)]
