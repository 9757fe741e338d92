"""Simulation by Amaranth's own simulator, which is slow but needs no compiler."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import time
from collections.abc import Iterator
from pathlib import Path

from amaranth.hdl import ClockDomain, Const, Module
from amaranth.sim import Simulator

from montgomery import CoreParameters

from .engine import NEVER, Chain, Mismatch, Progress, Stimulus, Times, Trace, broken_rule

__all__ = ["AmaranthEngine"]

_MASK = (1 << 64) - 1
_FIRST_KEY, _LAST_KEY, _FIRST_IN, _LAST_IN, _FIRST_READY, _LAST_OUT = range(6)


def _random(seed: int) -> Iterator[int]:
    """Yield the numbers of 64 bits that driver.h draws: Steele's and Vigna's splitmix64."""
    for state in itertools.count(seed + 0x9e3779b97f4a7c15, 0x9e3779b97f4a7c15):
        z = state & _MASK
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9 & _MASK
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb & _MASK
        yield z ^ (z >> 31)


class AmaranthEngine:
    """An :class:`explore.simulation.engine.Engine` for one core.

    The first run builds the simulator, which takes as long as several multiplications. Every other
    run resets it first.
    """

    name = "amaranth"

    def __init__(self, params: CoreParameters) -> None:
        self._params = params
        self._kept: _Simulation | None = None

    def run(self, stimulus: Stimulus, progress: Progress | None = None,
            waveform: Path | None = None, waveform_from: int = 0) -> Trace:
        if waveform is not None:
            # The simulator has no way to begin later.
            return _Simulation(self._params).run(stimulus, progress, waveform)
        self._kept = self._kept or _Simulation(self._params)
        return self._kept.run(stimulus, progress)


class _Simulation:
    """Amaranth's simulator of a core, and the loop that drives its streams."""

    def __init__(self, params: CoreParameters) -> None:
        self._dut = params.create()
        module = Module()
        module.domains.sync = self._domain = ClockDomain()
        module.submodules.core = self._dut
        self._simulator = Simulator(module)
        self._simulator.add_clock(2e-9)
        self._simulator.add_testbench(self._testbench)
        self._bench: _Bench | None = None

    async def _testbench(self, ctx) -> None:
        await self._bench.run(ctx)

    def run(self, stimulus: Stimulus, progress: Progress | None,
            waveform: Path | None = None) -> Trace:
        if self._bench is not None:
            self._simulator.reset()
        self._bench = _Bench(self._dut, self._domain.rst, stimulus, progress)
        begin = time.perf_counter()
        with (self._simulator.write_vcd(str(waveform)) if waveform
              else contextlib.nullcontext()):
            self._simulator.run()
        return self._bench.trace(time.perf_counter() - begin)


class _Bench:
    """The loop of driver.h."""

    def __init__(self, dut, reset, stimulus: Stimulus, progress: Progress | None) -> None:
        self._dut, self._reset = dut, reset
        self._stimulus, self._progress = stimulus, progress
        #: Values of inputs, by name.
        self._inputs: dict[str, int] = {}
        self._begin()

    def _begin(self) -> None:
        count = len(self._stimulus.words)
        self._random = _random(self._stimulus.seed)
        self._words: list[list[int]] = [[] for _ in range(count)]
        self._times = [[NEVER] * len(dataclasses.fields(Times)) for _ in range(count)]
        self._clock = self._taken = 0
        self._left = dict.fromkeys("iok", 0)

    def trace(self, seconds: float) -> Trace:
        return Trace(self._words, [Times(*times) for times in self._times], self._clock, seconds)

    def _pauses(self, stream: str, gap: float) -> bool:
        if 0 < self._stimulus.calm <= self._taken:
            return False
        if self._left[stream]:
            self._left[stream] -= 1
            return True
        if gap == 0 or next(self._random) >> 32 >= int(gap * (1 << 32)):
            return False
        if self._stimulus.burst > 1:
            self._left[stream] = next(self._random) % self._stimulus.burst
        return True

    def _break(self, rule: str, operation: int) -> Mismatch:
        index = min(operation, len(self._times) - 1)
        return Mismatch(broken_rule(rule, self._clock, self._stimulus.patience), index,
                        0 if self._times[index][_FIRST_IN] == NEVER else
                        self._times[index][_FIRST_IN])

    async def run(self, ctx) -> None:
        dut = self._dut
        # One wait for all clocks takes less time than one for each.
        self._ticks = aiter(ctx.tick().sample(
            dut.i.ready, dut.k.ready if hasattr(dut, "k") else Const(0), dut.o.valid,
            dut.o.payload))
        try:
            if self._stimulus.prelude:
                with contextlib.suppress(Mismatch):
                    await self._run(ctx, self._stimulus.prelude)
                ctx.set(self._reset, 1)
                await anext(self._ticks)
                ctx.set(self._reset, 0)
                self._begin()
            await self._run(ctx)
        finally:
            await self._ticks.aclose()

    def _put(self, ctx, name: str, signal, value: int) -> None:
        """Set an input, unless it has that value: the simulator settles each time one is set."""
        if self._inputs.get(name) != value:
            self._inputs[name] = value
            ctx.set(signal, value)

    async def _run(self, ctx, clocks: int | None = None) -> None:
        stimulus, dut, times = self._stimulus, self._dut, self._times
        count = len(stimulus.words)
        keys = stimulus.keys or [()] * count
        superseded = stimulus.superseded or [0] * count
        has_key = hasattr(dut, "k")
        keyed = sent = taken = key_word = word = last_event = 0
        held = None
        told = False  # a word of a key was offered in the clock before

        def follows() -> bool:
            if stimulus.chain == Chain.NONE or sent == taken:
                return True
            if stimulus.chain == Chain.RESULTS or sent != taken + 1:
                return False
            return (len(self._words[taken]) * len(stimulus.words[sent])
                    >= (word + 1) * stimulus.results[taken])

        # ``clocks`` are those of the prelude.
        blocked = stimulus.blocked and clocks is not None
        while taken < count:
            if self._clock == clocks:
                return
            following = sent + (word > 0)
            while keyed < count and not keys[keyed]:
                keyed += 1
            pause = self._pauses("i", stimulus.i_gap)
            offer_key = keyed < count and keyed == following and (
                stimulus.chain == Chain.NONE or key_word > 0 or keyed == taken)
            offer_key = not (has_key and self._pauses("k", stimulus.k_gap)) and offer_key
            told &= offer_key
            beside = (stimulus.eager and keyed < count and keyed == sent
                      and (sent == 0 or key_word + told > superseded[keyed]))
            offer = (sent < count and (word > 0 or keyed > sent or beside) and follows()
                     and not pause)
            accept = (not self._pauses("o", stimulus.o_gap) and not blocked
                      and (not stimulus.hesitant or held is not None))
            self._put(ctx, "i.valid", dut.i.valid, offer)
            # What is there while no word is offered is as wrong as it can be.
            if sent < count:
                wrong = 0 if offer else (1 << stimulus.i_width) - 1
                self._put(ctx, "i.payload", dut.i.payload, stimulus.words[sent][word] ^ wrong)
            self._put(ctx, "o.ready", dut.o.ready, accept)
            if has_key:
                self._put(ctx, "k.valid", dut.k.valid, offer_key)
                if keyed < count:
                    wrong = 0 if offer_key else (1 << stimulus.k_width) - 1
                    self._put(ctx, "k.payload", dut.k.payload, keys[keyed][key_word] ^ wrong)
            told = offer_key
            _, _, i_ready, k_ready, o_valid, payload = await anext(self._ticks)
            if offer_key and k_ready:
                if key_word == 0:
                    times[keyed][_FIRST_KEY] = self._clock
                times[keyed][_LAST_KEY] = self._clock
                key_word += 1
                if key_word == len(keys[keyed]):
                    keyed, key_word = keyed + 1, 0
                last_event = self._clock
            if offer and i_ready:
                if word == 0:
                    times[sent][_FIRST_IN] = self._clock
                times[sent][_LAST_IN] = self._clock
                word += 1
                if word == len(stimulus.words[sent]):
                    sent, word = sent + 1, 0
                last_event = self._clock
            if held is not None and (not o_valid or payload != held):
                raise self._break("changed", taken)
            held = payload if o_valid and not accept else None
            if o_valid:
                if times[taken][_FIRST_READY] == NEVER:
                    times[taken][_FIRST_READY] = self._clock
                if accept:
                    times[taken][_LAST_OUT] = self._clock
                    self._words[taken].append(payload)
                    if len(self._words[taken]) == stimulus.results[taken]:
                        taken += 1
                        self._taken = taken
                        if self._progress is not None:
                            self._progress(taken, count)
                last_event = self._clock
            self._clock += 1
            if self._clock - last_event > stimulus.patience:
                raise self._break("stalled", taken)
        await self._drain(ctx, clocks)

    async def _drain(self, ctx, clocks: int | None) -> None:
        self._put(ctx, "i.valid", self._dut.i.valid, 0)
        if hasattr(self._dut, "k"):
            self._put(ctx, "k.valid", self._dut.k.valid, 0)
        self._put(ctx, "o.ready", self._dut.o.ready, 1)
        for _ in range(self._stimulus.drain):
            if self._clock == clocks:
                return
            *_, o_valid, _ = await anext(self._ticks)
            if o_valid:
                raise self._break("too many", len(self._times))
            self._clock += 1
