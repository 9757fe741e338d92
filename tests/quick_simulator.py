"""Has Amaranth's simulator spare calls that do nothing, which take a sixth of its time.

What it makes of a design ends in ``slots[7].update(next_7)`` for each signal that is assigned,
and :meth:`update` does something only if the value is a new one. Here it is called only then. A
version of Amaranth that writes something else is left as it is.
"""

import contextlib
import re

import pytest
from amaranth.sim import _pyrtl

__all__ = ["spare_updates"]

_UPDATE = re.compile(r"^( *)(slots\[(\d+)\]\.update\(next_\3(?:, -?\d+)?\))$", re.MULTILINE)


@contextlib.contextmanager
def spare_updates():
    """Have the simulators that are made meanwhile compare a value before they update it."""
    emitter = getattr(_pyrtl, "_PythonEmitter", None)
    if not hasattr(emitter, "flush"):
        yield
        return
    flush = emitter.flush

    def compared(self):
        return _UPDATE.sub(r"\1if slots[\3].next != next_\3: \2", flush(self))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(emitter, "flush", compared)
        yield
