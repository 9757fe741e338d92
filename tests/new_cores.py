"""Files of new cores, as their authors put them into the folder of the package."""

import contextlib
import importlib
import sys

import montgomery

__all__ = ["ABSTRACT", "BROKEN", "EXPONENTIATOR", "WHOLE", "added"]

#: A core that lacks ``bound``.
ABSTRACT = '''
import dataclasses

from montgomery.core import parameter
from montgomery.kinds.multiplier import Multiplier


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters(Multiplier):
    r = result_words = 1
    cycles = operands = None

    def compute(self, x, y, modulus):
        return 0

    def create(self):
        return None
'''
#: A core.
WHOLE = ABSTRACT + '''
    def bound(self, modulus):
        return modulus
'''

#: A core of another kind.
EXPONENTIATOR = '''
from montgomery.generic.exponentiator import Parameters as Generic


class Parameters(Generic):
    pass
'''
#: From the name of a file that is no core, though it was written to be one, to its text and what
#: is said of it.
BROKEN = {
    "t_abstract": (ABSTRACT, "is not a core: its Parameters does not define bound"),
    "t_exits": ("raise SystemExit('bye')", "cannot be imported: SystemExit: bye (t_exits.py, "
                "line 1)"),
    "t_future": ("from __future__ import annotations\n" + WHOLE.replace(
        "    r =", "    digit: int = parameter(4)\n    r ="),
        "is not a core: its field digit must be declared by montgomery.core.parameter(), without "
        "'from __future__ import annotations'"),
    "t_import": ("import montgomery.core\nfrom montgomery.arithmetic import nosuch",
                 "cannot be imported: ImportError: cannot import name 'nosuch'"),
    "t_missing": (ABSTRACT.replace("    r = result_words = 1\n", ""), "is not a core: its "
                  "Parameters does not define bound, r and result_words"),
    "t_named": (WHOLE.replace("class Parameters", "class BitSerial"),
                "is not a core: its class BitSerial must be called Parameters"),
    "t_plain": ("class Parameters:\n    pass", "is not a core: its Parameters is not derived from "
                "a kind of core, such as montgomery.kinds.multiplier.Multiplier"),
    "t_syntax": ("def compute(:", "cannot be imported: SyntaxError: invalid syntax (t_syntax.py, "
                 "line 1)"),
}


@contextlib.contextmanager
def added(folder, texts, package=montgomery):
    """Have the files of a folder count as modules of the package, from names to their texts.

    A file in a folder of its own has a name with a slash.
    """
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.py").parent.mkdir(exist_ok=True)
        (folder / f"{name}.py").write_text(text)
    before = list(package.__path__)
    package.__path__.append(str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        package.__path__[:] = before
        for name in texts:
            top = name.partition("/")[0]
            for module in (name.replace("/", "."), top):
                sys.modules.pop(f"{package.__name__}.{module}", None)
            vars(package).pop(top, None)
