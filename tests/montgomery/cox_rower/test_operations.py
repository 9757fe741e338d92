"""The list of operations, done with integers modulo one number."""

import random

import pytest

from montgomery.core import to_words
from montgomery.cox_rower.operations import Run, Then, Which, operations
from montgomery.cox_rower.places import Places

SEED = 2001
WIDTH = 8


class _Machine:
    """Walks a list as the hardware does, on integers: B stands for the product of base b."""

    def __init__(self, places, factors, constant, *, single=False):
        self.at, self.factors, self.b = places, factors, constant
        self.list = operations(places, WIDTH, single=single)
        self.prefix = "single " if single else ""
        self.address = {each.name: index for index, each in enumerate(self.list)}
        self.memory, self.is_q, self.runs = [0] * places.count, 0, []

    def walk(self, start, exponents=()):
        """Go on until it is waited for a message; return the sum that went to digits."""
        at, index, latest = self.at, self.address[self.prefix + start], None
        digits, power, found = [], 0, None
        while True:
            each = self.list[index]
            for _ in range(each.times):
                asked = at.one + self.is_q if power == 0 else at.powers + (power or 0)
                places = [{Which.FIXED: place, Which.FACTOR: place + self.is_q,
                           Which.LATEST: latest, Which.POWER: asked}[which]
                          for which, place in (each.target, each.x, each.y)]
                self.runs.append(each.run)
                found = self._do(each.run, *places)
                latest = asked if each.begins else at.y
            if each.begins or each.y[0] == Which.POWER:
                power = digits.pop(0) if digits else None
            left = power is not None
            jumps = {Then.NEXT: False, Then.JUMP: True, Then.DIGITS: left,
                     Then.NO_DIGITS: not left, Then.FACTORS: not self.is_q}[each.then]
            if each.loads and exponents:
                second = each.then == Then.FACTORS and not self.is_q
                power, *digits = exponents[second]
            if each.then == Then.FACTORS:
                self.is_q = 1 - self.is_q
            assert each.last or not each.more
            index = self.address[each.to] if jumps else index + 1
            if index == self.address[self.prefix + "message"]:
                assert each.last
                assert not each.more
                return found

    def _do(self, run, target, x, y):
        memory, modulus = self.memory, self.factors[self.is_q]
        if run == Run.MULTIPLICATION:
            memory[target] = memory[x] * memory[y] * pow(self.b, -1, modulus) % modulus
        elif run == Run.PRODUCT:
            memory[target] = memory[x] * memory[y]
        elif run in (Run.TO_RNS, Run.MESSAGE_TO_RNS):
            memory[target] = memory[x]
        elif run == Run.TO_DIGITS:
            return memory[x] + memory[y] * (x != y)
        return None


@pytest.mark.parametrize("window", [1, 2, 3, 5])
@pytest.mark.parametrize(("crt", "single"), [(False, False), (True, False), (True, True)])
def test_the_list_is_a_power(window, crt, single):
    rng = random.Random(f"{SEED} {window} {crt}")
    at = Places(window, crt=crt)
    crt = crt and not single
    p, q, b = 1009, 1013 if crt else 1, 1 << 12
    factors = (p, q)[:1 + crt]
    machine = _Machine(at, factors, b, single=single)
    for index in range(1 + crt):
        modulus = factors[index]
        loaded = [1, modulus, b % modulus, b * b % modulus]
        loaded += [pow(factors[1 - index], -1, modulus)] if crt else []
        machine.is_q = index
        machine.memory[at.unit:at.unit + len(loaded)] = loaded
        # The key of one factor is a pass through the first part.
        _prepare(machine, crt)
    machine.is_q = 0
    for digits in (1, 2, 4):
        for exponents in ([0, 0], [(1 << window * digits) - 1] * 2,
                          [rng.getrandbits(window * digits) for _ in range(2)]):
            message = rng.randrange(p * q)
            machine.memory[at.digits] = message
            machine.runs.clear()
            found = machine.walk("message", [
                to_words(each, window, digits)[::-1] for each in exponents])
            expected = [pow(message, each, factor)
                        for each, factor in zip(exponents, factors, strict=False)]
            assert [found % factor for factor in factors] == expected, f"seed {SEED}"
            count = (1 << window) - 2 + (window + 1) * (digits - 1) + 2 + crt
            assert machine.runs.count(Run.MULTIPLICATION) == (1 + crt) * count


def _prepare(machine, crt):
    """Walk the operations of the key once, for the current factor."""
    half = machine.is_q
    begin, end = (machine.address[machine.prefix + name] for name in ("key", "message"))
    for each in machine.list[begin:end]:
        places = [place + half if which == Which.FACTOR else place
                  for which, place in (each.target, each.x, each.y)]
        for _ in range(each.times):
            machine.runs.append(each.run)
            machine._do(each.run, *places)
    assert machine.runs.count(Run.INVERSION) == WIDTH
    machine.runs.clear()
    assert not crt or machine.memory[machine.at.factor + half] == machine.factors[half]
