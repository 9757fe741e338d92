"""Verification: a core against its integer model and its cycle formula."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from montgomery import CoreParameters
from montgomery.core import ceil_div, to_words

from .amaranth import AmaranthEngine
from .clocks import check_cycles, check_initiation
from .engine import Engine, Mismatch, Progress, Trace
from .run import Result, simulate
from .vectors import Vector, edge_vectors, exponentiation, random_vectors, whole_operation

__all__ = ["Waveform", "check_products", "new_report", "operands_of", "tell", "verify",
           "verify_exponentiation"]

#: How often the environment of the second run has no word, and takes none.
_STALLS = {"i_gap": 0.2, "o_gap": 0.4}


#: What draws a mismatch, made when it is needed, and the VCD file it writes.
Waveform = tuple[Callable[[], Engine], Path]


def _first_difference(params: CoreParameters, expected: int, words: Sequence[int]) -> int | None:
    # Only decode() knows what the words mean; nearly always they are the digits of the result.
    digits = to_words(expected, params.o_width, len(words))
    if params.decode(digits) != expected:
        return None
    return next((index for index, (digit, word) in enumerate(zip(digits, words, strict=True))
                 if digit != word), None)


def check_products(params: CoreParameters, vectors: Iterable[Vector],
                   result: Result | Trace) -> None:
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
        given = " ".join(f"{name}={value:#x}"
                         for name, value in zip(params.inputs, vector, strict=True))
        word = _first_difference(params, expected, words)
        where = "" if word is None else f"; the first word that differs is {word}"
        raise Mismatch(
            f"{given}: expected {expected:#x}, found {found:#x}{where}", index,
            result.times[index].first_in,
            {"expected": hex(expected), "found": hex(found), "word": word})


@dataclasses.dataclass
class _Run:
    """One simulation of a verification, which can be repeated for its waveform."""

    params: CoreParameters
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


def verify(params: CoreParameters, *, vectors: int = 8, seed: int = 0,
           progress: Progress | None = None, engine: Engine | None = None,
           waveform: Waveform | None = None) -> dict:
    """Compare a core with its integer model and its cycle formula.

    Edge operands and random ones run chained in an environment that never waits, where the cycles
    of each are measured; with a multiplier, back to back in the same, which shows the rate of
    independent ones; and, after a reset in mid-operation, back to back in one that stalls both
    streams at random. Exponents are short; see :func:`verify_exponentiation`.

    Parameters
    ----------
    vectors : int
        Random operations, beside those of :func:`edge_vectors`.
    seed : int
        Of operands and stalls: the same seed repeats a run exactly.
    engine : Engine or None
        A simulator of this core; Amaranth's if None.
    waveform : (callable, path) or None
        What draws a mismatch: a function that returns an engine, and the VCD file it writes.

    Returns
    -------
    dict
        ``ok``, ``arch``, ``kind``, ``width``, ``params``, ``vectors``, ``seed``, ``engine``,
        ``cycles``, ``constant_time``, ``cycles_per_second`` (of the simulator) and, if not ``ok``,
        ``message`` and, of the operation it is about, ``operands`` by name, ``expected``,
        ``found``, ``word`` (the first that differs), ``clock`` (in which it began) and ``alone``
        (whether it fails by itself), and ``waveform``.

        ``cycles`` are those measured, ``initiation`` among them, which must be the formula's; of
        what exponentiates, those that the formula, which was so found right, gives for exponents of
        ones of full length. Where the cycles depend on more than the lengths that are public,
        which are those of modulus or factors and exponent, ``constant_time`` is false; the largest
        must be the formula's then.
    """
    engine = engine or AmaranthEngine(params)
    operands = edge_vectors(params) + random_vectors(params, vectors, seed)
    shuffled = operands.copy()
    rng = random.Random(seed)
    rng.shuffle(shuffled)
    stalled = shuffled if engine.name == "compiled" else shuffled[:4]
    cycles = params.cycles_of(*shuffled[0])
    prelude = rng.randrange(1, cycles.load + cycles.compute + cycles.unload)
    runs = [(_Run(params, engine, operands, {"chained": True, "seed": seed}), check_cycles),
            (_Run(params, engine, stalled, {"seed": seed, "prelude": prelude, **_STALLS}), None)]
    if params.kind == "multiplier":
        # Twice as many as can be under way, so that a place too few anywhere shows.
        enough = 2 * ceil_div(params.cycles.interval, params.initiation) + 2
        many = list(itertools.islice(itertools.cycle(operands), max(enough, len(operands))))
        runs.insert(1, (_Run(params, engine, many, {"seed": seed}), check_initiation))
    total = sum(len(run.vectors) for run, _ in runs)
    report = new_report(params, engine.name, vectors=total, seed=seed)
    done = clocks = 0
    seconds = 0.0
    for run, check in runs:
        try:
            result = run.run(_shifted(progress, done, total))
            if check is not None:
                check(params, run.vectors, result.cycles, report)
        except Mismatch as mismatch:
            run.fail(report, mismatch, waveform)
            return report
        done += len(run.vectors)
        clocks, seconds = clocks + result.clocks, seconds + result.seconds
    return report | {"ok": True, "cycles_per_second": clocks / seconds}


def _shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Return what reports the progress of a run to ``progress``, as that of all runs."""
    return progress and (lambda done, _: progress(before + done, total))


def verify_exponentiation(params: CoreParameters, *, seed: int = 0,
                          progress: Progress | None = None, engine: Engine | None = None,
                          waveform: Waveform | None = None) -> dict:
    """Run a whole exponentiation, or decryption, with all numbers random and of full length.

    At once, or product by product in a multiplier, where every product is compared with the
    model's. The result is compared with Python's own. Parameters and report are those of
    :func:`verify`, with ``exponent_bits`` and ``clocks`` besides.
    """
    engine = engine or AmaranthEngine(params)
    rng = random.Random(f"{params!r} {seed} exponentiation")
    whole = whole_operation(params, rng)
    exponent = whole[1]
    if params.kind == "multiplier":
        operands, power = exponentiation(params, *whole)
        expected, names = pow(*whole), ("base", "exponent", "modulus")
    else:
        operands, power = [whole], params.compute(*whole)
        expected, names = params.golden(*whole), params.inputs
    report = new_report(params, engine.name, vectors=len(operands), seed=seed)
    run = _Run(params, engine, operands, {"chained": True, "seed": seed})
    try:
        if power != expected:
            given = " ".join(f"{name}={value:#x}"
                             for name, value in zip(names, whole, strict=True))
            raise Mismatch(f"{given}: the model says {power:#x}, and Python {expected:#x}", 0)
        result = run.run(progress)
        check_cycles(params, operands, result.cycles, report)
        report |= {"ok": True, "exponent_bits": exponent.bit_length(), "clocks": result.clocks,
                   "cycles_per_second": result.clocks / result.seconds}
    except Mismatch as mismatch:
        run.fail(report, mismatch, waveform)
    return report


def new_report(params: CoreParameters, engine: str, *, vectors: int, seed: int) -> dict:
    """Return the report of a verification that has yet to succeed."""
    return {"ok": False, "arch": params.name(), "kind": params.kind, "width": params.width,
            "params": dataclasses.asdict(params), "vectors": vectors, "seed": seed,
            "engine": engine, "cycles": None, "constant_time": None,
            "cycles_per_second": None}


def tell(report: dict, params: CoreParameters, engine: Engine, mismatch: Mismatch,
         vector: Vector) -> None:
    """Put a mismatch into a report, of the operation of ``vector``."""
    report |= {**operands_of(params, vector), "message": mismatch.message,
               "clock": mismatch.clock, "alone": _fails_alone(params, engine, vector),
               **mismatch.facts}


def operands_of(params: CoreParameters, vector: Vector) -> dict:
    """Return the operands of an operation by name, for a report: as ``operands``, and one by one.

    But for the message of a decryption: a report's own says what went wrong.
    """
    operands = dict(zip(params.inputs, map(hex, vector), strict=True))
    return {**{name: value for name, value in operands.items() if name != "message"},
            "operands": operands}


def _fails_alone(params: CoreParameters, engine: Engine, vector: Vector) -> bool:
    try:
        check_products(params, [vector], simulate(params, [vector], engine=engine))
    except Mismatch:
        return True
    return False
