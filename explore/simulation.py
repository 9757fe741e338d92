"""Simulation of any core against its integer model, with cycle counts measured at its ports."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable, Sequence

from amaranth.hdl import Module
from amaranth.sim import Simulator

from montgomery import Cycles, Parameters

__all__ = ["Mismatch", "Result", "edge_vectors", "random_vectors", "simulate", "verify"]

Vector = tuple[int, int, int]


class Mismatch(Exception):
    """A core that does not do what its model, its cycle formula or its ports promise."""


@dataclasses.dataclass(frozen=True)
class Result:
    """Outcome of :func:`simulate`.

    Attributes
    ----------
    products : list of int
        The decoded results, in order.
    cycles : list of :class:`montgomery.Cycles`
        As measured for each multiplication; the ``interval`` of the first one is 0.
    clocks : int
        Length of the simulation.
    """

    products: list[int]
    cycles: list[Cycles]
    clocks: int


@dataclasses.dataclass
class _Times:
    """Clock numbers of the events of one multiplication."""

    first_in: int = -1
    last_in: int = -1
    first_ready: int = -1
    last_out: int = -1


def edge_vectors(params: Parameters) -> list[Vector]:
    """Return the operands most likely to go wrong: smallest and largest ones of three moduli."""
    width = params.width
    vectors = []
    for modulus in (3, (1 << width) - 1, (1 << (width - 1)) + 1):
        top = params.bound(modulus) - 1
        vectors += [(0, 0, modulus), (1, top, modulus), (modulus - 1, modulus - 1, modulus),
                    (top, top, modulus)]
    return vectors


def random_vectors(params: Parameters, count: int, seed: int) -> list[Vector]:
    """Return ``count`` random operands; moduli of full length, now and then a shorter one."""
    rng = random.Random(f"{params!r} {seed}")
    vectors = []
    for index in range(count):
        bits = rng.randint(2, params.width) if index % 4 == 3 else params.width
        modulus = rng.getrandbits(bits) | (1 << (bits - 1)) | 1
        bound = params.bound(modulus)
        vectors.append((rng.randrange(bound), rng.randrange(bound), modulus))
    return vectors


def simulate(params: Parameters, vectors: Sequence[Vector], *, chained: bool = False,
             seed: int = 0, i_gap: float = 0.0, o_gap: float = 0.0,
             progress: Callable[[int, int], None] | None = None) -> Result:
    """Send ``vectors`` through one core and collect the results.

    Parameters
    ----------
    chained : bool
        Send a multiplication only when the result of the one before was received, as if it
        depended on it; otherwise as early as the core takes it.
    i_gap, o_gap : float
        Probability in each clock that the environment has no word to send, or does not take one.
    progress : callable or None
        Called with the number of results received and of all vectors.

    Raises
    ------
    Mismatch
        If the core breaks the rules of its streams (withdraws a word, or changes it while it
        waits), or does not answer in ten times the clocks it should take.
    """
    rng = random.Random(seed)
    words = [params.encode(*vector) for vector in vectors]
    dut = params.create()
    module = Module()
    module.submodules.dut = dut
    times = [_Times() for _ in vectors]
    received: list[list[int]] = [[] for _ in vectors]
    cycles = params.cycles
    patience = 10 * (cycles.load + cycles.compute + cycles.unload)
    patience = int((patience + len(words[0]) * cycles.load) / (1 - max(i_gap, o_gap))) + 100
    clock = 0

    async def testbench(ctx):
        nonlocal clock
        sent = taken = word = 0
        held = None
        last_event = 0
        while taken < len(vectors):
            offer = sent < len(vectors) and (not chained or sent == taken or word > 0)
            offer = offer and rng.random() >= i_gap
            accept = rng.random() >= o_gap
            ctx.set(dut.i.valid, offer)
            if offer:
                ctx.set(dut.i.payload, words[sent][word])
            ctx.set(dut.o.ready, accept)
            _, _, i_ready, o_valid, payload = await ctx.tick().sample(
                dut.i.ready, dut.o.valid, dut.o.payload)
            if offer and i_ready:
                if word == 0:
                    times[sent].first_in = clock
                times[sent].last_in = clock
                word += 1
                if word == len(words[sent]):
                    sent, word = sent + 1, 0
                last_event = clock
            if held is not None and (not o_valid or payload != held):
                raise Mismatch(f"Clock {clock}: the core withdrew or changed an output word")
            held = payload if o_valid and not accept else None
            if o_valid:
                if times[taken].first_ready < 0:
                    times[taken].first_ready = clock
                if accept:
                    times[taken].last_out = clock
                    received[taken].append(payload)
                    if len(received[taken]) == params.result_words:
                        taken += 1
                        if progress is not None:
                            progress(taken, len(vectors))
                last_event = clock
            clock += 1
            if clock - last_event > patience:
                raise Mismatch(f"Clock {clock}: no word went in or out for {patience} clocks")
        # Nothing may follow the last result.
        ctx.set(dut.i.valid, 0)
        ctx.set(dut.o.ready, 1)
        for _ in range(8):
            _, _, o_valid = await ctx.tick().sample(dut.o.valid)
            if o_valid:
                raise Mismatch(f"Clock {clock}: a word too many")

    simulator = Simulator(module)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    return Result([params.decode(result) for result in received], _measured(times), clock)


def _measured(times: list[_Times]) -> list[Cycles]:
    measured = []
    for index, time_ in enumerate(times):
        interval = time_.first_ready - times[index - 1].first_ready if index else 0
        measured.append(Cycles(load=time_.last_in - time_.first_in + 1,
                               compute=time_.first_ready - time_.last_in,
                               unload=time_.last_out - time_.first_ready + 1,
                               interval=interval))
    return measured


def _check_products(params: Parameters, vectors: Sequence[Vector], products: list[int]) -> None:
    for (x, y, modulus), found in zip(vectors, products, strict=True):
        expected = params.compute(x, y, modulus)
        if found != expected:
            raise Mismatch(f"x={x:#x} y={y:#x} modulus={modulus:#x}: expected {expected:#x}, "
                           f"found {found:#x}")


def verify(params: Parameters, *, vectors: int = 8, seed: int = 0,
           progress: Callable[[int, int], None] | None = None) -> dict:
    """Compare a core with its integer model and its cycle formula.

    Edge operands and random ones run twice: chained in an environment that never waits, where the
    cycles of each are measured, and back to back in one that stalls both streams at random.

    Parameters
    ----------
    vectors : int
        Random multiplications, beside the twelve of :func:`edge_vectors`.
    seed : int
        Of operands and stalls: the same seed repeats a run exactly.

    Returns
    -------
    dict
        ``ok``, ``arch``, ``width``, ``params``, ``vectors``, ``cycles`` (measured),
        ``constant_time``, ``cycles_per_second`` (of the simulator) and, if not ``ok``, ``message``.
        Where the cycles depend on the operands, the largest are given and must be the formula's,
        and ``constant_time`` is false.
    """
    operands = edge_vectors(params) + random_vectors(params, vectors, seed)
    stalled = operands[-min(4, len(operands)):]
    total = len(operands) + len(stalled)
    report = {"ok": False, "arch": params.name(), "width": params.width,
              "params": dataclasses.asdict(params), "vectors": total, "seed": seed,
              "cycles": None, "constant_time": None, "cycles_per_second": None}
    start = time.perf_counter()
    try:
        ideal = simulate(params, operands, chained=True, seed=seed,
                         progress=progress and (lambda done, _: progress(done, total)))
        _check_products(params, operands, ideal.products)
        # The first multiplication has nothing before it, so its interval is not a measurement.
        measured = ideal.cycles[1:]
        worst = Cycles(**{name: max(getattr(cycles, name) for cycles in measured)
                          for name in ("load", "compute", "unload", "interval")})
        report["cycles"] = dataclasses.asdict(worst)
        report["constant_time"] = all(cycles == worst for cycles in measured)
        if worst != params.cycles:
            raise Mismatch(f"Measured {worst}, but the formula says {params.cycles}")
        rough = simulate(params, stalled, seed=seed, i_gap=0.2, o_gap=0.4,
                         progress=progress and
                         (lambda done, _: progress(len(operands) + done, total)))
        _check_products(params, stalled, rough.products)
        report["cycles_per_second"] = (
            (ideal.clocks + rough.clocks) / (time.perf_counter() - start))
        report["ok"] = True
    except Mismatch as mismatch:
        report["message"] = str(mismatch)
    return report
