"""The module of Python that stands for a core that a TOML file describes.

All that finds, runs and compares cores goes by modules and their sources. So the module holds the
description and the sources in Verilog as text: a core that changes is another one.
"""

import hashlib
import os
import pprint
from pathlib import Path

from .description import described

__all__ = ["written"]

_TEXT = '''\
"""The core that {file} describes. The program has made this file; change that one."""

import dataclasses

from montgomery.core import About, parameter
from montgomery.core.fixed_modulus import FixedModulus
from montgomery.verilog.{module} import {base}

__all__ = ["Parameters"]

_DESCRIPTION = {description}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters({bases}):
    """What the core is instantiated with."""

    _about = About(source={source!r}, summary={summary!r})
    _description = _DESCRIPTION
{options}'''

_FIXED = '''
    @property
    def only_modulus(self):
        return self.value_of("modulus")
'''


def written(file: Path) -> Path:
    """Return a file of Python with the core that a TOML file describes.

    :exc:`ValueError` says that the description has a fault, or that the file cannot be written.
    """
    found = described(file)
    kind = found["kind"]
    base = "Design" if kind == "design" else "Streams" if "streams" in found else "Handshake"
    bases = f"FixedModulus, {base}" if "modulus" in found else base
    if rival := found.pop("rival", None):
        found.setdefault("source", "{repository}, commit {commit}; licence: {licence}".format(
            **rival))
    options = "".join(f"    {name}: {type(each['default']).__name__} = parameter("
                      f"{each.pop('default')!r}, {each.pop('help')!r}"
                      f"{''.join(f', {key}={value!r}' for key, value in each.items())})\n"
                      for name, each in found.pop("options", {}).items())
    text = _TEXT.format(
        file=file.name, module=kind, base=base, bases=bases, options=options,
        source=found.pop("source", ""), summary=found.pop("summary", f"{found['top']} in Verilog"),
        description=pprint.pformat(found, width=96, sort_dicts=False))
    text += _FIXED if "modulus" in found else ""
    path = _folder() / hashlib.sha256(text.encode()).hexdigest()[:16] / f"{file.stem}.py"
    try:
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(f".{os.getpid()}")
            partial.write_text(text, encoding="utf-8")
            partial.replace(path)
    except OSError as error:
        raise ValueError(f"{error.filename} cannot be written ({error.strerror}); set "
                         "XDG_CACHE_HOME to a folder that can") from None
    return path


def _folder():
    import platformdirs

    return platformdirs.user_cache_path("montgomery-verilog")
