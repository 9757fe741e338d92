"""Verifies a core: compares it with its integer model and its cycle formula."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from montgomery import CoreParameters, Cycles
from montgomery.core import ceil_div, to_words

from .amaranth import AmaranthEngine
from .clocks import check_cycles, check_initiation, check_kept, check_recovery, check_whole
from .engine import Difference, Engine, Mismatch, Progress, Trace
from .report import Report, Whole
from .resets import resets
from .run import Result, simulate
from .vectors import Vector, edge_vectors, random_vectors

__all__ = ["Waveform", "check_products", "expected_results", "failure", "verify",
           "verify_exponentiation"]

#: Probabilities in each clock that the environment of the last run sends or takes no word.
_STALLS = {"i_gap": 0.2, "o_gap": 0.4, "k_gap": 0.3}
#: Most clocks of a pause in which a core is to come to a standstill.
_LONGEST_BURST = 4096
#: Most clocks after the last result in which a word too many is waited for.
_LONGEST_DRAIN = 1000

#: A function that compares measured clocks with the formula, and completes the report.
Check = Callable[[Report, Sequence[Vector], Sequence[Cycles]], Report]
#: A function that returns the engine for the waveform of a mismatch, and the VCD file to write.
Waveform = tuple[Callable[[], Engine], Path]


def _first_difference(params: CoreParameters, expected: int, words: Sequence[int]) -> int | None:
    # Words are usually the digits of the result, but only decode() knows their meaning.
    digits = to_words(expected, params.o_width, len(words))
    if params.decode(digits) != expected:
        return None
    return next((index for index, (digit, word) in enumerate(zip(digits, words, strict=True))
                 if digit != word), None)


def expected_results(params: CoreParameters, vectors: Iterable[Vector]) -> dict[Vector, int]:
    """Return the results of the integer model, after a comparison with Python's own integers.

    Raises
    ------
    Mismatch
        For the first result that contradicts the definition of the operation.
    """
    results: dict[Vector, int] = {}
    for index, vector in enumerate(vectors):
        if vector in results:
            continue
        result = results[vector] = params.compute(*vector)
        wrong = (params.contradiction(result, *vector) if isinstance(result, int) else
                 "results must be integers")
        if wrong:
            inputs = _text(zip(params.inputs, vector, strict=True), ", ")
            text = hex(result) if isinstance(result, int) else repr(result)
            raise Mismatch(f"The model is wrong: compute({inputs}) = {text}, but {wrong}", index)
    return results


def check_products(params: CoreParameters, vectors: Iterable[Vector], result: Result | Trace,
                   expected: Mapping[Vector, int] | None = None) -> None:
    """Compare results with the integer model.

    Parameters
    ----------
    expected : dict from tuple of int to int, or None
        Results of :func:`expected_results` for the operations. The model computes them if None.

    Raises
    ------
    Mismatch
        For the first result that differs.
    """
    for index, (vector, words) in enumerate(zip(vectors, result.words, strict=True)):
        found = params.decode(words)
        right = params.compute(*vector) if expected is None else expected[vector]
        if found == right:
            continue
        given = _text(zip(params.inputs, vector, strict=True))
        word = _first_difference(params, right, words)
        where = "" if word is None else f"; the first word that differs is {word}"
        raise Mismatch(
            f"{given}: expected {right:#x}, found {found:#x}{where}", index,
            result.times[index].first_in, Difference(expected=right, found=found, word=word))


def _text(operands: Iterable[tuple[str, int]], between: str = " ") -> str:
    return between.join(f"{name}={value:#x}" for name, value in operands)


@dataclasses.dataclass
class _Run:
    """One simulation of a verification, which can be repeated for its waveform."""

    params: CoreParameters
    engine: Engine
    vectors: Sequence[Vector]
    expected: Mapping[Vector, int]
    options: dict

    def run(self, progress: Progress | None) -> Result:
        result = simulate(self.params, self.vectors, engine=self.engine, progress=progress,
                          **self.options)
        check_products(self.params, self.vectors, result, self.expected)
        return result

    def failed(self, report: Report, mismatch: Mismatch, waveform: Waveform | None) -> Report:
        """Return a report on a mismatch, and write its waveform."""
        report = failure(report, self.engine, mismatch, self.vectors[mismatch.index])
        if waveform is None:
            return report
        engine, path = waveform
        with contextlib.suppress(Mismatch):
            # The simulation ends with the operation that fails.
            simulate(self.params, self.vectors[:mismatch.index + 1], engine=engine(), waveform=path,
                     waveform_from=mismatch.clock or 0, **self.options)
        return dataclasses.replace(report, waveform=path)


def verify(params: CoreParameters, *, vectors: int = 8, seed: int = 0,
           progress: Progress | None = None, engine: Engine | None = None,
           waveform: Waveform | None = None) -> Report:
    """Compare a core with its integer model and its cycle formula.

    First, the model is compared with Python's own integers. Then edge operands and random operands,
    and solved operands if the core is compiled, run several times:

    1. chained, without stalls, which measures the cycles of each operation;
    2. back to back, without stalls, if the core has a formula for the rate of independent
       operations, as multipliers have;
    3. back to back, with results that are kept as operands, if the core keeps them;
    4. back to back, after a reset during an operation, with random stalls of all streams, and with
       results that are kept; every other key follows a key that no operation uses, and
       operands are offered beside their key;
    5. if the core is compiled, back to back with pauses so long that the core comes to a
       standstill; and once more with pauses that end, after which the rate must be that of the
       formula again;
    6. if the core is compiled, operations that are reset while the first one is sent its key or its
       operands, computed or received, and while as many are under way as the core overlaps; small
       cores are reset in many clocks. In turns, all clocks must be right afterwards, or the rate,
       or there are stalls;
    7. if the core is compiled, operations of shorter cores whose words it takes.

    A key is sent as soon as the operation before has begun. Exponents are short. A compiled core
    that takes an exponent also does one operation of full length.

    Parameters
    ----------
    vectors : int
        Number of random operations, in addition to :func:`edge_vectors`.
    seed : int
        Seed of operands and stalls. The same seed repeats a run exactly.
    engine : Engine or None
        A simulator of this core; Amaranth's simulator if None.
    waveform : (callable, path) or None
        A function that returns an engine for the waveform of a mismatch, and the VCD file to write.

    Returns
    -------
    Report
        For a multiplier, ``cycles`` are the measured counts, ``initiation`` included, which must
        equal the formula. For exponentiators and cores for RSA with CRT, they are the counts of the
        formula for a full-length exponent of ones, after the formula has matched every simulated
        operation.
        ``constant_time`` is false if cycles depend on more than the public lengths, which are the
        lengths of the modulus or its factors, and of the exponent; the largest count must equal the
        formula then.
    """
    engine = engine or AmaranthEngine(params)
    # Amaranth's simulator would take too long for the rest.
    thorough = engine.name != AmaranthEngine.name
    operands = [*edge_vectors(params), *(params.solved_operands() if thorough else ()),
                *random_vectors(params, vectors, seed)]
    rng = random.Random(seed)
    shuffled = _shuffled(params, operands, rng)
    stalled = shuffled if thorough else shuffled[:4]
    cycles = params.cycles_of(*shuffled[0])
    prelude = rng.randrange(1, cycles.load + cycles.compute + cycles.unload)
    whole = (params.whole_operation(rng).operations if thorough and params.longest_exponent else [])
    try:
        expected = expected_results(params, [*operands, *whole])
    except Mismatch as mismatch:
        report = Report(params=params, engine=engine.name, vectors=len(operands), seed=seed)
        return failure(report, engine, mismatch, [*operands, *whole][mismatch.index])
    runs = [(_Run(params, engine, operands, expected, {"chained": True, "seed": seed}),
             check_cycles)]
    many = stalled[:4]
    if params.initiation is not None:
        many = _overlapping(params, operands)
        runs.append((_Run(params, engine, many, expected, {"seed": seed}), check_initiation))
    stalls = {"seed": seed, "prelude": prelude, **_STALLS}
    keyed = bool(params.key_inputs)
    if keyed:
        stalls |= {"superseded": True, "eager": True}
    if params.chains:
        products, results = params.dependent_operations(random.Random(seed), 2 * vectors)
        right = expected_results(params, products)
        runs += [(_Run(params, engine, products, right, {"kept": results, **options}), check)
                 for options, check in (({"seed": seed}, check_kept), (stalls, None))]
    runs.append((_Run(params, engine, stalled, expected, stalls), None))
    if thorough:
        clocks = cycles.load + cycles.compute + cycles.unload
        burst = min(4 * clocks, _LONGEST_BURST)
        pauses = dict.fromkeys(_STALLS, 4 / burst)
        often = 3 * many if params.initiation else many
        runs.append((_Run(params, engine, often, expected,
                          {"seed": seed, "burst": burst, "drain": min(clocks, _LONGEST_DRAIN),
                           "eager": keyed, **pauses}), None))
        if params.initiation is not None:
            runs.append(_recovery(params, engine, many, expected,
                                  {"seed": seed, "burst": burst, **pauses}))
        for index, (reset, clocks) in enumerate(resets(params, operands, many, rng)):
            # In turns: that all clocks are right, that the rate is, and that pauses do no harm.
            options, check = (({"chained": True}, check_whole), ({"eager": keyed}, _check_last),
                              ({"eager": keyed, **_STALLS}, None)
                              )[1 + index % 2 if reset is many else index % 3]
            runs.append((_Run(params, engine, reset, expected,
                              {"seed": seed, "prelude": clocks, **options}), check))
    if whole:
        runs.append((_Run(params, engine, whole, expected, {"chained": True, "seed": seed}),
                     check_whole))
    for shorter in params.shorter_cores() if thorough else ():
        runs += _shorter(shorter, engine, seed)
    total = sum(len(run.vectors) for run, _ in runs)
    report = Report(params=params, engine=engine.name, vectors=total, seed=seed)
    done = clocks = 0
    seconds = 0.0
    for run, check in runs:
        try:
            result = run.run(_shifted(progress, done, total))
            if check is not None:
                report = check(report, run.vectors, result.cycles)
        except Mismatch as mismatch:
            return run.failed(report, mismatch, waveform)
        done += len(run.vectors)
        clocks, seconds = clocks + result.clocks, seconds + result.seconds
    return dataclasses.replace(report, ok=True, cycles_per_second=clocks / seconds)


def _overlapping(params: CoreParameters, operands: Sequence[Vector]) -> list[Vector]:
    """Return twice as many vectors as the core can overlap, so that a queue that is too short
    shows.
    """
    interval = params.cycles_of(*params.longest).interval
    enough = 2 * ceil_div(interval, params.initiation) + 2
    return list(itertools.islice(itertools.cycle(operands), max(enough, len(operands))))


def _shorter(params: CoreParameters, engine: Engine, seed: int) -> list[tuple[_Run, Check | None]]:
    """Return runs of operations of a shorter core on a longer one."""
    vectors = [*edge_vectors(params), *random_vectors(params, 4, seed)]
    expected = {vector: params.compute(*vector) for vector in vectors}

    def check(report: Report, _: Sequence[Vector], measured: Sequence[Cycles]) -> Report:
        check_cycles(dataclasses.replace(report, params=params), vectors, measured)
        return report

    return [(_Run(params, engine, vectors, expected, {"chained": True, "seed": seed}), check),
            (_Run(params, engine, vectors, expected, {"seed": seed, **_STALLS}), None)]


def _recovery(params: CoreParameters, engine: Engine, many: Sequence[Vector],
              expected: Mapping[Vector, int], options: dict) -> tuple[_Run, Check]:
    """Return a run whose pauses end, and the check that the core is as quick as before then.

    Results count that come after all that was sent while there were pauses.
    """
    cycles = params.cycles_of(*params.longest)
    under_way = ceil_div(cycles.interval, params.initiation) + 2
    calm = len(many)
    vectors = [*many, *many, *many[:under_way]]

    def check(report: Report, _: Sequence[Vector], measured: Sequence[Cycles]) -> Report:
        late = calm + under_way
        return check_recovery(report, vectors[late:], measured[late:])

    return _Run(params, engine, vectors, expected, {"calm": calm, **options}), check


def _check_last(report: Report, vectors: Sequence[Vector], measured: Sequence[Cycles]) -> Report:
    """Check the rate of the last operation, if it is measured."""
    if report.params.initiation is None:
        return report
    return check_recovery(report, vectors[-1:], measured[-1:])


def _shuffled(params: CoreParameters, vectors: Iterable[Vector],
              rng: random.Random) -> list[Vector]:
    """Return vectors in random order, but those of one key together."""
    groups: dict[tuple[int, ...], list[Vector]] = {}
    for vector in vectors:
        groups.setdefault(params.key_of(*vector), []).append(vector)
    shuffled = list(groups.values())
    rng.shuffle(shuffled)
    for group in shuffled:
        rng.shuffle(group)
    return [vector for group in shuffled for vector in group]


def _shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Return a function that reports the progress of one run as progress of all runs."""
    return progress and (lambda done, _: progress(before + done, total))


def verify_exponentiation(params: CoreParameters, *, seed: int = 0,
                          progress: Progress | None = None, engine: Engine | None = None,
                          waveform: Waveform | None = None) -> Report:
    """Run an exponentiation, with or without CRT, with random numbers, all of full length.

    A multiplier computes it product by product; every product is compared with the model. The
    result is compared with the result of Python's own integers. Parameters and report are those of
    :func:`verify`; the report also has ``whole``.
    """
    engine = engine or AmaranthEngine(params)
    edges = edge_vectors(params)
    report = Report(params=params, engine=engine.name, vectors=len(edges), seed=seed)
    try:
        # A wrong model may stop long before it has a result.
        expected_results(params, edges)
    except Mismatch as mismatch:
        return failure(report, engine, mismatch, edges[mismatch.index])
    whole = params.whole_operation(random.Random(f"{params!r} {seed} exponentiation"))
    report = dataclasses.replace(report, vectors=len(whole.operations))
    try:
        expected = expected_results(params, whole.operations)
        if whole.result != whole.golden:
            raise Mismatch(f"The model is wrong: {_text(whole.inputs.items())} gives "
                           f"{whole.result:#x}, and by Python's own integers {whole.golden:#x}", 0)
    except Mismatch as mismatch:
        return failure(report, engine, mismatch, whole.operations[mismatch.index])
    run = _Run(params, engine, whole.operations, expected, {"chained": True, "seed": seed})
    try:
        result = run.run(progress)
        report = check_cycles(report, whole.operations, result.cycles)
    except Mismatch as mismatch:
        return run.failed(report, mismatch, waveform)
    return dataclasses.replace(
        report, ok=True, cycles_per_second=result.clocks / result.seconds,
        whole=Whole(exponent_bits=whole.exponent_bits, clocks=result.clocks))


def failure(report: Report, engine: Engine, mismatch: Mismatch, vector: Vector) -> Report:
    """Return a report with a mismatch, after the operation of ``vector`` ran once more alone."""
    return report.failed(mismatch, vector, alone=_fails_alone(report.params, engine, vector))


def _fails_alone(params: CoreParameters, engine: Engine, vector: Vector) -> bool:
    try:
        expected = expected_results(params, [vector])
        check_products(params, [vector], simulate(params, [vector], engine=engine), expected)
    except Mismatch:
        return True
    return False
