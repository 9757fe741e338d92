"""Cores compiled once for all tests, whichever of the test processes runs them."""

import json

from explore.netlist.harness import core_rtlil
from explore.pipeline.on_demand import UNVERIFIED, SingleStages
from explore.pipeline.stage import Job
from explore.pipeline.stages import stages
from explore.pipeline.stages.compile import Compile, CompileDesign, CompileNetlist
from explore.simulation import CompiledEngine
from explore.simulation.build import DRIVER, LIBRARY
from explore.simulation.choice import choose, predicted_clocks
from explore.tools.compiler import find_compiler
from explore.tools.verilator import find_verilator

__all__ = ["CompiledCores", "core_library", "netlist", "netlist_library"]


def netlist(store, params, device, options, folder):
    """Return the netlist of a core that is placed for a device, as yosys writes it."""
    with SingleStages(store) as computed:
        computed.obtain(stages()["synth"], Job(params=params, device=device, options=options),
                        without=UNVERIFIED, into=folder)
    return json.loads((folder / "netlist.json").read_bytes())


def netlist_library(store, params, device, options, folder):
    """Return the compiled netlist of a core."""
    with SingleStages(store, find_compiler()) as computed:
        return computed.library(
            CompileNetlist(), Job(params=params, device=device, options=options), folder)


def core_library(store, params, folder, compiler, *, verilator=None, **options):
    """Return the core that :class:`Compile` compiles with some options."""
    with SingleStages(store, compiler, verilator=verilator) as computed:
        return computed.library(Compile(**options), Job(params=params), folder)


class CompiledCores:
    """Libraries of cores in a store, by what the hardware is: the same RTLIL is compiled once.

    Cores for which Verilator is quicker are compiled as those of a sweep. Others are elaborated in
    this process, which spares a worker for each.

    Parameters
    ----------
    store : Store
        Open; other processes may use it too.
    compiler : Compiler
    folder : path
        Where libraries of this process are unpacked.
    """

    def __init__(self, store, compiler, folder):
        self._store, self._compiler, self._folder = store, compiler, folder
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
            self._made[key] = self._library(params, 0 if few_clocks else None)
        return self._made[key]

    def engine(self, params, **options):
        """Return a simulator of a core, with the options of :meth:`__call__`."""
        return CompiledEngine(self(params, **options))

    def _library(self, params, clocks):
        text, verilator = core_rtlil(params.create()).text, find_verilator()
        folder = self._folder / str(len(self._made))
        folder.mkdir()
        if clocks is None and verilator and choose(
                len(text), predicted_clocks(params)) == "verilator":
            return core_library(self._store, params, folder, self._compiler, verilator=verilator)
        stage = CompileDesign(text, DRIVER, clocks=clocks)
        with SingleStages(self._store, self._compiler) as computed:
            computed.obtain(stage, Job(params=params), into=folder)
        return folder / LIBRARY
