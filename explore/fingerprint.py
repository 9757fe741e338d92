"""Fingerprints of source code, so that a result is kept until the code behind it changes.

What counts is the code: comments, docstrings, blank lines and white space at ends of lines may
change, and the result stands. A fingerprint is the same under every version of Python.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import importlib.util
import io
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

__all__ = ["PROJECT", "Source", "SourcesChanged", "changed", "closure", "fingerprint", "normalised",
           "own_fingerprint", "sources"]

#: The packages of this project.
PROJECT = ("montgomery", "explore", "boards")


class SourcesChanged(RuntimeError):
    """Sources were edited while results were computed from them; the text is one line.

    Parameters
    ----------
    modules : iterable of str
        Names of the modules that differ.
    """

    def __init__(self, modules: Iterable[str]) -> None:
        names = sorted(modules)
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        super().__init__(
            f"Sources must stay as they are while they are measured, but {', '.join(names[:3])}"
            f"{more} changed; the same command starts again from what is stored")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Source:
    """Hashes of one module: of its bytes, and of its code alone."""

    raw: str
    code: str


def fingerprint(*modules: str) -> str:
    """Return a hash of the sources of modules and of all they import from this project.

    A module of another package counts as part of the project while it is named here itself, and so
    do its siblings. Imports inside functions count; files that a module reads do not.

    Parameters
    ----------
    modules : str
        Absolute names. Nothing is imported.

    Raises
    ------
    ModuleNotFoundError
        If one has no source file.
    """
    return _combined(sources(*modules))


def closure(*modules: str) -> frozenset[str]:
    """Return the names of the modules whose sources :func:`fingerprint` hashes.

    Raises
    ------
    ModuleNotFoundError
        As :func:`fingerprint` does.
    """
    return frozenset(sources(*modules))


@functools.cache
def own_fingerprint(*modules: str) -> str:
    """Return a hash of the code of modules, without what they import, whatever they are called.

    Within a process it stays what it was at the first call.

    Raises
    ------
    ModuleNotFoundError
        If one has no source file.
    """
    codes = []
    for name in modules:
        path, _ = _locate(name)
        if path is None:
            raise _no_source(name)
        codes.append(_read(path.read_bytes())[0].code)
    return hashlib.sha256(repr(sorted(codes)).encode()).hexdigest()


@functools.cache
def sources(*modules: str) -> Mapping[str, Source]:
    """Return the sources that :func:`fingerprint` is a hash of, by the names of their modules.

    Within a process they stay what they were at the first call.

    Raises
    ------
    ModuleNotFoundError
        If one of ``modules`` has no source file.
    """
    own = {*PROJECT, *(name.partition(".")[0] for name in modules)}
    found: dict[str, Source] = {}
    pending = list(modules)
    while pending:
        name = pending.pop()
        if name in found:
            continue
        path, is_package = _locate(name)
        if path is None:
            if name in modules:
                raise _no_source(name)
            continue
        found[name], imports = _read(path.read_bytes())
        package = name if is_package else name.rpartition(".")[0]
        pending += [imported for imported in _resolved(imports, package)
                    if imported.partition(".")[0] in own]
    return found


def changed(expected: Mapping[str, Source], imported: Mapping[str, bytes]) -> list[str]:
    """Return the modules whose code is not the expected one.

    Parameters
    ----------
    expected : dict from str to Source
        The sources that :func:`sources` returned.
    imported : dict from str to bytes
        The sources of the modules that were imported. The files of all others are read.
    """
    return [name for name, source in expected.items()
            if not _is(source, imported[name] if name in imported else _contents(name))]


def _is(expected: Source, source: bytes | None) -> bool:
    if source is None:
        return False
    if hashlib.sha256(source).hexdigest() == expected.raw:
        return True
    try:
        return _read(source)[0].code == expected.code
    except (SyntaxError, ValueError):
        return False


def _contents(name: str) -> bytes | None:
    path, _ = _locate(name)
    try:
        return path and path.read_bytes()
    except OSError:
        return None


def _combined(found: Mapping[str, Source]) -> str:
    codes = sorted((name, source.code) for name, source in found.items())
    return hashlib.sha256(repr(codes).encode()).hexdigest()


def _no_source(name: str) -> ModuleNotFoundError:
    return ModuleNotFoundError(f"No source of module {name}", name=name)


def _locate(name: str) -> tuple[Path | None, bool]:
    """Return the file of a module and whether it is a package, without importing anything."""
    path, is_package = _located(name)
    if path is None and getattr(sys.modules.get(name), "__file__", None):
        # Its package was extended by another folder.
        path, is_package = Path(sys.modules[name].__file__), False
    return path, is_package


def _located(name: str) -> tuple[Path | None, bool]:
    top, *rest = name.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or not spec.has_location:
        return None, False
    path = Path(spec.origin)
    is_package = spec.submodule_search_locations is not None
    for part in rest:
        if not is_package:
            return None, False
        folder = path.parent
        is_package = (folder / part / "__init__.py").is_file()
        path = folder / part / "__init__.py" if is_package else folder / f"{part}.py"
    # A name that is imported from a module need not be a module.
    return (path if path.is_file() else None), is_package


#: An import: number of leading dots, module, and the names that are taken from it.
_Import = tuple[int, str, tuple[str, ...]]


@functools.cache
def _read(source: bytes) -> tuple[Source, tuple[_Import, ...]]:
    """Return the hashes of a source, and what it imports."""
    text = importlib.util.decode_source(source)
    tree = ast.parse(text)
    imports: list[_Import] = []
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            imports += [(0, alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            imports.append((node.level, node.module or "", names))
    code = hashlib.sha256(_code(text, tree).encode("utf-8", "surrogatepass")).hexdigest()
    return Source(raw=hashlib.sha256(source).hexdigest(), code=code), tuple(imports)


def _resolved(imports: Iterable[_Import], package: str) -> Iterator[str]:
    for level, module, names in imports:
        base = module
        if level:
            parent = package.rsplit(".", level - 1)[0] if level > 1 else package
            base = f"{parent}.{module}" if module else parent
        yield base
        yield from (f"{base}.{name}" for name in names)


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield a module and all statements in it; expressions hold none."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            pending += getattr(node, field, ())


# What counts of a source

#: From the first to the last kind of token of a string that is several tokens, which depends on
#: the version of Python.
_OPENING = {getattr(tokenize, name, None) for name in ("FSTRING_START", "TSTRING_START")} - {None}
_CLOSING = {getattr(tokenize, name, None) for name in ("FSTRING_END", "TSTRING_END")} - {None}


def normalised(source: bytes) -> str:
    """Return a source without comments, docstrings, blank lines and white space at ends of lines.

    Strings stay as they are. Two programs that do different things stay different.
    """
    text = importlib.util.decode_source(source)
    return _code(text, ast.parse(text))


def _code(text: str, tree: ast.Module) -> str:
    lines = text.split("\n")
    docstrings = dict(_docstrings(lines, tree))
    comments, open_rows = _comments(text)
    code: list[str] = []
    row = 1
    while row <= len(lines):
        line = lines[row - 1][:comments.get(row)]
        if row in docstrings:
            column, row, end = docstrings[row]
            line = line[:column] + lines[row - 1][:comments.get(row)][end:]
        if row in open_rows:
            code.append(line)
        elif (line := line.rstrip()) or (code and code[-1].endswith("\\")):
            # An empty line ends a statement that a backslash would continue.
            code.append(line)
        row += 1
    return "\n".join(code)


def _docstrings(lines: list[str], tree: ast.Module) -> Iterator[tuple[int, tuple[int, int, int]]]:
    """Yield the row of each docstring, with its column and the row and column of its end."""
    for node in _statements(tree):
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
