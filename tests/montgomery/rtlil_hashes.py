"""Hashes of the RTLIL of small cores: of each of the registry, and each choice of its parameters.

Measurements stand while the RTLIL of a core does. What is expected is in ``rtlil_hashes.json``,
which this writes after a change that is meant to make other hardware::

    python tests/montgomery/rtlil_hashes.py --write

Without an argument it says which are other ones. Only Amaranth is needed, so that this runs under
each Python that is supported, without the tests' other requirements.
"""

import dataclasses
import hashlib
import itertools
import json
import sys
from pathlib import Path

from montgomery.core import about, kind_of, name_of
from montgomery.numbers.catalogue import MONTGOMERY, WEIERSTRASS

EXPECTED = Path(__file__).with_suffix(".json")
ROOT = Path(__file__).resolve().parents[2]

#: Enough of a SHA-256 to tell texts apart.
_DIGITS = 16
_BAUD = 1_000_000
_WIDTHS = {name: curve.width for name, curve in (WEIERSTRASS | MONTGOMERY).items()}
#: Widths and widths of words: one word, and several, of which the last is not full.
_SIZES = ((8, 8), (13, 4))


def _legal(cls, **given):
    own = {field.name: field for field in dataclasses.fields(cls)}  # words may follow from width
    given["width"] = max(given["width"], own["width"].metadata["minimum"],
                         *(_WIDTHS[value] for value in given.values() if value in _WIDTHS))
    try:
        return [cls(**{name: value for name, value in given.items() if name in own})]
    except ValueError:
        return []


def _inner(cls):
    """Return the settings of a core that has another one inside: each of those, if it has any."""
    from montgomery import architectures

    if not any(field.name == "multiplier" for field in dataclasses.fields(cls)):
        return [{}]
    return [{"multiplier": " ".join([name, *(f"{key}={value}" for key, value in choice.items())])}
            for name, inner in architectures().items() for choice in _choices(inner)]


def _choices(cls):
    """Return keyword arguments for each combination of the parameters that list their values."""
    lists = {field.name: field.metadata["choices"] for field in dataclasses.fields(cls)
             if field.metadata["choices"] is not None}
    return [dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())]


def _shapes(cls, choice):
    """Return the configurations of a core: its sizes, and one of its other integers changed.

    Of a core that is made of others only one is returned, since it takes long.
    """
    others = [field.name for field in dataclasses.fields(cls)
              if field.type is int and field.name not in ("width", "word_width", *choice)]
    found = []
    for width, word_width in _SIZES:
        found += (_legal(cls, width=width, word_width=word_width, **choice)
                  or _legal(cls, width=width, **choice))
    for name in others:
        found += _legal(cls, width=width, word_width=word_width, **{name: 2}, **choice)
    return list(dict.fromkeys(found))[:None if kind_of(cls).name == "multiplier" else 1]


def _technologies(cls):
    """Return by name what a core is made for besides simulation.

    For a multiplier that is whatever has blocks of its own in hardware, and one whose blocks yosys
    finds; for what is made of multipliers, blocks of multipliers and memories of two kinds.
    """
    from montgomery.technology import GENERIC, technologies

    found = technologies()
    if not about(cls).uses_blocks:
        return {}
    if kind_of(cls).name != "multiplier":
        return {name: found[name] for name in ("ecp5", "ice40-ultra")}
    inferred = [name for name in found if found[name].inferred]
    return {name: technology for name, technology in found.items()
            if name not in (GENERIC.name, *inferred[1:])}


def _label(kind, params):
    values = ", ".join(f"{key}={value!r}" for key, value in dataclasses.asdict(params).items())
    return f"{kind.full_name(name_of(params))}({values})"


def elaborations():
    """Return the dictionary from keys to functions that return RTLIL."""
    from boards.top import Line
    from explore.netlist.harness import core_rtlil, harness_rtlil
    from montgomery import KINDS

    def core(params, technology):
        return lambda: core_rtlil(params.create(), technology).text

    def board(params):
        return lambda: core_rtlil(Line(params, baud=_BAUD)).text

    def chain(params):
        return lambda: harness_rtlil(params.signature)

    found = {}
    for kind in KINDS.values():
        for cls in kind.cores().values():
            choices, inner = _choices(cls), _inner(cls)
            # Around each multiplier with the first choices, and around the first with the others.
            for given in [*(choices[0] | other for other in inner),
                          *(choice | inner[0] for choice in choices[1:])]:
                for index, params in enumerate(_shapes(cls, given)):
                    label = _label(kind, params)
                    found[label] = core(params, None)
                    if not index and given == choices[0] | inner[0]:
                        found[f"{label}, the chain around it"] = chain(params)
                        found |= {f"{label} for {name}": core(params, technology)
                                  for name, technology in _technologies(cls).items()}
    # Boards are the same around any core, but for the widths of its words.
    name, cls = next(item for item in KINDS["multiplier"].cores().items()
                     if not about(item[1]).uses_blocks)
    found[f"board with {name}"] = board(cls(width=8))
    return found


def digest(text):
    """Return what stands in the file for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def hashes():
    """Return the dictionary from the keys of :func:`elaborations` to hashes."""
    return {key: digest(elaborate()) for key, elaborate in elaborations().items()}


def _main(arguments):
    sys.path.insert(0, str(ROOT))
    found = hashes()
    if arguments == ["--write"]:
        EXPECTED.write_text(json.dumps(found, indent=0) + "\n")
    elif other := found.items() ^ json.loads(EXPECTED.read_text()).items():
        sys.exit("\n".join(sorted({key for key, _ in other})))


if __name__ == "__main__":
    _main(sys.argv[1:])
