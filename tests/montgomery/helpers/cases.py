"""The configurations on which cores are tested, for whatever the registry holds.

Only what the contract promises is assumed: ``width`` and ``word_width``, and for any other
parameter the rule that its field carries. A combination that an architecture refuses is left out.
"""

import dataclasses
import itertools

import pytest

from explore.simulation.kinds import adapter
from montgomery import KINDS, architectures
from montgomery.core import kind_of, name_of

__all__ = ["each_core", "label", "legal_width", "multipliers", "named", "nearest_width", "top",
           "variants"]

#: Clocks of an operation that takes long in Amaranth's simulator.
_LONG = 5_000
_WIDTHS = (4, 5, 8, 11, 13, 16, 20, 32, 64, 65, 128)
_WORDS = (4, 5, 7, 8, 9, 12, 15, 16, 18, 24, 32)


def label(params):
    """Return a short text for the name of a test."""
    values = (str(getattr(params, field.name)) for field in dataclasses.fields(params))
    return "-".join([kind_of(params).full_name(name_of(params)), *values])


def named(cores):
    """Return different cores as cases of a test."""
    return [pytest.param(params, id=label(params)) for params in dict.fromkeys(cores)]


def top(params):
    """Return the largest modulus."""
    return adapter(params).usable((1 << params.width) - 1)


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


def variants(cls, *widths):
    """Return a core for each combination of the parameters that list their values, and each of some
    widths, as far as it is legal.
    """
    lists = {field.name: field.metadata["choices"] for field in dataclasses.fields(cls)
             if field.metadata["choices"] is not None}
    found = []
    for values in itertools.product(*lists.values()):
        for width in widths:
            try:
                found.append(cls(width=width, **dict(zip(lists, values, strict=True))))
            except ValueError:
                continue
    return found


def each_core(widths):
    """Return a core of each architecture of each kind, with 12 bits or those that its kind has in
    ``widths``. One whose operations take tens of thousands of clocks is left out: Amaranth's
    simulator takes minutes for each of them.
    """
    found = [cls(width=legal_width(cls, widths.get(kind.name, 12)))
             for kind in KINDS.values() for cls in kind.cores().values()]
    return [pytest.param(params, id=kind_of(params).full_name(name_of(params)))
            for params in found if params.cycles.interval < _LONG]


def _with_small_words(params, turn):
    """Return a core with small words, one to four elements to a word, if that is legal."""
    # The width of words is no field of some: it follows from the width.
    names = [field.name for field in dataclasses.fields(params)
             if field.type is int and field.name != "width"]
    shapes = list(itertools.product(_WORDS, (1, 2, 3, 4, 8)))
    for word_width, divisor in shapes[turn:] + shapes[:turn]:
        given = {name: word_width if name == "word_width" else word_width // divisor
                 for name in names}
        try:
            return dataclasses.replace(params, **given)
        except ValueError:
            continue
    return params


def multipliers():
    """Return each multiplier with each choice, at few bits and many: as it is by default, and in
    turns of small words.
    """
    found = []
    for cls in architectures().values():
        for turn, params in enumerate(variants(cls, *_WIDTHS) or variants(cls, 256, 384)):
            found.append(_with_small_words(params, 13 * turn % 55) if turn % 3 else params)
    # Arrays that take whole numbers of many bits are large. Words of few bits cannot hold the count
    # of words that the key of single_dsp begins with.
    return named(params for params in found if params.word_width < 60
                 and params.width // params.word_width < 1 << params.word_width)
