"""Starts a worker that knows the very sources that it runs.

Run as a script: ``importing.py PATH PACKAGE…``, where ``PATH`` is the path of modules, in Python's
isolated mode, in which no module on that path is imported unasked (``sitecustomize``). Modules of
these packages are compiled from the bytes that are kept here. A file may change after it was read,
and a compiled one beside it (``.pyc``) may be of an earlier source of the same length and second.
It imports nothing of the project before it can keep that too; :func:`explore.pipeline.worker.serve`
does the work.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType

__all__ = ["Recorder"]


class Recorder:
    """A finder of modules, for :data:`sys.meta_path`, that keeps the sources it has compiled.

    Parameters
    ----------
    packages : iterable of str
        Top-level names. All other modules are left to the finders after this one.
    """

    def __init__(self, packages: Iterable[str]) -> None:
        self._packages = frozenset(packages)
        #: From the name of each module to its source.
        self.sources: dict[str, bytes] = {}

    def find_spec(self, name: str, path: Sequence[str] | None = None,
                  target: ModuleType | None = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in self._packages:
            return None
        for finder in sys.meta_path:
            if finder is not self and (spec := finder.find_spec(name, path, target)) is not None:
                if type(spec.loader) is SourceFileLoader:
                    spec.loader = _Loader(spec.loader.name, spec.loader.path, self.sources)
                return spec
        return None


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, sources: dict[str, bytes]) -> None:
        super().__init__(name, path)
        self._sources = sources

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path)
        self._sources[fullname] = source
        return self.source_to_code(source, self.path)


if __name__ == "__main__":
    _, path, *packages = sys.argv
    sys.path[:0] = path.split(os.pathsep)
    recorder = Recorder(packages)
    sys.meta_path.insert(0, recorder)
    # Whatever else is called explore where the sweep was started.
    sys.path.insert(0, os.path.abspath(f"{__file__}/../../.."))
    import explore  # noqa: F401
    del sys.path[0]
    from explore.pipeline.worker import serve
    serve(recorder.sources)
