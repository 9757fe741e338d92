"""Cores compiled once for all tests, whichever of the test processes runs them."""

from explore.pipeline.tool_set import ToolSet

from explore.netlist.harness import core_rtlil
from explore.pipeline.on_demand import obtain
from explore.pipeline.stage import Workspace, compute
from explore.pipeline.stages import stages
from explore.simulation import CompiledEngine
from explore.simulation.build import LIBRARY, compile_spec, rtlil_script
from explore.store.artefacts import digest, unpack
from explore.tools.compiler import find_compiler
from explore.tools.processes import Processes
from explore.tools.toolbox import Toolbox

__all__ = ["CompiledCores"]


class CompiledCores:
    """Libraries of cores in a store, by what the hardware is: the same RTLIL is compiled once.

    They are elaborated in this process, which spares a worker for each.

    Parameters
    ----------
    store : Store
        Open; other processes may use it too.
    folder : path
        Where libraries of this process are unpacked.
    """

    def __init__(self, store, folder):
        self._store, self._folder = store, folder
        self._processes = Processes()
        self._toolbox = Toolbox(store, self._processes, lambda *what, **more: None)
        self._tools = ToolSet(self._toolbox, find_compiler())
        self._made = {}

    def __call__(self, params, *, few_clocks=False):
        """Return the library of a core.

        Parameters
        ----------
        few_clocks : bool
            A large core is compiled without optimisation, as it runs for less than that takes.
        """
        key = params, few_clocks
        if key not in self._made:
            self._made[key] = self._library(core_rtlil(params.create()), 0 if few_clocks else None)
        return self._made[key]

    def engine(self, params, **options):
        """Return a simulator of a core, with the options of :meth:`__call__`."""
        return CompiledEngine(self(params, **options))

    def _library(self, text, clocks):
        stage = stages()["compile"]
        spec = compile_spec(digest(text), rtlil_script(), self._tools, clocks=clocks)
        key = stage.hashed(spec)

        def build(folder):
            (folder / "core.il").write_text(text, encoding="utf-8")
            self._toolbox.warm("yosys")
            return compute(stage, spec, Workspace(folder, self._processes), {})

        outcome = obtain(self._store, key, {"stage": stage.name, **spec}, build, self._processes)
        folder = self._folder / key
        if not folder.exists():
            folder.mkdir()
            unpack(self._store.files(key), outcome.files, folder)
        return folder / LIBRARY
