"""Hardware goes through a program as Python does."""

import random

import pytest
from amaranth.lib import data
from bench import run

from montgomery.blocks.program import Flow, Loop, Program, Sequencer, Step
from montgomery.blocks.windows import DigitSource

SEED = 2026
LAYOUT = data.StructLayout({"value": 4})


def _step(value, **flow):
    return Step(fields={"value": value}, **flow)


def _program():
    """Loops in loops, of which one is left before its first turn ends, and a condition."""
    return Program(LAYOUT, [
        _step(0), _step(1, label="outer"),
        _step(2, label="inner", flow=Flow.REPEAT, loop="three", to="inner"),
        _step(3, flow=Flow.REPEAT, loop="given", to="outer"),
        _step(4, flow=Flow.LEAVE, loop="left", to="end"),
        _step(5, label="search", flow=Flow.REPEAT_IF, loop="left", to="search"),
        _step(6, flow=Flow.REPEAT, loop="left", to="search"), _step(7, label="end")],
        {"three": Loop(range(2, 5)), "given": Loop(range(6), given=True),
         "left": Loop(range(8), given=True), "unused": Loop(range(1))})


def _walked(program, last, bits):
    return [(step.fields["value"], turns)
            for step, turns in program.walk(last, lambda turns: bits[turns["left"]])]


def test_steps_by_hand():
    steps = _walked(_program(), {"given": 1, "left": 0}, [])
    assert [value for value, _ in steps] == [0, 1, 2, 2, 2, 3, 1, 2, 2, 2, 3, 4, 7]
    assert [turns["three"] for value, turns in steps if value == 2] == [2, 3, 4] * 2
    searched = _walked(_program(), {"given": 0, "left": 3}, [None, True, False, False])
    assert [value for value, _ in searched] == [0, 1, 2, 2, 2, 3, 4, 5, 5, 6, 5, 6, 7]


@pytest.mark.parametrize("seed", range(4))
def test_hardware_walks_as_python_does(seed):
    """Twice, whether a step takes the fewest clocks or more."""
    rng, program = random.Random(f"{SEED} {seed}"), _program()
    sequencer = Sequencer(program)

    async def testbench(ctx):
        for _ in range(2):
            last = {"given": rng.randrange(6), "left": rng.randrange(8)}
            bits = [rng.random() < 0.5 for _ in range(8)]
            await ctx.tick().repeat(3)
            assert ctx.get(sequencer.resting)
            for name, turn in last.items():
                ctx.set(sequencer.last[name], turn)
            ctx.set(sequencer.begin, 1)
            await ctx.tick()
            ctx.set(sequencer.begin, 0)
            for value, turns in _walked(program, last, bits):
                assert not ctx.get(sequencer.resting)
                assert ctx.get(sequencer.step.value) == value
                assert {name: ctx.get(sequencer.turn[name]) for name in turns} == turns
                ctx.set(sequencer.condition, bits[turns["left"]])
                await ctx.tick().repeat(Sequencer.LATENCY - 1 + rng.choice((0, 0, 1, 5)))
                ctx.set(sequencer.advance, 1)
                await ctx.tick()
                ctx.set(sequencer.advance, 0)
            assert ctx.get(sequencer.resting)

    run(sequencer, testbench)


@pytest.mark.parametrize(("width", "words", "window"), [(4, 5, 6), (16, 3, 5), (18, 1, 1)])
def test_digits(width, words, window):
    """Those of two numbers, and again from the first one."""
    rng = random.Random(SEED)
    source = DigitSource(width, words, window)
    count = width * words // window

    async def testbench(ctx):
        for _ in range(2):
            number = rng.getrandbits(width * words)
            for index in range(words):
                ctx.set(source.write, 1)
                ctx.set(source.index, index)
                ctx.set(source.word, number >> width * (words - 1 - index) & ((1 << width) - 1))
                await ctx.tick()
            ctx.set(source.write, 0)
            for digits in (count // 2, count):
                ctx.set(source.rewind, 1)
                await ctx.tick()
                ctx.set(source.rewind, 0)
                await ctx.tick().repeat(DigitSource.FIRST + window - 1)
                for place in range(1, digits + 1):
                    shift = width * words - place * window
                    assert ctx.get(source.digit) == number >> shift & ((1 << window) - 1)
                    ctx.set(source.next, 1)
                    await ctx.tick()
                    ctx.set(source.next, 0)
                    await ctx.tick().repeat(window)

    run(source, testbench)
