"""The configurations on which cores are tested, for whatever the registry holds.

Only what the contract promises is assumed: ``width`` and ``word_width``, and for any other
parameter the rule that its field carries. A combination that an architecture refuses is left out.
"""

import dataclasses
import itertools

import pytest

from explore.simulation.kinds import adapter
from montgomery import KINDS, architectures
from montgomery.core import name_of

__all__ = ["NAMES", "WIDE", "WIDTHS", "each_core", "each_value", "everywhere", "few", "label",
           "large", "legal_width", "near", "nearest_width", "operands", "shapes", "small", "top",
           "variants"]

NAMES = sorted(architectures())
WIDTHS = range(4, 21)
WIDE = (32, 64, 65, 128)
#: Clocks of an operation that takes long in Amaranth's simulator.
_LONG = 5_000
_WORDS = (4, 5, 7, 8, 9, 12, 15, 16, 18, 24, 32)


def label(params):
    """Return a short text for the name of a test."""
    values = (str(getattr(params, field.name)) for field in dataclasses.fields(params))
    return "-".join([name_of(params), *values])


def top(params):
    """Return the largest modulus."""
    return adapter(params).usable((1 << params.width) - 1)


def operands(params, modulus):
    """Return all operands of a modulus; where those are too many, the ends and some between."""
    bound = params.bound(modulus)
    if bound <= 64:
        return range(bound)
    return sorted({*range(8), *range(bound - 8, bound), *range(0, bound, bound // 15)})


def nearest_width(cls, width):
    """Return the width of a core that is nearest to one, which may need another parameter."""
    rule = cls.__dataclass_fields__["width"].metadata
    return min(max(width, rule["minimum"]), rule["maximum"])


def legal_width(cls, width):
    """Return the width of a core that is nearest to one; the least if that does not suffice."""
    nearest = nearest_width(cls, width)
    try:
        return cls(width=nearest).width
    except ValueError:
        return nearest_width(cls, 0)


def variants(cls, width=64):
    """Return keyword arguments for each combination of the parameters that list their values, as
    far as it is legal for a width.
    """
    lists = {field.name: field.metadata["choices"] for field in dataclasses.fields(cls)
             if field.metadata["choices"] is not None}
    found = [dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())]
    return [variant for variant in found if _legal(cls, width, variant)]


def _legal(cls, width, variant):
    try:
        return cls(width=nearest_width(cls, width), **variant)
    except ValueError:
        return False


def each_value(cls):
    """Return the first of :func:`variants`, and those with a value that none before them has."""
    found, seen = [], set()
    for variant in variants(cls):
        if not found or set(variant.items()) - seen:
            found.append(variant)
            seen |= set(variant.items())
    return found


def each_core(widths):
    """Return a core of each architecture of each kind, with 12 bits or those that its kind has in
    ``widths``. One whose operations take tens of thousands of clocks is left out: Amaranth's
    simulator takes minutes for each of them.
    """
    found = []
    for kind in KINDS.values():
        for name, cls in kind.cores().items():
            params = cls(width=legal_width(cls, widths.get(kind.name, 12)))
            if params.cycles.interval < _LONG:
                found.append(pytest.param(params, id=kind.full_name(name)))
    return found


def near(cls, width, word_width, divisor, **variant):
    """Return the configuration whose other integers are ``word_width // divisor``, or None."""
    given = {field.name: word_width // divisor for field in dataclasses.fields(cls)
             if field.type is int and field.name != "width"} | variant
    if "word_width" in given:  # which for some follows from the width
        given["word_width"] = word_width
    try:
        return cls(width=legal_width(cls, width), **given)
    except ValueError:
        return None


def shapes(cls, width, **variant):
    """Return the legal configurations of small words, one to four elements to a word."""
    found = [near(cls, width, word_width, divisor, **variant)
             for word_width in _WORDS for divisor in (1, 2, 3, 4, 8)]
    return list(dict.fromkeys(filter(None, found))) or [
        cls(width=legal_width(cls, width), **variant)]


def _each(configure):
    return [pytest.param(params, id=label(params))
            for name in NAMES for variant in variants(architectures()[name])
            for params in configure(architectures()[name], variant)]


def small(step=2):
    """One of ``step`` widths of :data:`WIDTHS`, other ones from one variant to the next, each in
    another shape of words.
    """
    turns = itertools.count()

    def configure(cls, variant):
        for index, width in enumerate(WIDTHS[next(turns) % step::step]):
            legal = shapes(cls, width, **variant)
            yield legal[3 * index % len(legal)]
    return _each(configure)


def large():
    """:data:`WIDE`: powers of two in the default shape, the others in one of small words."""
    def configure(cls, variant):
        for index, width in enumerate(WIDE):
            legal = shapes(cls, width, **variant)
            params = (cls(width=legal_width(cls, width), **variant) if width & (width - 1) == 0 else
                      legal[5 * index % len(legal)])
            # Arrays that take whole numbers are large.
            if params.word_width < 60:
                yield params
    return _each(configure)


def few():
    """One word, many words, and words of several elements: for tests that take long."""
    def configure(cls, variant):
        wanted = (4, 8, 1), (13, 5, 1), (11, 8, 2)
        yield from dict.fromkeys(near(cls, width, word_width, divisor, **variant)
                                 or cls(width=legal_width(cls, width), **variant)
                                 for width, word_width, divisor in wanted)
    return _each(configure)


def everywhere():
    """All of these, at all widths: for tests without hardware."""
    cases = {case.id: case for case in (*small(1), *small(), *large(), *few())}
    return list(cases.values())
