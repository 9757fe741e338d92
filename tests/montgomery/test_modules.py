"""Cores say which modules they are made of: all that runs for one is in its fingerprint."""

import dataclasses
import functools
import gc
import sys
from pathlib import Path

import pytest
from cases import legal_width

import montgomery
from explore.fingerprint import sources
from explore.netlist.harness import core_rtlil
from explore.simulation.kinds import adapter
from montgomery import KINDS, architectures, exponentiators
from montgomery.core import about, check_operands, cycles_of, expected_words
from montgomery.registry import modules
from montgomery.technology import technologies

PACKAGE = Path(montgomery.__file__).parent
#: Multipliers for the generic exponentiator; it is around the default one too.
INNER = ("mmm_cs_1d", "multi_step", "dsp_systolic")


def _cases():
    found = [(kind.full_name(name), cls(width=legal_width(cls, 8)))
             for kind in KINDS.values() for name, cls in kind.cores().items()]
    found += [(f"exponentiation.generic-{inner}",
               exponentiators()["generic"](width=8, multiplier=inner)) for inner in INNER]
    return [pytest.param(params, id=name) for name, params in found]


def _forget():
    """Empty the caches of the package: what was found out for another core has to run again."""
    for item in gc.get_objects():
        if (isinstance(item, functools._lru_cache_wrapper)
                and item.__module__.startswith(montgomery.__name__)):
            item.cache_clear()


def _files_that_run(function):
    """Return the files of the functions that run while one does."""
    codes = set()

    def note(frame, event, argument):
        codes.add(frame.f_code)  # and returns nothing, so that lines are not traced

    before = sys.gettrace()
    sys.settrace(note)
    try:
        function()
    finally:
        sys.settrace(before)
    return {code.co_filename for code in codes}


def _module(path):
    parts = Path(path).relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _use(params):
    """Make a core as hardware and compute with its model."""
    params = dataclasses.replace(params)  # whose properties have not been computed yet
    core_rtlil(params.create(), None if not about(params).uses_blocks else technologies()["ecp5"])
    inputs = adapter(params).longest()
    check_operands(params, *inputs)
    params.compute(*inputs)
    words = params.encode(*inputs)
    assert words
    cycles_of(params, *inputs)
    params.decode(expected_words(params, *inputs))


@pytest.mark.sample(4)
@pytest.mark.parametrize("params", _cases())
def test_what_runs_is_in_the_fingerprint(params):
    _forget()
    files = _files_that_run(lambda: _use(params))
    ran = {_module(file) for file in files if Path(file).is_relative_to(PACKAGE)}
    assert type(params).__module__ in ran
    assert not ran - set(sources(*modules(params)))


def test_modules_of_other_cores_are_not():
    """Importing the registry, or the package, does not count all that there is."""
    for cls in architectures().values():
        made_of = set(sources(*modules(cls(width=legal_width(cls, 8)))))
        assert "montgomery" not in made_of
        assert "montgomery.registry" not in made_of
    for name in INNER:
        made_of = sources(*modules(exponentiators()["generic"](width=8, multiplier=name))).keys()
        assert "montgomery" not in made_of
        of_multipliers = {cls.__module__ for cls in architectures().values()}
        assert made_of & of_multipliers == {architectures()[name].__module__}
