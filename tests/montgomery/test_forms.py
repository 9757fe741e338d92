"""Cores in forms of their own: folded arrays, several units, windows, words of odd widths.

What every core has in common, test_hardware.py has for all of them.
"""

import itertools

import pytest
from bench import check_core

from explore.simulation import edge_vectors, random_vectors
from montgomery import KINDS
from montgomery.core import kind_of

SEED = 2022
QUOTIENTS = ("plain", "delayed")

#: From the name of a core to its parameters.
FORMS = {
    # Elements and Rowers: one each, several elements a Rower, more than one row of bases.
    "cox_rower": [{"width": width, "word_width": word_width, "rowers": rowers}
                  for width, word_width, rowers in (
                      (4, 6, 2), (4, 6, 1), (8, 8, 1), (16, 8, 3), (20, 10, 1), (50, 16, 2),
                      (60, 12, 3), (140, 18, 4))],
    "exponentiation.cox_rower": [
        {"width": width, "word_width": word_width, "rowers": rowers, "window": window}
        for width, word_width, rowers, window in (
            (16, 8, 1, 2), (8, 8, 1, 4), (8, 8, 2, 1), (16, 8, 3, 6), (20, 10, 1, 5),
            (50, 18, 3, 2), (48, 12, 1, 4), (60, 12, 3, 3))],
    # Keys with CRT and without, on bases of one size and of several.
    "rsa_crt.cox_rower": [
        {"width": 16, "word_width": 8, "rowers": 1, "window": 4},
        {"width": 24, "word_width": 8, "rowers": 2, "window": 1, "keys": "both",
         "check": "none"},
        {"width": 50, "word_width": 18, "rowers": 3, "window": 5},
        {"width": 24, "word_width": 9, "rowers": 3, "window": 2, "keys": "both",
         "check": "none"},
        {"width": 60, "word_width": 12, "rowers": 2, "shortest": 20},
        {"width": 60, "word_width": 12, "rowers": 2, "shortest": 20, "keys": "both",
         "check": "none"},
        {"width": 40, "word_width": 10, "rowers": 1, "window": 2, "check": "none"}],
    # Digits fill the elements, or leave some of the last one over; digits of all widths.
    "dsp_systolic": [
        *({"width": 38, "word_width": 5, "digit_width": 5, "quotient": quotient,
           "processing_elements": elements} for quotient, elements in itertools.product(
               QUOTIENTS, (0, 1, 2, 3, 5, 8))),
        {"width": 24, "word_width": 8, "digit_width": 4},
        *({"width": 75, "word_width": digit_width, "digit_width": digit_width,
           "quotient": quotient} for digit_width, quotient in itertools.product(
               (4, 8, 13, 16, 17, 18), QUOTIENTS))],
    "exponentiation.dsp_systolic": [
        {"width": 12, "word_width": 4, "quotient": quotient, "window": window,
         "processing_elements": elements}
        for window, elements, quotient in zip(range(1, 7), (0, 1, 3, 0, 4, 2),
                                              itertools.cycle(("plain", "delayed", "delayed")),
                                              strict=False)],
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
    "exponentiation.single_dsp": [
        {"width": 9, "word_width": 4}, {"width": 9, "word_width": 8, "window": 3},
        {"width": 9, "word_width": 4, "window": 4}, {"width": 9, "word_width": 8, "window": 6}],
    # All numbers of steps, words that are no elements, and with a subtraction in the end.
    "multi_step": [
        {"width": 37, "steps": steps, "word_width": word_width, "pe_width": pe_width,
         "subtraction": subtraction}
        for (steps, word_width, pe_width), subtraction in zip(
            [(4, 1, 1), (2, 4, 4), (7, 16, 16), (16, 16, 16), (37, 16, 16), (2, 24, 8),
             (5, 48, 12), (3, 16, 40), (5, 4, 8), (1, 8, 8), (13, 8, 8), (4, 64, 16)],
            itertools.cycle(("never", "final")), strict=False)],
}


def _forms(multipliers):
    for name, forms in FORMS.items():
        cls, = (cls for kind in KINDS.values() for short, cls in kind.cores().items()
                if kind.full_name(short) == name)
        for form in forms if (kind_of(cls).name == "multiplier") == multipliers else ():
            yield pytest.param(cls(**form), id="-".join([name, *map(str, form.values())]))


def _check(params, engine=None):
    check_core(params, [*edge_vectors(params)[-4:], *random_vectors(params, 3, SEED)],
               engine=engine, seed=SEED)


# A small multiplier is compiled in more time than Amaranth's simulator takes for it.
@pytest.mark.sample(3, each_core=True)
@pytest.mark.parametrize("params", list(_forms(multipliers=True)))
def test_forms_of_multipliers(params):
    _check(params)


@pytest.mark.sample(1, each_core=True)
@pytest.mark.parametrize("params", list(_forms(multipliers=False)))
def test_forms_of_what_multiplies_often(params, compiled):
    _check(params, compiled.engine(params, few_clocks=True))
