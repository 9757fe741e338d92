"""Compares results with the integer model, and the model with Python's own integers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from montgomery import CoreParameters
from montgomery.core import input_names, results_of, traits

from .engine import Difference, Mismatch, Trace
from .kinds import adapter
from .run import decoded
from .vectors import Vector

__all__ = ["check_products", "expected_results", "named"]


def expected_results(params: CoreParameters, vectors: Iterable[Vector]) -> dict[Vector, int]:
    """Return the results of the integer model, after a comparison with Python's own integers.

    :exc:`Mismatch` is raised for the first result that contradicts the definition of the operation.
    """
    results: dict[Vector, int] = {}
    for index, vector in enumerate(vectors):
        if vector in results:
            continue
        result = results[vector] = params.compute(*vector)
        wrong = (adapter(params).contradiction(result, *vector) if isinstance(result, int) else
                 "results must be integers")
        if wrong:
            inputs = named(zip(input_names(params), vector, strict=True), ", ")
            text = hex(result) if isinstance(result, int) else repr(result)
            raise Mismatch(f"The model is wrong: compute({inputs}) = {text}, but {wrong}", index)
    return results


def check_products(params: CoreParameters, vectors: Iterable[Vector], result: Trace,
                   expected: Mapping[Vector, int] | None = None) -> None:
    """Compare results with those of :func:`expected_results`; the model computes them if there are
    none.

    :exc:`Mismatch` is raised for the first result that differs.
    """
    for index, (vector, words) in enumerate(zip(vectors, result.words, strict=True)):
        found = decoded(params, words)
        right = params.compute(*vector) if expected is None else expected[vector]
        if found == right:
            continue
        given = named(zip(input_names(params), vector, strict=True))
        word = _first_difference(params, right, words)
        where = "" if word is None else f"; the first word that differs is {word}"
        raise Mismatch(
            f"{given}: expected {_said(params, right)}, found {_said(params, found)}{where}", index,
            result.times[index].first_in, Difference(expected=right, found=found, word=word))


def _said(params: CoreParameters, result: int) -> str:
    refused = traits(params).checks and result == results_of(params).largest
    return "a refusal" if refused else f"{result:#x}"


def named(operands: Iterable[tuple[str, int]], between: str = " ") -> str:
    """Return numbers with their names, as text."""
    return between.join(f"{name}={value:#x}" for name, value in operands)


def _first_difference(params: CoreParameters, expected: int, words: Sequence[int]) -> int | None:
    # Words are usually the digits of the result, but only decode() knows their meaning.
    digits = results_of(params).encode({"result": expected})
    if decoded(params, digits) != expected:
        return None
    return next((index for index, (digit, word) in enumerate(zip(digits, words, strict=True))
                 if digit != word), None)
