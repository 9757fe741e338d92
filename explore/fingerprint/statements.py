"""What counts of a source: its statements without comments, docstrings and messages."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

__all__ = ["code_of", "named_texts", "statements", "without_messages"]

#: From the first to the last kind of token of a string that is several tokens, which depends on
#: the version of Python.
_OPENING = {getattr(tokenize, name, None) for name in ("FSTRING_START", "TSTRING_START")} - {None}
_CLOSING = {getattr(tokenize, name, None) for name in ("FSTRING_END", "TSTRING_END")} - {None}


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield a module and all statements in it; expressions hold none."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            pending += getattr(node, field, ())


def without_messages(text: str) -> str:
    """Return a source without the arguments of exceptions that are raised."""
    lines = text.split("\n")
    calls = [node.exc for node in statements(ast.parse(text))
             if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)]
    for call in sorted(calls, key=lambda call: call.lineno, reverse=True):
        name = call.func
        begin = _column(lines[name.end_lineno - 1], name.end_col_offset)
        end = _column(lines[call.end_lineno - 1], call.end_col_offset)
        lines[name.end_lineno - 1:call.end_lineno] = [
            f"{lines[name.end_lineno - 1][:begin]}(){lines[call.end_lineno - 1][end:]}"]
    return "\n".join(lines)


def named_texts(text: str, tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the name that each statement defines, if it is no import, and what counts of it."""
    starts = {min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))]):
              node for node in tree.body}
    parts: dict[ast.stmt, list[str]] = {node: [] for node in starts.values()}
    node = None
    for row, line in code_of(text, tree):
        node = starts.get(row, node)
        if node is not None:
            parts[node].append(line)
    for node, lines in parts.items():
        name = getattr(node, "name", "")
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        if lines and name != "__all__" and not isinstance(node, ast.Import | ast.ImportFrom):
            yield name, "\n".join(lines)


def code_of(text: str, tree: ast.Module) -> list[tuple[int, str]]:
    """Return the lines of a source that count, each after the number of its first row."""
    lines = text.split("\n")
    docstrings = dict(_docstrings(lines, tree))
    comments, open_rows = _comments(text)
    code: list[tuple[int, str]] = []
    row = 1
    while row <= len(lines):
        first, line = row, lines[row - 1][:comments.get(row)]
        if row in docstrings:
            column, row, end = docstrings[row]
            line = line[:column] + lines[row - 1][:comments.get(row)][end:]
        if row in open_rows:
            code.append((first, line))
        elif (line := line.rstrip()) or (code and code[-1][1].endswith("\\")):
            # An empty line ends a statement that a backslash would continue.
            code.append((first, line))
        row += 1
    return code


def _docstrings(lines: list[str], tree: ast.Module) -> Iterator[tuple[int, tuple[int, int, int]]]:
    """Yield the row of each docstring, with its column and the row and column of its end."""
    for node in statements(tree):
        if (isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
                and node.body and isinstance(node.body[0], ast.Expr)
                and isinstance(node.body[0].value, ast.Constant)
                and isinstance(node.body[0].value.value, str)):
            text = node.body[0].value
            yield text.lineno, (_column(lines[text.lineno - 1], text.col_offset), text.end_lineno,
                                _column(lines[text.end_lineno - 1], text.end_col_offset))


def _column(line: str, offset: int) -> int:
    return len(line.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "surrogatepass"))


def _comments(text: str) -> tuple[dict[int, int], set[int]]:
    """Return the column of the comment in each row that has one, and rows that end in a string."""
    comments: dict[int, int] = {}
    open_rows: set[int] = set()
    begins: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments[token.start[0]] = token.start[1]
        elif token.type == tokenize.STRING:
            open_rows.update(range(token.start[0], token.end[0]))
        elif token.type in _OPENING:
            begins.append(token.start[0])
        elif token.type in _CLOSING:
            open_rows.update(range(begins.pop(), token.end[0]))
    return comments, open_rows
