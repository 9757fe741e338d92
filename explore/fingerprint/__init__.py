"""Fingerprints of source code, so that a result is kept until the code behind it changes.

What counts is what the statements of the modules say, and not where they stand: comments,
docstrings, blank lines, white space at ends of lines, the arguments of exceptions that are raised,
and the module in which a function, a class or a constant is, may change, and the result stands. A
fingerprint is the same under every version of Python.

Of a file that is not of this project, the order of statements counts too, and so do the arguments
of exceptions: nobody checks that its constants have one value, and its exceptions carry messages.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import dataclasses
import functools
import hashlib
import importlib.util
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.machinery import PathFinder
from pathlib import Path

import msgspec

from . import statements as _what_counts
from .statements import code_of, named_texts, statements, without_messages

__all__ = ["PROJECT", "Source", "SourcesChanged", "changed", "files", "fingerprint",
           "own_fingerprint", "own_sources", "sources"]

#: The packages of this project, and their folders.
PROJECT = ("montgomery", "explore", "boards")
_FOLDERS = [Path(__file__).parents[2] / name for name in PROJECT]


class SourcesChanged(RuntimeError):
    """Sources were edited while results were computed from them; the text is one line."""

    def __init__(self, modules: Iterable[str]) -> None:
        self.modules = names = sorted(modules)
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        super().__init__(
            f"Sources must stay as they are while they are measured, but {', '.join(names[:3])}"
            f"{more} changed; the same command starts again from what is stored")


#: An import: number of leading dots, module, and the names that are taken from it, and given.
_Import = tuple[int, str, tuple[tuple[str, str], ...]]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Source:
    """One module: a hash of its bytes, hashes of its statements, and what it imports.

    Each statement that is no import has the name that it defines, if any, and its hash.
    """

    raw: str
    statements: tuple[tuple[str, str], ...]
    imports: tuple[_Import, ...]

    @property
    def code(self) -> str:
        """Hash of the code alone."""
        return _hash(repr((self.statements, self.imports)))


@functools.cache
def fingerprint(*modules: str) -> str:
    """Return a hash of the sources of modules and of all they import from this project.

    A module of another package counts as part of the project while it is named here itself, and so
    do its siblings. Imports inside functions count; files that a module reads do not. Nothing is
    imported. :exc:`ModuleNotFoundError` says that one has no source file.
    """
    return _combined(sources(*modules))


@functools.cache
def own_fingerprint(*modules: str) -> str:
    """Return a hash of the code of modules, without what they import, whatever they are called.

    Within a process it stays what it was at the first call.
    """
    return _combined(own_sources(*modules))


def own_sources(*modules: str) -> Mapping[str, Source]:
    """Return the sources of modules, without what they import."""
    found = {}
    for name in modules:
        path, _ = _locate(name)
        if path is None:
            raise _no_source(name)
        found[name] = _read(path)
    return found


@functools.cache
def sources(*modules: str) -> Mapping[str, Source]:
    """Return the sources that :func:`fingerprint` is a hash of, by the names of their modules.

    Within a process they stay what they were at the first call.
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
        found[name] = _read(path)
        pending += [each for base, names in _resolved(found[name], name, is_package)
                    for each in (base, *(f"{base}.{taken}" for taken, _ in names))
                    if each.partition(".")[0] in own]
    return found


def changed(expected: Mapping[str, Source]) -> list[str]:
    """Return the modules whose code is not that which :func:`sources` returned any more."""
    return [name for name, source in expected.items() if not _is(source, name)]


def files(*modules: str) -> dict[str, str]:
    """Return the files of all modules that :func:`sources` returns, with the names of these."""
    return {str(_locate(name)[0]): name for name in sources(*modules)}


def _is(expected: Source, name: str) -> bool:
    try:
        path, _ = _locate(name)
        contents = path.read_bytes() if path else b""
        return (hashlib.sha256(contents).hexdigest() == expected.raw
                or (path is not None and _read(path).code == expected.code))
    except (OSError, SyntaxError, ValueError):
        return False


def _combined(found: Mapping[str, Source]) -> str:
    """Return a hash of all statements, and of imports as far as these can change their meaning."""
    defined = Counter(name for source in found.values() for name, _ in source.statements if name)
    said = [each for source in found.values() for _, each in source.statements]
    taken = set()
    for module, source in found.items():
        is_package = _locate(module)[1]
        for base, names in _resolved(source, module, is_package):
            for name, new in names:
                # A name that one module of these defines means the same wherever it is taken from.
                clear = base in found and defined[name] == 1 and name == new
                if not clear and f"{base}.{name}" not in found:
                    taken.add(f"{base} {name} {new}")
    return _hash(repr((sorted(said), sorted(taken))))


def _no_source(name: str) -> ModuleNotFoundError:
    return ModuleNotFoundError(f"No source of module {name}", name=name)


def _locate(name: str) -> tuple[Path | None, bool]:
    """Return the file of a module and whether it is a package, without importing anything."""
    top, *rest = name.split(".")
    spec = importlib.util.find_spec(top)
    for part in rest:
        if spec is None or not spec.has_location or spec.submodule_search_locations is None:
            spec = None
            break
        # Another folder may extend a package.
        folders = getattr(sys.modules.get(spec.name), "__path__", spec.submodule_search_locations)
        spec = PathFinder.find_spec(f"{spec.name}.{part}", folders)
    if spec is not None and spec.has_location:
        return Path(spec.origin), spec.submodule_search_locations is not None
    # So may another file. A name that is imported from a module need not be a module.
    file = getattr(sys.modules.get(name), "__file__", None)
    return (Path(file) if file else None), False


def _read(path: Path) -> Source:
    """Return what a file says, which is remembered by its contents and this very code."""
    source, known = path.read_bytes(), _remembered()
    raw = hashlib.sha256(source).hexdigest()
    is_own = any(path.is_relative_to(folder) for folder in _FOLDERS)
    mark = raw if is_own else f"{raw} whole"
    if mark not in known:
        known[mark] = _parsed(source, raw, is_own)
        _remember_at_exit()
    return known[mark]


def _cache_path() -> Path:
    import platformdirs

    code = b"".join(Path(file).read_bytes() for file in (__file__, _what_counts.__file__))
    return platformdirs.user_cache_path("montgomery-fingerprints") / (
        f"{hashlib.sha256(code).hexdigest()[:16]}.json")


@functools.cache
def _remembered() -> dict[str, Source]:
    try:
        return msgspec.json.decode(_cache_path().read_bytes(), type=dict[str, Source])
    except (OSError, ValueError):
        return {}


@functools.cache
def _remember_at_exit() -> None:
    atexit.register(_write_remembered)


def _write_remembered() -> None:
    from ..atomic import atomic_write

    with contextlib.suppress(OSError):
        path = _cache_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as partial:
            partial.write_bytes(msgspec.json.encode(_remembered()))


def _parsed(source: bytes, raw: str, is_own: bool) -> Source:
    text = importlib.util.decode_source(source)
    if is_own:
        text = without_messages(text)
    tree = ast.parse(text)
    imports: list[_Import] = []
    for node in statements(tree):
        if isinstance(node, ast.Import):
            imports += [(0, alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = tuple((alias.name, alias.asname or alias.name) for alias in node.names)
            imports.append((node.level, node.module or "", names))
    named = (named_texts(text, tree) if is_own
             else [("", "\n".join(line for _, line in code_of(text, tree)))])
    return Source(raw=raw, imports=tuple(imports),
                  statements=tuple((name, _hash(counted)) for name, counted in named))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _resolved(source: Source, module: str, is_package: bool
              ) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Yield the absolute name of each module that a module imports, and the names taken from it."""
    package = module if is_package else module.rpartition(".")[0]
    for level, base, names in source.imports:
        if level:
            parent = package.rsplit(".", level - 1)[0] if level > 1 else package
            base = f"{parent}.{base}" if base else parent
        yield base, names
