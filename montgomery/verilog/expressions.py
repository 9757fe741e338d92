"""Expressions of a description: Python's arithmetic, and nothing that reaches beyond it."""

import ast
import math
from typing import Any

__all__ = ["names_in", "value_of"]

_FUNCTIONS = {"abs": abs, "int": int, "max": max, "min": min, "pow": pow, "round": round}
_NODES = (ast.Expression, ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare,
          ast.IfExp, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
_RULE = ("must be made of numbers, names, Python's operators, functions of math, and "
         f"{', '.join(_FUNCTIONS)}")


def names_in(key: str, expression: str) -> set[str]:
    """Return the names of parameters and operands that an expression uses.

    Raises
    ------
    ValueError
        If it is no expression, or has more than arithmetic; the text names the key.
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

    Raises
    ------
    ValueError
        If it has no value, or one that is neither a whole number nor, for a parameter, a text.
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
