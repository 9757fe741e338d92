"""What a TOML file says of a core in Verilog.

::

    kind = "multiplier"
    summary = "radix 2, one bit of x per clock"   # a line for lists; may be left out
    source = "Walter 1999"                        # a paper or an address; may be left out
    sources = ["rtl/*.v"]                         # relative to this file; those to include, too
    top = "my_core"
    r = "2 ** width"                              # the constant R; "1" for x y mod m
    bound = "modulus"                             # of operands and results; or "2 * modulus"

    [parameters]                                  # of the top module; may be left out
    WIDTH = "width"

    [rival]                                       # of cores of others; may be left out
    repository = "https://…"
    commit = "1234567"
    licence = "MIT"

    [options]                                     # parameters of your own; may be left out
    digit = {default = 4, help = "bits per digit", minimum = 1}

    [ports]
    clock = "clk"
    reset = "rst"                                 # "!rst_n" if it is low in a reset; or none
    start = "start"
    done = "done"                                 # "!busy" if it is low when the result is there
    result = "p"

    [inputs]                                      # of the top module, as expressions
    x = "x"
    y = "y"
    m = "modulus"
    m_inverse = {value = "-pow(modulus, -1, R) % R", bits = "width"}

In place of ``start``, ``done``, ``result`` and ``[inputs]``, a core that has streams like ours says
what their ports are called, what is sent, and the clocks, which are measured::

    [streams.i]
    valid = "in_valid"
    ready = "in_ready"
    payload = "in_data"
    fields = ["x", "y"]
    [streams.k]
    ...
    [streams.o]
    valid = "out_valid"
    ready = "out_ready"
    payload = "out_data"
    [cycles]
    load_key = "result_words"
    ...

A design of any sort, which is measured and not verified, has ``kind = "design"``, ``sources``,
``top``, and ``clock``, the name of that port. In ``[parameters]``, a number is the default of a
parameter of the top module, which is called so in small letters elsewhere; a text is an expression.
"""

import ast
import glob
import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["described", "expressions", "names_in", "value_of"]

_FUNCTIONS = {"abs": abs, "int": int, "max": max, "min": min, "pow": pow, "round": round}
_NODES = (ast.Expression, ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare,
          ast.IfExp, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
_RULE = ("must be made of numbers, names, Python's operators, functions of math, and "
         f"{', '.join(_FUNCTIONS)}")


def names_in(key: str, expression: str) -> set[str]:
    """Return the names of parameters and operands that an expression uses.

    :exc:`ValueError` names the key of what is no expression, or has more than arithmetic.
    """
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{key} must be an expression, not {expression[:60]!r}") from None
    names, functions = set(), set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) as function, keywords=[]) if name in _FUNCTIONS:
                functions.add(function)
            case ast.Call(func=ast.Attribute(attr="bit_length") as function, args=[], keywords=[]):
                functions.add(function)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="math")) as function, keywords=[]):
                pass
            case ast.Attribute(value=ast.Name(id="math") as module, attr=name) if (
                    not name.startswith("_") and hasattr(math, name)):
                functions.add(module)
            case _ if isinstance(node, _NODES) or node in functions:
                pass
            case _:
                raise ValueError(f"{key} {_RULE}, but has {ast.unparse(node)[:60]}")
        if isinstance(node, ast.Name) and node not in functions:
            names.add(node.id)
    return names


def value_of(key: str, expression: str, names: dict[str, Any]) -> int | str:
    """Return the value of an expression that :func:`names_in` has found to be one.

    :exc:`ValueError` says that it has none, or one that is neither a whole number nor, for a
    parameter, a text.
    """
    try:
        value = eval(expression.strip(), {"__builtins__": _FUNCTIONS, "math": math, **names})
    except Exception as error:
        raise ValueError(f"{key} has no value, since of {expression}: {error}") from None
    kinds = (int, str) if key.startswith("parameters.") else (int,)
    if type(value) not in kinds:
        raise ValueError(f"{key} must be a whole number, but {expression} is {value!r}"
                         f"{'; // divides without a rest' if isinstance(value, float) else ''}")
    return value


#: From the keys of a description to what their values must be, and whether they must be there.
_KEYS = {"kind": (str, True), "summary": (str, False), "source": (str, False),
         "sources": (list, True), "library": (str, False), "top": (str, True), "r": (str, True),
         "bound": (str, False), "modulus": (str, False), "clocks": (str, False),
         "parameters": (dict, False), "options": (dict, False), "ports": (dict, True),
         "inputs": (dict, False), "streams": (dict, False), "cycles": (dict, False),
         "rival": (dict, False)}
#: Those of a design.
_DESIGN = {"clock": (str, True), **{key: _KEYS[key] for key in (
    "kind", "summary", "source", "sources", "library", "top", "parameters", "options", "rival")}}
_PORTS = {"clock", "reset"}
_HANDSHAKE = {"start", "done", "result"}
_STREAM = {"valid", "ready", "payload"}
_CYCLES = {"load_key", "load", "compute", "unload", "interval"}
_RIVAL = {"repository", "commit", "licence", "note"}
_OPTION = {"default", "help", "minimum", "maximum", "choices"}
#: What expressions may name beside own parameters.
_NAMES = {"R", "i_words", "k_words", "modulus", "result_words", "width", "word_width", "x", "y"}
_WORDS = {str: "text", list: "a list", dict: "a table"}


def described(file: Path) -> dict[str, Any]:
    """Return what a TOML file says, with the sources and their contents as ``texts``.

    :exc:`ValueError` names the file, which says too little, too much, or what makes no sense.
    """
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
        if found.get("kind") == "design":
            _check_keys(found, _DESIGN)
            _make_options(found)
            _check_expressions(found, {"width"})
        else:
            _check(found)
        found["texts"] = dict(_texts(file.parent, found["sources"]))
    except (ValueError, OSError, RecursionError) as error:
        raise ValueError(f"{file.name}: {' '.join(str(error).split())}") from None
    return found


def _check_keys(found: Mapping[str, Any], keys: Mapping[str, tuple[type, bool]]) -> None:
    """Check what cores and designs have in common."""
    _known("", found, keys, [key for key, (_, needed) in keys.items() if needed])
    for key, (kind, _) in keys.items():
        if key in found and not isinstance(found[key], kind):
            raise ValueError(f"{key} must be {_WORDS[kind]}, not {found[key]!r}")
    _are_texts("sources", found["sources"])
    _known("rival", found.get("rival", {}), _RIVAL, sorted(_RIVAL - {"note"})
           if "rival" in found else [])
    for name, each in found.get("options", {}).items():
        if not name.isidentifier():
            raise ValueError(f"options.{name} must be a name of letters, digits and _")
        _known(f"options.{name}", each, _OPTION, ["default", "help"])


def _make_options(found: dict[str, Any]) -> None:
    """Make an option of each parameter of a design that is a number."""
    options = found.setdefault("options", {})
    for key, value in found.get("parameters", {}).items():
        if isinstance(value, str):
            continue
        if type(value) is not int:
            raise ValueError(f"parameters.{key} must be a whole number, its default, or an "
                             f"expression as a text, not {value!r}")
        name = key.lower()
        if name in options:
            raise ValueError(f"parameters.{key} is called {name} elsewhere, which is the name of "
                             "another one already")
        options[name] = {"default": value, "help": f"{key} of {found['top']}"}
        found["parameters"][key] = name
    if "width" in options:
        options["width"] = {"minimum": 1, **options["width"]}


def _check(found: Mapping[str, Any]) -> None:
    if found.get("kind") not in (None, "multiplier"):
        raise ValueError(f"kind must be multiplier or design, not {found['kind']}")
    _check_keys(found, _KEYS)
    streams = found.get("streams")
    _known("ports", found["ports"], _PORTS if streams else _PORTS | _HANDSHAKE,
           ["clock"] if streams else ["clock", *sorted(_HANDSHAKE)])
    if streams:
        _known("streams", streams, {"i", "k", "o"}, ["i", "o"])
        for name, each in streams.items():
            own = _STREAM if name == "o" else _STREAM | {"fields"}
            _known(f"streams.{name}", each, own, sorted(own))
            _are_texts(f"streams.{name}.fields", each.get("fields", []))
        _known("cycles", found.get("cycles", {}), _CYCLES | {"initiation"},
               sorted(_CYCLES if "k" in streams else _CYCLES - {"load_key"}))
    elif not found.get("inputs"):
        raise ValueError("inputs is missing, which says what the ports of the operands are called")
    for port, said in found.get("inputs", {}).items():
        if isinstance(said, dict):
            _known(f"inputs.{port}", said, {"value", "bits"}, ["value"])
    _check_expressions(found, _NAMES)


def _are_texts(key: str, values: Any) -> None:
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise ValueError(f"{key} must be a list of texts, not {values!r}")


def _check_expressions(found: Mapping[str, Any], names: set[str]) -> None:
    known = names | found.get("options", {}).keys()
    for key, expression in expressions(found).items():
        if unknown := names_in(key, expression) - known:
            raise ValueError(f"{key} names {min(unknown)}; there is {', '.join(sorted(known))}")


def _known(where: str, found: Any, keys: Any, needed: list[str]) -> None:
    prefix = f"{where}." if where and " " not in where else ""
    if not isinstance(found, dict):
        raise ValueError(f"{where} must be a table, not {found!r}")
    for key in found:
        if key not in keys:
            raise ValueError(f"{prefix}{key} is unknown; there is {', '.join(sorted(keys))}")
    for key in needed:
        if key not in found:
            raise ValueError(f"{prefix}{key} is missing")


def expressions(found: Mapping[str, Any]) -> dict[str, str]:
    """Return the expressions of a description by their keys, such as ``inputs.m.bits``."""
    texts = {key: found[key] for key in ("r", "bound", "modulus", "clocks") if key in found}
    for table in ("parameters", "cycles"):
        texts |= {f"{table}.{key}": str(value) for key, value in found.get(table, {}).items()}
    for key, value in found.get("inputs", {}).items():
        table = value if isinstance(value, dict) else {"value": value}
        texts |= {f"inputs.{key}{'' if part == 'value' else f'.{part}'}": str(each)
                  for part, each in table.items()}
    for port, said in found.get("streams", {}).items():
        texts |= {f"streams.{port}.fields[{index}]": each
                  for index, each in enumerate(said.get("fields", []))}
    return texts


def _texts(folder: Path, patterns: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each file with its contents, named as it stands below the folder of all of them."""
    found: dict[str, None] = {}
    for pattern in patterns:
        files = sorted(glob.glob(os.path.normpath(folder / pattern), recursive=True))
        if not files or not all(map(os.path.isfile, files)):
            raise ValueError(f"there is no file {folder / pattern}")
        found |= dict.fromkeys(files)
    base = os.path.commonpath([os.path.normpath(folder), *map(os.path.dirname, found)])
    for file in found:
        yield (Path(file).relative_to(base).as_posix(),
               Path(file).read_text(encoding="utf-8", errors="replace"))
