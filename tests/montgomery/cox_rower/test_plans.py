"""What is done besides multiplications, with few elements a Rower and with many."""

import pytest

from montgomery.cox_rower.control import Program
from montgomery.cox_rower.layout import Layout
from montgomery.cox_rower.plans import conversion, inversion, key, product
from montgomery.cox_rower.steps import READ, Bank

NUMBERS = (Bank.X_A, Bank.X_B, Bank.Y_A, Bank.Y_B)


def _plans(slots):
    """Yield each plan of elements that all belong to one Rower, with its program."""
    for make in (product, inversion, key):
        plan = make(slots, 1, 11)
        yield make, plan, Program(plan, Layout(slots, slots, 25, converts=True, crt=True))
    for to_rns, crt in ((True, True), (False, False), (False, True)):
        plan = conversion(slots, 1, 11, to_rns=to_rns, crt=crt)
        yield conversion, plan, Program(plan, Layout(slots, slots, 25, converts=True, crt=crt))


@pytest.mark.parametrize("slots", [2, 6, 7, 8, 15, 16, 17, 19, 33])
def test_what_comes_next_disturbs_nothing(slots):
    for make, plan, program in _plans(slots):
        # The next x and y are known when a program has been sent but for what precedes its clock 0.
        last_read = max((clock for clock, (bank, _) in plan.reads.items() if bank in NUMBERS),
                        default=0)
        assert last_read < plan.interval - 2 * (READ + 1), make
        # What precedes it comes before the first one too, when there is nothing to be done yet.
        assert max(plan.products) < plan.interval - program.lead, make
        if make is not inversion:  # of which the next step takes the result
            assert program.tail == 0, make


def test_bases_of_the_paper_take_no_longer():
    """What many elements need must not be paid for few."""
    assert [(product(n, 11, 11).interval, inversion(n, 11, 11).interval)
            for n in (22, 33, 66)] == [(43, 26), (45, 26), (51, 26)]
