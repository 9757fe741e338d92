"""What synthesis gets."""

import functools
import re
import warnings

import pytest
from amaranth.back import rtlil
from cases import multipliers, nearest_width

from montgomery.core import results_of

pytestmark = pytest.mark.sample(2, each_core=True)
CASES = [case for case in multipliers()
         if case.values[0].width <= nearest_width(type(case.values[0]), 13)]


# That the same parameters give the same text, test_same_hardware.py has.
@functools.cache
def _made(params):
    """Return the signature of a core and its text."""
    core = params.create()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return core.signature, rtlil.convert(core, emit_src=False)


def _text(params):
    return _made(params)[1]


@pytest.mark.parametrize("params", CASES)
def test_ports(params):
    signature, text = _made(params)
    assert signature == params.signature
    top = text[text.index("attribute \\top 1"):].partition("\nend\n")[0]
    found = {(name, direction): int(width) for width, direction, name in re.findall(
        r"wire width (\d+) (input|output) \d+ +\\(\S+)", top)}
    assert found == {
        ("clk", "input"): 1, ("rst", "input"): 1,
        ("i__payload", "input"): params.operands.width, ("i__valid", "input"): 1,
        ("i__ready", "output"): 1,
        ("o__payload", "output"): results_of(params).width, ("o__valid", "output"): 1,
        ("o__ready", "input"): 1,
        **({("k__payload", "input"): params.key_operands.width, ("k__valid", "input"): 1,
            ("k__ready", "output"): 1} if params.k_words else {}),
    }


@pytest.mark.parametrize("params", CASES)
def test_names_are_plain(params):
    wires = re.findall(r"^\s*wire .*\\(\S+)$", _text(params), re.MULTILINE)
    assert wires
    # Amaranth puts $ before a name it makes up, $<n> after one that is taken, and . before a field.
    plain = r"\$?[A-Za-z_]\w*(\$\d+)*(\.[A-Za-z_]\w*(\$\d+)*)*"
    assert [name for name in wires if not re.fullmatch(plain, name)] == []


@pytest.mark.parametrize("params", CASES)
def test_a_core_is_synchronous_to_one_clock(params):
    edges = re.findall(r"cell \$(\w*(?:ff|latch)\w*) ", _text(params))
    assert edges
    assert set(edges) <= {"dff", "dffe", "sdff", "sdffe"}
