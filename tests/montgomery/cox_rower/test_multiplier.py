"""The schedule of the multiplier against the paper's clocks, its words, and what is refused."""

import math

import pytest
from amaranth.back import rtlil

from explore.simulation.kinds import adapter
from montgomery.core import check_operands
from montgomery.cox_rower.multiplier import Parameters
from montgomery.cox_rower.rns import Residues
from montgomery.cox_rower.schedule import Bank, multiplication
from montgomery.technology import technologies


@pytest.mark.parametrize(("n", "u", "latency", "interval"), [
    (33, 33, 4, 84), (33, 11, 11, 235), (33, 3, 11, 836), (66, 11, 11, 843), (22, 11, 8, 115),
    (6, 3, 8, 65), (6, 2, 11, 85)])
def test_clocks_of_the_paper(n, u, latency, interval):
    found = multiplication(n, u, latency)
    assert found.interval == interval
    # What there is to do meanwhile is too little with few elements.
    assert interval <= n // u * (2 * n + 20) or n < 9
    assert len(found.products) == n // u * (2 * n + 6)


@pytest.mark.parametrize(("n", "u", "latency"), [
    (1, 1, 4), (2, 1, 5), (3, 3, 4), (6, 2, 5), (12, 3, 8), (33, 11, 6), (33, 33, 4)])
def test_schedule_keeps_order(n, u, latency):
    """What is read was written before and has not been written again, over several products."""
    plan = multiplication(n, u, latency)
    events = []
    for number in range(4):
        start = number * plan.interval
        events += [(start + clock - 2, 0, "read", variable)
                   for clock, variable in plan.reads.items()]
        events += [(start + clock + latency, 1, "write", variable)
                   for variable, clock in plan.made.items()]
    clocks = [clock for clock, _, kind, _ in events if kind == "write"]
    assert len(set(clocks)) == len(clocks)
    reads = [clock for clock, _, kind, _ in events if kind == "read"]
    assert len(set(reads)) == len(reads)
    # The order of a product's writes and reads of a variable is the same in each product.
    for bank in (Bank.S_A, Bank.S_B, Bank.T_A, Bank.XI_A, Bank.XI_B):
        for slot in range(plan.slots):
            order = [kind for _, _, kind, variable in sorted(events) if variable == (bank, slot)]
            assert "".join(kind[0] for kind in order).replace("r", "") == "w" * 4
            parts = "".join(kind[0] for kind in order).split("w")
            assert parts[0] == ""
            assert len(set(parts[1:])) == 1


def test_order_of_the_words():
    params = Parameters(width=60, word_width=12, rowers=3)
    rns = params.rns
    modulus = 2**59 + 9
    x = 2**59 + 12345
    words = params.encode(x, 1, modulus)
    assert params.encode(x, 1) == words
    residues = rns.residues(x)
    u = 3
    for number, word in enumerate(words[:2 * rns.bases.n]):
        row, place = divmod(number, u)
        base = residues.a + residues.b
        assert word == base[row * u + u - 1 - place]
    assert params.decode(words[:2 * rns.bases.n]) == x
    assert rns.value(Residues(residues.a, residues.b)) == x


def test_a_modulus_near_any_other_is_usable():
    params = Parameters(width=12, word_width=8, rowers=3)
    for modulus in range(3, 1 << params.width, 2):
        usable = adapter(params).usable(modulus)
        check_operands(params, 0, 0, usable)
        assert 3 <= usable <= modulus
        if usable < modulus:
            assert math.gcd(modulus, params.r) > 1


@pytest.mark.parametrize("name", ["ecp5", "ice40-ultra"])
def test_each_rower_has_registers_of_its_own_for_the_control_word(name):
    params = Parameters(width=16, word_width=8, rowers=3)
    text = rtlil.convert(params.create(), platform=technologies()[name], emit_src=False)
    own = params.u * (params.programs[0][0].layout.shape.size + 1) if name == "ecp5" else 0
    assert text.count("cell \\FD1S3AX ") == own
