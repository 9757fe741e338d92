"""Exponentiators against Python's own exponentiation, their models and their cycle formula."""

import dataclasses

import pytest
from bench import stream
from cases import top, variants

from explore.simulation import edge_vectors, random_vectors, verify
from montgomery import architectures, exponentiators
from montgomery.blocks.windows import best_window, products
from montgomery.core import cycles_of, name_of

SEED = 2020


def _small():
    """Each exponentiator: once with the window that it has by default, else with a small one if it
    may.

    The larger of two widths has a small one, since a table of powers takes longer than the rest.
    Variants of a core take turns with them.
    """
    for cls in exponentiators().values():
        for place, variant in enumerate(variants(cls)):
            sizes = [(4, {"window": 1} if place else {}), (13, {"window": 2})]
            for width, window in sizes if place == 0 else [sizes[place % 2]]:
                try:
                    yield cls(width=width, word_width=16, **window, **variant)
                except (TypeError, ValueError):
                    yield cls(width=width, word_width=16, **variant)


def _around():
    """The generic exponentiator around each multiplier that it can have, with short exponents."""
    cls = exponentiators()["generic"]
    for name, inner in architectures().items():
        for variant in variants(inner):
            settings = " ".join([name, *(f"{key}={value}" for key, value in variant.items())])
            try:
                yield cls(width=5, word_width=16, multiplier=settings)
            except ValueError:
                continue


def _named(found):
    return [pytest.param(params, id="-".join(map(str, [name_of(params),
                                                       *dataclasses.astuple(params)])))
            for params in dict.fromkeys(found)]


def _vectors(params, count):
    return edge_vectors(params) + random_vectors(params, count, SEED)


def _folded():
    """The array of multiplier blocks, on one element to many.

    More of them are in test_forms.py.
    """
    for quotient, elements in (("plain", 1), ("delayed", 2), ("plain", 3)):
        yield exponentiators()["dsp_systolic"](width=13, word_width=4, quotient=quotient,
                                               processing_elements=elements, window=elements)


#: What multiplies does not know of exponents, so these stand for the generic one around any.
EXPONENTS = _named(_small()) + [
    pytest.param(params, id=f"folded-{params.quotient}-{params.processing_elements}")
    for params in _folded()]
CASES = EXPONENTS + [case for case in _named(_around()) if case not in EXPONENTS]


def _hides(params):
    """Whether the bits of an exponent cannot be told from the time, as far as the options say."""
    return getattr(params, "method", "always") == "always"


@pytest.mark.parametrize("params", CASES)
def test_models_agree_with_python(params):
    for vector in _vectors(params, 20):
        assert params.compute(*vector) == pow(*vector), vector


@pytest.mark.sample(2, each_core=True)
@pytest.mark.parametrize("params", CASES)
def test_core_agrees_with_its_model_and_its_formula(params, compiled):
    report = verify(params, vectors=2, seed=SEED, engine=compiled.engine(params))
    assert report.ok, report.message
    assert report.constant_time is _hides(params)


@pytest.mark.sample(1, each_core=True)
@pytest.mark.parametrize("params", EXPONENTS)
def test_length_of_a_secret_exponent_may_be_hidden(params):
    modulus = top(params)
    given = [(2, exponent, modulus) for exponent in (0, 1, 5)]
    bits = params.width
    assert len({cycles_of(params, *vector, exponent_bits=bits) for vector in given}) == (
        1 if _hides(params) else 3)
    found = stream(params, given, exponent_bits=bits,
                   patience=10 * cycles_of(params, *given[-1], exponent_bits=bits).interval)
    for vector, result in zip(given, found, strict=True):
        assert result == pow(*vector) == params.compute(*vector, exponent_bits=bits)


#: Around each way to multiply, with exponents of several lengths.
LONG = [("generic", {"width": 6, "word_width": 4, "window": 2, "multiplier": multiplier},
         (5, 61), (70,)) for multiplier in (
             "mmm_mx_1d pe_width=4", "dsp_systolic digit_width=4 quotient=delayed")]
LONG += [("single_dsp", {"width": 12, "word_width": word_width, "window": 2}, (5, 4001),
          (76, 12, 17, 18)) for word_width in (4, 17)]
LONG += [("dsp_systolic", {"width": 12, "word_width": 6, "window": 3, "quotient": "delayed"},
          (5, 4093), (76, 75, 70))]


@pytest.mark.parametrize(("name", "given", "numbers", "lengths"), LONG)
def test_an_exponent_may_be_64_bits_longer(name, given, numbers, lengths):
    """For a host that adds a multiple of the order of the group."""
    params, (base, modulus) = exponentiators()[name](**given), numbers
    vectors = [(base, (1 << bits) - 3, modulus) for bits in lengths]
    assert [params.compute(*vector) for vector in vectors] == [pow(*each) for each in vectors]
    patience = 2 * max(cycles_of(params, *vector).interval for vector in vectors) + 1000
    assert stream(params, vectors, patience=patience) == [pow(*vector) for vector in vectors]


@pytest.mark.parametrize("name", sorted(exponentiators()))
def test_refusals(name):
    params = exponentiators()[name](width=16)
    most = params.exponent_limit
    for wrong, message in (((5, 3, 10), "modulus must be odd"), ((7, 3, 7), "Operand base"),
                           ((3, 1 << most, 7), f"exponent must have {most} bits or fewer, not "
                            f"{most + 1}; reduce it"),
                           ((3, -1, 7), "exponent must be 0 or more, not -1")):
        for method in (params.compute, params.encode):
            with pytest.raises(ValueError, match=message):
                method(*wrong)
    with pytest.raises(ValueError, match=f"exponent_bits, must be from 3 to {most}, not"):
        params.encode(3, 5, 7, exponent_bits=2)
    with pytest.raises(TypeError, match="exponent must be an integer, not '5'"):
        params.compute(3, "5", 7)


@pytest.mark.parametrize(("multiplier", "message"), [
    ("", "Multiplier must be one of .*mmm_cs_1d.*, not ''"),
    ("mmm_xy", "Multiplier must be one of .*, not 'mmm_xy'"),
    ("mmm_cs_1d depth=3", "A parameter of multiplier mmm_cs_1d must be one of pe_width, not"),
    ("mmm_cs_1d pe_width=x", "Parameter pe_width of multiplier mmm_cs_1d must be an integer"),
    ("mmm_cs_1d width=9", "must be one of pe_width, not 'width'"),
    ("cox_rower", "The multiplier must take numbers as digits, and cox_rower takes residues"),
    ("multi_step word_width=3", "must be one of steps, subtraction, pe_width, not 'word_width'"),
    ("mmm_cs_1d pe_width=7", "Word width 16 must be a multiple of pe_width 7"),
])
def test_refused_multipliers(multiplier, message):
    with pytest.raises(ValueError, match=message):
        exponentiators()["generic"](width=16, multiplier=multiplier)


def test_refused_sizes():
    with pytest.raises(ValueError, match="Window must be 6 or less, not 7"):
        exponentiators()["generic"](width=16, window=7)
    with pytest.raises(ValueError, match="Words must have 4 bits or more, not 3; choose word_"):
        exponentiators()["generic"](width=16, word_width=3, multiplier="multi_step")


def test_number_of_multiplications():
    always, windows = (exponentiators()["generic"](width=1024, window=window)
                       for window in (1, 0))
    array, array_windows = (exponentiators()["dsp_systolic"](width=1024, window=window)
                            for window in (1, 5))
    modulus = (1 << 1024) - 1
    exponent = 1 << 1023
    # Nothing is multiplied for the highest bit.
    assert always.multiplications(3, exponent, modulus) == 2048
    assert array.multiplications(3, exponent, modulus) == 2050
    assert always.multiplications(3, 1, modulus, exponent_bits=1024) == 2048
    assert windows.window_bits == 5
    assert windows.multiplications(3, 1, modulus, exponent_bits=1024) == 30 + 204 * 6 + 2
    # The base, 30 powers of it, 204 digits after the first one, and out of the domain.
    assert array_windows.multiplications(3, exponent, modulus) == 1 + 30 + 204 * 6 + 1


@pytest.mark.parametrize(("bits", "window", "count"), [
    (256, 4, 329), (512, 5, 642), (1024, 5, 1254), (2048, 6, 2449), (4, 2, 5)])
def test_best_windows(bits, window, count):
    assert best_window(bits) == window
    assert products(bits, window) == count
