"""What every ``Parameters`` refuses, and what it is as a value."""

import dataclasses
import pickle

import cases
import pytest

from montgomery import Cycles, architectures
from montgomery.core import traits

pytestmark = pytest.mark.parametrize("cls", [pytest.param(architectures()[name], id=name)
                                             for name in cases.NAMES])


def _refused(cls, error, **values):
    with pytest.raises(error) as caught:
        cls(**values)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def _params(cls, **values):
    return cls(width=cases.legal_width(cls, 64), **values)


@pytest.mark.parametrize("width", [3, -5, 4097, 5_000_000])
def test_width_out_of_range(cls, width):
    edge = cases.nearest_width(cls, width)
    said = f"{edge} or {'more' if width < edge else 'less'}"
    assert _refused(cls, ValueError, width=width) == (
        f"Width must be {said}, not {width}; the nearest legal value is {said.split()[0]}")
    assert cases.variants(cls, edge)


@pytest.mark.parametrize("width", ["64", True, 1.5, None])
def test_width_of_another_type(cls, width):
    assert _refused(cls, TypeError, width=width) == f"Width must be an integer, not {width!r}"


def test_each_parameter_by_its_own_rule(cls):
    for field in dataclasses.fields(cls):
        rule, label = field.metadata, field.name.replace("_", " ").capitalize()
        values = {"width": cases.legal_width(cls, 64)}
        if field.type is int:
            wrong = "1"
            for edge, step, side in (("minimum", -1, "more"), ("maximum", 1, "less")):
                if rule[edge] is not None:
                    message = _refused(cls, ValueError, **values | {field.name: rule[edge] + step})
                    assert message == (f"{label} must be {rule[edge]} or {side}, not "
                                       f"{rule[edge] + step}; the nearest legal value is "
                                       f"{rule[edge]}")
        else:
            wrong = 1
        assert _refused(cls, TypeError, **values | {field.name: wrong}).startswith(
            f"{label} must be a")
        if rule["choices"] is not None:
            other = 10_007 if field.type is int else "no such"
            message = _refused(cls, ValueError, **values | {field.name: other})
            assert message == (f"{label} must be one of {', '.join(map(str, rule['choices']))}, "
                               f"not {other!r}")


def test_unknown_parameter(cls):
    assert "unheard_of" in _refused(cls, TypeError, width=cases.legal_width(cls, 64), unheard_of=1)


def test_width_is_required_and_enough(cls):
    assert "width" in _refused(cls, TypeError)
    required = [field.name for field in dataclasses.fields(cls)
                if field.default is dataclasses.MISSING
                and field.default_factory is dataclasses.MISSING]
    assert required == ["width"]


def test_frozen(cls):
    params = _params(cls)
    width = params.width
    with pytest.raises(dataclasses.FrozenInstanceError):
        params.width = 65
    assert params.width == width


def test_equal_by_value(cls):
    one, same = _params(cls), _params(cls)
    width = cases.legal_width(cls, 65)
    change = {"width": width} if width != one.width else {"word_width": 8}
    other = dataclasses.replace(one, **change)
    assert one == same != other
    assert {one, same, other} == {other, one}
    assert pickle.loads(pickle.dumps(one)) == one
    assert other == cls(**{"width": one.width} | change)


def test_repr_repeats_it(cls):
    assert eval(repr(_params(cls)), {"Parameters": cls}) == _params(cls)


def test_every_parameter_has_help_and_a_default_that_is_legal(cls):
    for field in dataclasses.fields(cls):
        assert field.metadata["help"]
        assert "\n" not in field.metadata["help"]
        assert {"help", "minimum", "maximum", "choices"} <= set(field.metadata)


def test_cycles_at_every_width(cls):
    # Only the sums are common to all: what is loaded and unloaded takes at least a clock a word.
    intervals = []
    for width in range(cases.legal_width(cls, 4), cases.legal_width(cls, 600) + 1):
        params = cls(width=width)
        cycles = params.cycles
        assert isinstance(cycles, Cycles)
        assert cycles.unload >= params.result_words
        assert cycles.load >= params.i_words
        assert cycles.compute > 0
        # A result that is kept may be an operand before it has come out.
        assert traits(params).keeps_results or cycles.compute <= cycles.interval
        intervals.append(cycles.interval)
    assert intervals == sorted(intervals)
