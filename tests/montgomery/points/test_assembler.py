"""Listings, and microcode that does the same in registers."""

import itertools
import random

import pytest

from montgomery.points.listing import Operation, evaluate, parse
from montgomery.points.microcode import Timing, assemble
from montgomery.points.weierstrass import ADD, DOUBLE

SEED = 2024
MODULUS = 2**31 - 1
TIMING = Timing(interval=8, product=20, sum=3, memory=3, store=2, zero=18, registers=16)
TIMINGS = {
    "wide": TIMING,
    "one after the other": Timing(interval=40, product=40, sum=9, memory=2, store=9, zero=30,
                                  registers=16),
    "loose": Timing(interval=4, product=17, sum=5, memory=3, store=2, zero=34, registers=24,
                    loose=3),
    "fast": Timing(interval=1, product=2, sum=1, memory=1, store=1, zero=1, registers=24)}


class Memory(dict):
    """A memory of numbers by name, of which the digit is negative."""

    def load(self, place, signed):
        return -self[place] if signed else self[place]

    store = dict.__setitem__


def _product(a, b):
    return a * b % MODULUS


def _in_registers(assembled, timing, registers, memory):
    """Do what each clock says: read registers, and write those that are due."""
    due, stored, zeros, sent = {}, {}, [], []
    issues = {}
    for issue in assembled.issues:
        issues.setdefault(issue.clock, []).append(issue)
    for clock in range(assembled.clocks):
        for issue in issues.get(clock, ()):
            line = issue.line
            a, b = (0 if register is None else registers[register]
                    for register in (issue.a, issue.b))
            match line.operation:
                case Operation.PRODUCT:
                    result = _product(a, b)
                case Operation.SUM:
                    b <<= line.twice
                    result = (b - a if line.negative else b + a) % MODULUS
                case Operation.LOAD:
                    result = memory.load(line.place, line.negative) % MODULUS
                case Operation.STORE:
                    stored[issue.written] = line.place, a
                    continue
                case operation:
                    (zeros if operation is Operation.ZERO else sent).append(a)
                    continue
            assert issue.written == clock - 1 + (timing.loose if issue.loose else
                                                 timing.until_result(line.operation))
            assert issue.written not in due, "two results in a clock"
            due[issue.written] = issue.target, result
        if clock in stored:
            memory.store(*stored.pop(clock))
        if clock in due:
            target, result = due.pop(clock)
            registers[target] = result
    assert not due
    assert not stored
    return zeros, sent


def _random_listing(rng, names):
    lines = []
    for number in range(40):
        a, b, c = (rng.choice(names) for _ in range(3))
        lines.append(rng.choice([f"{c} = {a} * {b}", f"{c} = {a} * {b}", f"{c} = {b} + {a}",
                                 f"{c} = 2{b} - {a}", f"{c} = 2{b}", f"{c} = {b}",
                                 f"{c} = [in] signed", f"{c} = [in]", f"[out{number}] = {a}",
                                 f"zero {a}", f"send {a}"]))
    return parse("\n".join(lines))


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("timing", TIMINGS.values(), ids=TIMINGS)
def test_registers_do_what_the_listing_says(timing, late):
    print("seed", SEED)
    rng = random.Random(SEED)
    names = "abcdefgh"
    for _ in range(60):
        lines = _random_listing(rng, names)
        kept = dict(zip(names, rng.sample(range(timing.registers), len(names)), strict=True))
        assembled = assemble(lines, timing, kept, kept, late=late)
        numbers = {name: rng.randrange(MODULUS) for name in names}
        registers = {register: numbers[name] for name, register in kept.items()}
        memory = Memory({"in": rng.randrange(MODULUS)})
        expected = Memory(memory)
        found = _in_registers(assembled, timing, registers, memory)
        zeros, sent = evaluate(lines, numbers, expected, _product, MODULUS)
        assert sorted(found[0]) == sorted(zeros)
        assert sorted(found[1]) == sorted(sent)
        assert {name: registers[register] for name, register in kept.items()} == {
            name: numbers[name] for name in kept}
        assert memory == expected


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("timing", TIMINGS.values(), ids=TIMINGS)
def test_one_thing_at_a_time(timing, late):
    """Products keep their interval; operands, results and the memory are one in a clock."""
    lines = parse(DOUBLE * 3 + "P = [x]\nQ = [y] signed\nR = [z]\n" + ADD + "[u] = X\nzero Y")
    point = {"X": 0, "Y": 1, "Z": 2, "b3": 3}
    issues = assemble(lines, timing, point, point, late=late).issues
    products = [issue.clock for issue in issues if issue.line.operation is Operation.PRODUCT]
    assert min(b - a for a, b in itertools.pairwise(products)) >= timing.interval
    loads = [issue for issue in issues if issue.line.operation is Operation.LOAD]
    operands = [issue.clock + timing.memory * (issue in loads) for issue in issues]
    memory = [*(issue.clock for issue in loads), *(
        issue.written for issue in issues if issue.line.operation is Operation.STORE)]
    for clocks in (operands, memory):
        assert len(clocks) == len(set(clocks))


def test_loose_sums_are_small():
    """Factors are of three results at most, sums of six before they are carried."""
    lines = parse(DOUBLE * 3 + "P = [x]\nQ = [y] signed\nR = [z]\n" + ADD + "[u] = X\nzero Y")
    point = {"X": 0, "Y": 1, "Z": 2, "b3": 3}
    assembled = assemble(lines, TIMINGS["loose"], point, point)
    assert sum(issue.loose for issue in assembled.issues) > 20
    sizes, due = dict.fromkeys(point.values(), 1), {}
    for clock in range(assembled.clocks):
        for issue in (each for each in assembled.issues if each.clock == clock):
            a, b = (0 if register is None else sizes[register] for register in (issue.a, issue.b))
            match issue.line.operation:
                case Operation.PRODUCT:
                    assert max(a, b) <= 3
                case Operation.SUM:
                    total = a + (b << issue.line.twice)
                    assert total <= (3 if issue.loose else 6)
                case operation:
                    assert operation is Operation.LOAD or a == 1
            if issue.line.target:
                due[issue.written] = issue.target, total if issue.loose else 1
        if clock in due:
            register, sizes[register] = due[clock]
    assert {sizes[register] for register in point.values()} == {1}


def test_too_few_registers():
    lines = parse("\n".join([*(f"n{i} = a * a" for i in range(8)),
                             *(f"a = a + n{i}" for i in range(8))]))
    assemble(lines, TIMING, {"a": 0}, {"a": 0})
    timing = Timing(interval=1, product=2, sum=9, memory=1, store=1, zero=1, registers=4)
    with pytest.raises(ValueError, match="4 registers"):
        assemble(lines, timing, {"a": 0}, {"a": 0})


@pytest.mark.parametrize("line", ["a = b", "zero c", "[x] = b", "a = a * c"])
def test_numbers_that_are_not_there(line):
    with pytest.raises(ValueError, match="must be an input, or the result of a line before"):
        assemble(parse(f"d = a * a\n{line}"), TIMING, {"a": 0}, {"a": 0})
