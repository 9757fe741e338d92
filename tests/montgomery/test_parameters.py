"""What every ``Parameters`` refuses, and what it is as a value."""

import dataclasses
import pickle

import pytest
from cases import legal_width, nearest_width

from montgomery import Cycles, architectures
from montgomery.core import traits

pytestmark = pytest.mark.parametrize("cls", architectures().values(), ids=architectures())


def _refused(cls, error, **values):
    with pytest.raises(error) as caught:
        cls(**values)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def _params(cls, **values):
    return cls(width=legal_width(cls, 64), **values)


@pytest.mark.parametrize("width", [3, -5, 4097, 5_000_000])
def test_width_out_of_range(cls, width):
    edge = nearest_width(cls, width)
    said = f"{edge} or {'more' if width < edge else 'less'}"
    assert _refused(cls, ValueError, width=width) == (
        f"Width must be {said}, not {width}; the nearest legal value is {edge}")


def test_each_parameter_by_its_own_rule(cls):
    assert "width" in _refused(cls, TypeError)
    for field in dataclasses.fields(cls):
        rule, label = field.metadata, field.name.replace("_", " ").capitalize()
        assert rule["help"].isprintable()
        values = {"width": legal_width(cls, 64)}
        for wrong in ("1", True, 1.5, None) if field.type is int else (1,):
            assert _refused(cls, TypeError, **values | {field.name: wrong}).startswith(
                f"{label} must be a")
        for edge, step, side in (("minimum", -1, "more"), ("maximum", 1, "less")):
            if rule[edge] is not None:
                message = _refused(cls, ValueError, **values | {field.name: rule[edge] + step})
                assert message == (f"{label} must be {rule[edge]} or {side}, not "
                                   f"{rule[edge] + step}; the nearest legal value is {rule[edge]}")
        if rule["choices"] is not None:
            other = 10_007 if field.type is int else "no such"
            message = _refused(cls, ValueError, **values | {field.name: other})
            assert message == (f"{label} must be one of {', '.join(map(str, rule['choices']))}, "
                               f"not {other!r}")


def test_parameters_are_values(cls):
    one, same = _params(cls), _params(cls)
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.width = 65
    width = legal_width(cls, 65)
    other = dataclasses.replace(
        one, **{"width": width} if width != one.width else {"word_width": 8})
    assert one == same != other
    assert {one, same, other} == {other, one}
    assert pickle.loads(pickle.dumps(one)) == one == eval(repr(one), {"Parameters": cls})


def test_cycles_at_every_width(cls):
    # Only the sums are common to all: what is loaded and unloaded takes at least a clock a word.
    intervals = []
    for width in range(legal_width(cls, 4), legal_width(cls, 600) + 1):
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
