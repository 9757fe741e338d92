"""What cores say of themselves and refuse: the figures and messages in ``answers.txt``.

It holds statements, and below each what that prints, or the exception that it raises. To add one,
write the statement; ``pytest --renew tests/montgomery/test_answers.py`` writes what all of them
give today. Figures of papers stand in comments.
"""

import contextlib
import io
import re
import types
from pathlib import Path

import pytest

import montgomery.core
from explore.simulation.kinds import adapter
from montgomery import KINDS, arithmetic
from montgomery.numbers.catalogue import CURVES
from montgomery.points.listing import parse
from montgomery.technology import technologies

ANSWERS = Path(__file__).with_name("answers.txt")
PROMPT = ">>> "


def refused(params, *inputs):
    """Raise what both the model of a core and the encoder of its words raise."""
    raised = []
    for method in (params.encode, params.compute):
        with pytest.raises((TypeError, ValueError)) as caught:
            method(*inputs)
        raised.append(caught.value)
    first, last = raised
    assert (type(first), str(first)) == (type(last), str(last))
    raise first


def _names():
    """Return what statements may use: cores, by kind but for multipliers, and their functions."""
    found = {name: getattr(module, name) for module in (montgomery.core, arithmetic)
             for name in module.__all__}
    found |= {"adapter": adapter, "curves": CURVES, "parse": parse, "refused": refused,
              "ecp5": technologies()["ecp5"], "ice40": technologies()["ice40-ultra"],
              "xilinx": technologies()["xilinx-7"]}
    for kind in KINDS.values():
        cores = dict(kind.cores())
        found |= (cores if kind.name == "multiplier" else
                  {kind.full_name("").rstrip("."): types.SimpleNamespace(**cores)})
    return found


def _answer(statement, names):
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(statement, "answers", "single"), names)
    except Exception as error:
        # What is registered is no part of the wording.
        said = re.sub(r"((Multiplier|Curve) must be one of|that of a curve,) .*, not", r"\1 …, not",
                      str(error))
        return [f"{type(error).__name__}: {said}"]
    return printed.getvalue().splitlines()


def test_answers(request):
    names, expected, found = _names(), ANSWERS.read_text(encoding="utf-8").splitlines(), []
    for line in expected:
        if line.startswith(PROMPT):
            found += [line, *_answer(line.removeprefix(PROMPT), names)]
        elif not line or line.startswith("#"):
            found.append(line)
    if request.config.getoption("--renew"):
        ANSWERS.write_text("\n".join(found) + "\n", encoding="utf-8")
    else:
        assert found == expected
