"""Proves what is claimed of hardware, by the ABC that is part of yosys.

yosys makes an and-inverter graph of the hardware, whose outputs are the violations. ABC proves that
none of them can ever be high by property-directed reachability (``pdr``), which finds an inductive
invariant: with registers abstracted away as long as that does no harm, then without. Where it finds
none in time, bounded model checking (``bmc3``) looks for a counterexample clock by clock. Every
counterexample is run on a model of its own before it counts.
"""

from __future__ import annotations

import re
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from montgomery.claim import VIOLATED

from ..outcome import StageFailed
from ..tools.toolbox import Toolbox
from .aiger import Model, read_model
from .proof import Counterexample, Proof, Verdict

if TYPE_CHECKING:
    from .obligations import Obligation

__all__ = ["Prover"]

#: From RTLIL to two graphs: one with all ports, and one whose outputs are violations alone.
_MODEL = f"""\
read_rtlil core.il
hierarchy -top core
proc
flatten
opt -full
memory -nordff
opt -full
dffunmap
techmap
opt -full
simplemap
dffunmap
aigmap
opt_clean -purge
write_aiger -zinit -symbols whole.aig
delete -output core/o:* core/o:{VIOLATED}* %d
opt_clean -purge
write_aiger -zinit -symbols model.aig
design -reset
"""
#: ABC is a pass over a design, and what it leaves replaces the design: this one stays as it is.
_CALL = """\
read_rtlil gate.il
abc -script engine.abc
"""
_GATE = r"""
module \gate
  wire input 1 \a
  wire input 2 \b
  wire output 3 \y
  cell $_AND_ \and
    connect \A \a
    connect \B \b
    connect \Y \y
  end
end
"""
_GATE_BLIF = """\
.model netlist
.inputs ys__n0 ys__n1
.outputs ys__n2
.names ys__n0 ys__n1 ys__n2
11 1
.end
"""
_ENGINE = """\
read_aiger model.aig
strash
{command}
write_status status.txt
write_cex -a trace.txt
read_blif gate.blif
strash
map
"""
_STATUS = re.compile(r"snl_(SAT|UNSAT|UNK) (-?\d+)")
#: What the tool may take longer than its own limit.
_GRACE_S = 30
_MODEL_S = 600


class Prover:
    """Proves one obligation after the other.

    Parameters
    ----------
    toolbox : Toolbox
    seconds : int
        Time limit of each of the two ways to prove something, and of the search for a
        counterexample.
    depth : int
        Clocks in which a counterexample is looked for where there is no proof.
    """

    def __init__(self, toolbox: Toolbox, *, seconds: int = 60, depth: int = 40) -> None:
        self._toolbox, self._seconds, self._depth = toolbox, seconds, depth

    def prove(self, obligation: Obligation) -> Proof:
        """Return what becomes of an obligation.

        Raises
        ------
        StageFailed, DiskFull, ToolMissing
            If yosys fails.
        """
        self._toolbox.warm("yosys", packaged=True)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as path:
            return self._prove(obligation, Path(path))

    def _prove(self, obligation: Obligation, folder: Path) -> Proof:
        from amaranth.back import rtlil

        begin = time.monotonic()
        text = rtlil.convert(obligation.create(), name="core", emit_src=False)
        (folder / "core.il").write_text(text)
        (folder / "gate.il").write_text(_GATE)
        (folder / "gate.blif").write_text(_GATE_BLIF)
        seconds = self._seconds
        for number, (method, command) in enumerate((
                ("PDR with abstraction", f"pdr -t -T {seconds}"), ("PDR", f"pdr -T {seconds}"),
                ("BMC", f"bmc3 -F {self._depth} -T {seconds}"))):
            found, depth = self._run(folder, command, model=not number)
            if found != "UNK":
                break
        verdict = {"UNSAT": Verdict.PROVED, "SAT": Verdict.REFUTED, "UNK": Verdict.BOUNDED}[found]
        counterexample = None
        if verdict == Verdict.REFUTED:
            counterexample = _replay(folder)
            depth = len(counterexample.clocks)
        elif verdict == Verdict.PROVED and method == "BMC":
            raise StageFailed("yosys's ABC says that bounded model checking is a proof")
        elif verdict == Verdict.BOUNDED and depth < self._depth:
            verdict = Verdict.UNDECIDED if depth <= 0 else verdict
        model = read_model(folder / "model.aig")
        return Proof(name=obligation.name, claim=obligation.claim, size=obligation.size,
                     verdict=verdict, registers=len(model.latches), gates=len(model.ands),
                     method=method, depth=max(depth, 0), seconds=time.monotonic() - begin,
                     counterexample=counterexample)

    def _run(self, folder: Path, command: str, *, model: bool) -> tuple[str, int]:
        """Return what ABC says, and the clocks up to which it came."""
        (folder / "engine.abc").write_text(_ENGINE.format(command=command))
        (folder / "script.ys").write_text(_MODEL * model + _CALL)
        status = folder / "status.txt"
        status.unlink(missing_ok=True)
        self._toolbox.run("yosys", ["-q", "script.ys"], folder,
                          _MODEL_S * model + self._seconds + _GRACE_S, packaged=True)
        said = _STATUS.match(status.read_text()) if status.is_file() else None
        if said is None:
            raise StageFailed("yosys's ABC ended without a verdict")
        return said[1], int(said[2])


def _replay(folder: Path) -> Counterexample:
    """Return a counterexample that does what ABC says.

    Raises
    ------
    StageFailed
        If it violates nothing.
    """
    model, whole = read_model(folder / "model.aig"), read_model(folder / "whole.aig")
    _, *frames = (folder / "trace.txt").read_text().partition("#")[0].split()
    clocks = []
    for frame in frames:
        given: dict[str, int] = {}
        for (name, bit), digit in zip(model.inputs, frame, strict=True):
            given[name] = given.get(name, 0) | (digit == "1") << bit
        clocks.append(given)
    ports = tuple(_shown(whole, each) for each in whole.run(clocks))
    violated = [name.removeprefix(VIOLATED) for name in ports[-1]
                if name.startswith(VIOLATED) and ports[-1][name]] if ports else []
    if not violated:
        raise StageFailed("yosys's ABC has a counterexample that violates nothing")
    return Counterexample(violated=" and ".join(violated), clocks=tuple(
        {name: value for name, value in each.items() if not name.startswith(VIOLATED)}
        for each in ports))


def _shown(model: Model, ports: dict[str, int]) -> dict[str, int]:
    return {name: value for name, value in ports.items() if name != "clk"}
