"""Every core against its integer model and its cycle formula, at its ports, in many shapes."""

import itertools

import pytest
from bench import check_core
from cases import legal_width, multipliers, named, nearest_width

from explore.simulation import edge_vectors, random_vectors, verify
from explore.simulation.exhaustive import LARGEST_WIDTH, verify_exhaustive
from montgomery import KINDS, architectures
from montgomery.core import traits

SEED = 2003
QUOTIENTS = ("plain", "delayed")

#: From the names of multipliers to parameters.
MULTIPLIERS = {
    # Elements and Rowers: one each, several elements a Rower, more than one row of bases.
    "cox_rower": [{"width": width, "word_width": word_width, "rowers": rowers}
                  for width, word_width, rowers in (
                      (4, 6, 2), (4, 6, 1), (8, 8, 1), (16, 8, 3), (20, 10, 1), (50, 16, 2),
                      (60, 12, 3), (140, 18, 4))],
    # Digits fill the elements, or leave some of the last one over; digits of all widths.
    "dsp_systolic": [
        *({"width": 38, "word_width": 5, "digit_width": 5, "quotient": quotient,
           "processing_elements": elements} for quotient, elements in itertools.product(
               QUOTIENTS, (0, 1, 2, 3, 5, 8))),
        {"width": 24, "word_width": 8, "digit_width": 4},
        *({"width": 75, "word_width": digit_width, "digit_width": digit_width,
           "quotient": quotient} for digit_width, quotient in itertools.product(
               (4, 8, 13, 16, 17, 18), QUOTIENTS))],
    # All numbers of steps, words that are no elements, and with a subtraction in the end.
    "multi_step": [
        {"width": 37, "steps": steps, "word_width": word_width, "pe_width": pe_width,
         "subtraction": subtraction}
        for (steps, word_width, pe_width), subtraction in zip(
            [(4, 1, 1), (2, 4, 4), (7, 16, 16), (16, 16, 16), (37, 16, 16), (2, 24, 8),
             (5, 48, 12), (3, 16, 40), (5, 4, 8), (1, 8, 8), (13, 8, 8), (4, 64, 16)],
            itertools.cycle(("never", "final")), strict=False)]}
#: From the names of other cores to parameters.
OTHERS = {
    "exponentiation.cox_rower": [
        {"width": width, "word_width": word_width, "rowers": rowers, "window": window}
        for width, word_width, rowers, window in (
            (16, 8, 1, 2), (8, 8, 1, 4), (8, 8, 2, 1), (16, 8, 3, 6), (20, 10, 1, 5),
            (50, 18, 3, 2), (48, 12, 1, 4), (60, 12, 3, 3))],
    "exponentiation.dsp_systolic": [
        {"width": 12, "word_width": 4, "quotient": quotient, "window": window,
         "processing_elements": elements}
        for window, elements, quotient in zip(range(1, 7), (0, 1, 3, 0, 4, 2),
                                              itertools.cycle(("plain", "delayed", "delayed")),
                                              strict=False)],
    # Around each way to multiply.
    "exponentiation.generic": [
        {"width": 13, "window": 2}, *(
            {"width": 5, "word_width": 16, "multiplier": multiplier}
            for multiplier in ("multi_step", "mmm_mx_2d", "mmm_cs_1d", "dsp_systolic",
                               "mmm_mx_1d arrangement=row")),
        {"width": 6, "word_width": 4, "window": 1, "multiplier": "single_dsp"}],
    "exponentiation.single_dsp": [
        {"width": 9, "word_width": 4, "method": "binary"},
        {"width": 9, "word_width": 8, "window": 3}, {"width": 9, "word_width": 8, "window": 6},
        {"width": 9, "word_width": 4, "window": 4}],
    # With two digits the steps are shortest, and what is late comes last.
    "rsa_crt.dsp_systolic": [
        {"width": 8, "word_width": 18, "quotient": "plain", "window": 2, "arrays": 2},
        {"width": 8, "word_width": 18, "quotient": "plain", "window": 2},
        {"width": 9, "word_width": 8, "quotient": "delayed", "arrays": 2},
        {"width": 16, "word_width": 7, "quotient": "delayed", "window": 1, "arrays": 2},
        {"width": 33, "word_width": 8, "quotient": "plain", "check": "none", "arrays": 2,
         "processing_elements": 3},
        {"width": 40, "word_width": 18, "quotient": "delayed", "processing_elements": 2,
         "window": 3, "arrays": 2}],
    # Keys with CRT and without, on bases of one size and of several.
    "rsa_crt.cox_rower": [
        {"width": 16, "word_width": 8, "rowers": 1, "window": 4},
        {"width": 24, "word_width": 8, "rowers": 2, "window": 1, "keys": "both", "check": "none"},
        {"width": 50, "word_width": 18, "rowers": 3, "window": 5},
        {"width": 60, "word_width": 12, "rowers": 2, "shortest": 20},
        {"width": 60, "word_width": 12, "rowers": 2, "shortest": 20, "keys": "both",
         "check": "none"},
        {"width": 40, "word_width": 10, "rowers": 1, "window": 2, "check": "none"}],
    "hash.mgf1": [{"width": width} for width in (168, 4, 9)],
    "hash.sha1": [{"width": width} for width in (168, 4, 9)],
    "inversion.divsteps": [{"width": 9}], "key_agreement.generic": [{"width": 15}]}
_AROUND = [{"multiplier": "mmm_mx_1d pe_width=4", "word_width": 8, "parts": 2},
           {"multiplier": "single_dsp"}, {"multiplier": "single_dsp", "word_width": 4},
           {"multiplier": "multi_step pe_width=4 steps=2", "word_width": 4, "arrays": 3},
           {"multiplier": "dsp_systolic digit_width=4", "word_width": 8, "parts": 2, "arrays": 2},
           {"multiplier": "dsp_systolic digit_width=4 quotient=delayed", "word_width": 4,
            "arrays": 2}]
#: The same of cores that take long to compile, or to simulate.
SLOW = {
    "scalar_multiplication.generic": [{"width": 16, **given} for given in (
        {}, *_AROUND,
        {"multiplier": "multi_step pe_width=4 steps=2", "word_width": 12, "parts": 3, "arrays": 2},
        {"multiplier": "dsp_systolic digit_width=4 quotient=delayed", "word_width": 12,
         "parts": 3})],
    "key_agreement.generic": [{"width": 15, **given} for given in _AROUND],
    "key_agreement.wide": [{"width": 255, "digits_per_clock": 4, "in_flight": 2}],
    # These take minutes, and are verified before a release.
    **{f"{kind}.wide": [] for kind in ("scalar_multiplication", "base_multiplication",
                                       "ecdsa_verification", "eddsa_verification")}}
CORES = {kind.full_name(name): cls for kind in KINDS.values() for name, cls in kind.cores().items()}


def _of(table):
    """Return the cores of a table."""
    return named(CORES[name](**form) for name, forms in table.items() for form in forms)


def _unlisted():
    """Yield the smallest of cores that no table has."""
    for name in sorted(CORES.keys() - {*architectures(), *OTHERS, *SLOW}):
        yield pytest.param(CORES[name](width=legal_width(CORES[name], 12)), id=name)


def _verify(params, vectors, engine):
    report = verify(params, vectors=vectors, seed=SEED, engine=engine)
    assert report.ok, report.message
    # The bits of an exponent cannot be told from the time, unless an option says so.
    assert report.constant_time is (getattr(params, "method", "always") == "always")


# A small multiplier is compiled in more time than Amaranth's simulator takes for it.
@pytest.mark.sample(6, each_core=True)
@pytest.mark.parametrize("params", [*multipliers(), *_of(MULTIPLIERS)])
def test_multipliers_of_many_shapes(params):
    check_core(params, [*edge_vectors(params)[-4:], *random_vectors(params, 3, SEED)], seed=SEED)


SMALL = [case for case in multipliers() if case.values[0].width <= nearest_width(
    type(case.values[0]), 5)]


@pytest.mark.sample(1, each_core=True)
@pytest.mark.parametrize("params", SMALL)
def test_a_multiplier_is_right_whatever_its_environment_does(params, compiled):
    """Stalls of any length, resets at any time, keys in mid-operation, results that are kept."""
    _verify(params, 8, compiled.engine(params))


@pytest.mark.sample(2, each_core=True)
@pytest.mark.parametrize("params", [*_of(OTHERS), *_unlisted()])
def test_a_core_is_right_whatever_its_environment_does(params, compiled):
    _verify(params, 2, compiled.engine(params))


@pytest.mark.thorough
@pytest.mark.sample(3, each_core=True)
@pytest.mark.parametrize("params", _of(SLOW))
def test_a_slow_core_is_right_whatever_its_environment_does(params, compiled):
    _verify(params, 2, compiled.engine(params))


# Of a scaled modulus there are too many operands.
@pytest.mark.thorough
@pytest.mark.sample(1, each_core=True)
@pytest.mark.parametrize("params", [case for case in SMALL if traits(case.values[0]).reach <= 2
                                    and case.values[0].width <= LARGEST_WIDTH])
def test_all_operands(params, compiled):
    report = verify_exhaustive(params, library=compiled(params))
    assert report.ok, report.message
