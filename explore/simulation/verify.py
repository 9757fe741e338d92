"""Verification: a core against its integer model and its cycle formula."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from montgomery import Cycles, Parameters
from montgomery.core import ceil_div, to_words

from .amaranth import AmaranthEngine
from .engine import Engine, Mismatch, Progress, Trace
from .run import Result, simulate
from .vectors import Vector, edge_vectors, exponentiation, random_vectors

__all__ = ["Waveform", "check_products", "new_report", "tell", "verify", "verify_exponentiation"]

_CYCLES = ("load", "compute", "unload", "interval")
#: How often the environment of the second run has no word, and takes none.
_STALLS = {"i_gap": 0.2, "o_gap": 0.4}


#: What draws a mismatch, made when it is needed, and the VCD file it writes.
Waveform = tuple[Callable[[], Engine], Path]


def _first_difference(params: Parameters, expected: int, words: Sequence[int]) -> int | None:
    # Only decode() knows what the words mean; nearly always they are the digits of the result.
    digits = to_words(expected, params.o_width, len(words))
    if params.decode(digits) != expected:
        return None
    return next((index for index, (digit, word) in enumerate(zip(digits, words, strict=True))
                 if digit != word), None)


def check_products(params: Parameters, vectors: Iterable[Vector], result: Result | Trace) -> None:
    """Compare results with the integer model.

    Raises
    ------
    Mismatch
        At the first that differs; ``facts`` has ``expected``, ``found`` and ``word``, the index of
        the first word that differs, or None if words do not say it.
    """
    for index, (vector, words) in enumerate(zip(vectors, result.words, strict=True)):
        found = params.decode(words)
        expected = params.compute(*vector)
        if found == expected:
            continue
        x, y, modulus = vector
        word = _first_difference(params, expected, words)
        where = "" if word is None else f"; the first word that differs is {word}"
        raise Mismatch(
            f"x={x:#x} y={y:#x} modulus={modulus:#x}: expected {expected:#x}, found "
            f"{found:#x}{where}", index, result.times[index].first_in,
            {"expected": hex(expected), "found": hex(found), "word": word})


@dataclasses.dataclass
class _Run:
    """One simulation of a verification, which can be repeated for its waveform."""

    params: Parameters
    engine: Engine
    vectors: Sequence[Vector]
    options: dict

    def run(self, progress: Progress | None) -> Result:
        result = simulate(self.params, self.vectors, engine=self.engine, progress=progress,
                          **self.options)
        check_products(self.params, self.vectors, result)
        return result

    def fail(self, report: dict, mismatch: Mismatch, waveform: Waveform | None) -> None:
        """Put all that is known of a mismatch into a report, and draw it."""
        tell(report, self.params, self.engine, mismatch, self.vectors[mismatch.index])
        if waveform is None:
            return
        engine, path = waveform
        with contextlib.suppress(Mismatch):
            # Up to the operation that failed, in which it fails again.
            simulate(self.params, self.vectors[:mismatch.index + 1], engine=engine(), waveform=path,
                     waveform_from=mismatch.clock or 0, **self.options)
        report["waveform"] = str(path)


def verify(params: Parameters, *, vectors: int = 8, seed: int = 0,
           progress: Progress | None = None, engine: Engine | None = None,
           waveform: Waveform | None = None) -> dict:
    """Compare a core with its integer model and its cycle formula.

    Edge operands and random ones run three times: chained in an environment that never waits, where
    the cycles of each are measured; back to back in the same, which shows the rate of independent
    ones; and, after a reset in mid-operation, back to back in one that stalls both streams at
    random.

    Parameters
    ----------
    vectors : int
        Random multiplications, beside those of :func:`edge_vectors`.
    seed : int
        Of operands and stalls: the same seed repeats a run exactly.
    engine : Engine or None
        A simulator of this core; Amaranth's if None.
    waveform : (callable, path) or None
        What draws a mismatch: a function that returns an engine, and the VCD file it writes.

    Returns
    -------
    dict
        ``ok``, ``arch``, ``width``, ``params``, ``vectors``, ``seed``, ``engine``, ``cycles``
        (measured, ``initiation`` among them), ``constant_time``, ``cycles_per_second`` (of the
        simulator) and, if not ``ok``, ``message`` and, of the multiplication it is about, ``x``,
        ``y``, ``modulus``, ``expected``, ``found``, ``word`` (the first that differs), ``clock``
        (in which it began) and ``alone`` (whether it fails by itself), and ``waveform``. Where the
        cycles depend on the operands, the largest are given and must be the formula's, and
        ``constant_time`` is false.
    """
    engine = engine or AmaranthEngine(params)
    operands = edge_vectors(params) + random_vectors(params, vectors, seed)
    shuffled = operands.copy()
    rng = random.Random(seed)
    rng.shuffle(shuffled)
    stalled = shuffled if engine.name == "compiled" else shuffled[:4]
    cycles = params.cycles
    # Twice as many as can be under way, so that a place too few anywhere shows.
    enough = 2 * ceil_div(cycles.interval, params.initiation) + 2
    many = list(itertools.islice(itertools.cycle(operands), max(enough, len(operands))))
    prelude = rng.randrange(1, cycles.load + cycles.compute + cycles.unload)
    runs = [_Run(params, engine, operands, {"chained": True, "seed": seed}),
            _Run(params, engine, many, {"seed": seed}),
            _Run(params, engine, stalled, {"seed": seed, "prelude": prelude, **_STALLS})]
    total = sum(len(run.vectors) for run in runs)
    report = new_report(params, engine.name, vectors=total, seed=seed)
    done = clocks = 0
    seconds = 0.0
    for run, check in zip(runs, (_check_cycles, _check_initiation, None), strict=True):
        try:
            result = run.run(_shifted(progress, done, total))
            if check is not None:
                # The first one has nothing before it, so its interval is not a measurement.
                check(params, result.cycles[1:], report)
        except Mismatch as mismatch:
            run.fail(report, mismatch, waveform)
            return report
        done += len(run.vectors)
        clocks, seconds = clocks + result.clocks, seconds + result.seconds
    return report | {"ok": True, "cycles_per_second": clocks / seconds}


def _shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Return what reports the progress of a run to ``progress``, as that of all runs."""
    return progress and (lambda done, _: progress(before + done, total))


def verify_exponentiation(params: Parameters, *, seed: int = 0, progress: Progress | None = None,
                          engine: Engine | None = None,
                          waveform: Waveform | None = None) -> dict:
    """Run a whole exponentiation, base, exponent and modulus random and of full length.

    Every product is compared with the model's, and the result with Python's own. Parameters and
    report are those of :func:`verify`, with ``exponent_bits`` and ``clocks`` besides.
    """
    engine = engine or AmaranthEngine(params)
    rng = random.Random(f"{params!r} {seed} exponentiation")
    top = 1 << (params.width - 1)
    modulus = rng.getrandbits(params.width) | top | 1
    base, exponent = rng.randrange(modulus), rng.getrandbits(params.width) | top
    operands, power = exponentiation(params, base, exponent, modulus)
    report = new_report(params, engine.name, vectors=len(operands), seed=seed)
    run = _Run(params, engine, operands, {"chained": True, "seed": seed})
    try:
        if power != pow(base, exponent, modulus):
            raise Mismatch(f"The model says {base:#x} ** {exponent:#x} % {modulus:#x} = {power:#x}",
                           0)
        result = run.run(progress)
        _check_cycles(params, result.cycles[1:], report)
        report |= {"ok": True, "exponent_bits": exponent.bit_length(), "clocks": result.clocks,
                   "cycles_per_second": result.clocks / result.seconds}
    except Mismatch as mismatch:
        run.fail(report, mismatch, waveform)
    return report


def new_report(params: Parameters, engine: str, *, vectors: int, seed: int) -> dict:
    """Return the report of a verification that has yet to succeed."""
    return {"ok": False, "arch": params.name(), "width": params.width,
            "params": dataclasses.asdict(params), "vectors": vectors, "seed": seed,
            "engine": engine, "cycles": None, "constant_time": None,
            "cycles_per_second": None}


def _check_cycles(params: Parameters, measured: Sequence[Cycles], report: dict) -> None:
    worst = Cycles(**{name: max(getattr(cycles, name) for cycles in measured)
                      for name in _CYCLES})
    report["cycles"] = dataclasses.asdict(worst)
    report["constant_time"] = all(cycles == worst for cycles in measured)
    if worst != params.cycles:
        # The formula is wrong, or some operands take longer: these show it.
        index = next(index for index, cycles in enumerate(measured, 1) if cycles != params.cycles)
        raise Mismatch(f"Measured {worst}, but the formula says {params.cycles}", index)


def _check_initiation(params: Parameters, measured: Sequence[Cycles], report: dict) -> None:
    intervals = [cycles.interval for cycles in measured]
    worst = max(intervals)
    report["cycles"]["initiation"] = worst
    if worst != params.initiation:
        raise Mismatch(f"Measured {worst} clocks between independent results, but the formula says "
                       f"{params.initiation}", intervals.index(worst) + 1)


def tell(report: dict, params: Parameters, engine: Engine, mismatch: Mismatch,
         vector: Vector) -> None:
    """Put a mismatch into a report, of the multiplication of ``vector``."""
    x, y, modulus = vector
    report |= {"message": mismatch.message, "x": hex(x), "y": hex(y), "modulus": hex(modulus),
               "clock": mismatch.clock, "alone": _fails_alone(params, engine, vector),
               **mismatch.facts}


def _fails_alone(params: Parameters, engine: Engine, vector: Vector) -> bool:
    try:
        check_products(params, [vector], simulate(params, [vector], engine=engine))
    except Mismatch:
        return True
    return False
