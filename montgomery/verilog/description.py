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


#: What is in an option, in what all descriptions share, and so on: a type, a list of texts, or a
#: table of the same by key. A key that must be there ends with ``!``; ``*`` stands for any other.
_OPTION = {"default!": object, "help!": object, "minimum": object, "maximum": object,
           "choices": object}
_COMMON = {"kind!": str, "summary": str, "source": str, "sources!": [str], "library": str,
           "top!": str, "parameters": {"*": object}, "options": {"*": _OPTION},
           "rival": {"repository!": object, "commit!": object, "licence!": object, "note": object}}
_DESIGN = _COMMON | {"clock!": str}
_PORTS = {"clock!": object, "reset": object}
_MULTIPLIER = _COMMON | {
    "r!": str, "bound": str, "modulus": str, "clocks": str, "inputs": {"*": object},
    "streams": dict, "cycles": dict,
    "ports!": _PORTS | {"start!": object, "done!": object, "result!": object}}
_GIVEN = {"valid!": object, "ready!": object, "payload!": object}
_TAKEN = _GIVEN | {"fields!": [str]}
_CYCLES = ("load", "compute", "unload", "interval")
#: What expressions may name beside own parameters.
_NAMES = {"R", "i_words", "k_words", "modulus", "result_words", "width", "word_width", "x", "y"}
_WORDS = {str: "text", list: "a list of texts", dict: "a table"}


def described(file: Path) -> dict[str, Any]:
    """Return what a TOML file says, with the sources and their contents as ``texts``.

    :exc:`ValueError` names the file, which says too little, too much, or what makes no sense.
    """
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
        if found.get("kind") == "design":
            _check("", found, _DESIGN)
            _make_options(found)
            _check_expressions(found, {"width"})
        else:
            _check("", found, _form(found))
            _check_inputs(found)
            _check_expressions(found, _NAMES)
        found["texts"] = dict(_texts(file.parent, found["sources"]))
    except (ValueError, OSError, RecursionError) as error:
        raise ValueError(f"{file.name}: {' '.join(str(error).split())}") from None
    return found


def _form(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is in the description of a multiplier: with streams, or without."""
    if found.get("kind") not in (None, "multiplier"):
        raise ValueError(f"kind must be multiplier or design, not {found['kind']}")
    streams = found.get("streams")
    if not streams:
        return _MULTIPLIER
    keys = "!" if isinstance(streams, dict) and "k" in streams else ""
    return _MULTIPLIER | {
        "ports!": _PORTS, "streams": {"i!": _TAKEN, "k": _TAKEN, "o!": _GIVEN},
        "cycles!": {f"load_key{keys}": object, "initiation": object,
                    **{f"{name}!": object for name in _CYCLES}}}


def _check(where: str, value: Any, rule: Any) -> None:
    kind = rule if isinstance(rule, type) else type(rule)
    if not isinstance(value, kind) or (
            kind is list and not all(isinstance(each, str) for each in value)):
        raise ValueError(f"{where} must be {_WORDS[kind]}, not {value!r}")
    if not isinstance(rule, dict):
        return
    prefix = f"{where}." if where else ""
    rules = {key.rstrip("!"): each for key, each in rule.items()}
    for key in value:
        if key not in rules and "*" not in rules:
            raise ValueError(f"{prefix}{key} is unknown; there is {', '.join(sorted(rules))}")
        if where == "options" and not key.isidentifier():
            raise ValueError(f"options.{key} must be a name of letters, digits and _")
    for key in rule:
        if key.endswith("!") and key[:-1] not in value:
            raise ValueError(f"{prefix}{key[:-1]} is missing")
    for key, each in value.items():
        _check(f"{prefix}{key}", each, rules.get(key, rules.get("*")))


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


def _check_inputs(found: Mapping[str, Any]) -> None:
    if not (found.get("streams") or found.get("inputs")):
        raise ValueError("inputs is missing, which says what the ports of the operands are called")
    for port, said in found.get("inputs", {}).items():
        if isinstance(said, dict):
            _check(f"inputs.{port}", said, {"value!": object, "bits": object})


def _check_expressions(found: Mapping[str, Any], names: set[str]) -> None:
    known = names | found.get("options", {}).keys()
    for key, expression in expressions(found).items():
        if unknown := names_in(key, expression) - known:
            raise ValueError(f"{key} names {min(unknown)}; there is {', '.join(sorted(known))}")


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
