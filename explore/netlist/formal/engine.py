"""Proves what is claimed of hardware, by the ABC that is part of yosys.

yosys makes an and-inverter graph of the hardware, whose outputs are the violations. What is read of
deep memories may have any value at first: the graph has their contents only if that gives no proof.
ABC proves that none of them can ever be high by property-directed reachability (``pdr``), which
finds an inductive invariant, or by finding signals that are always equal (``scorr`` and
``dprove``). The ways to prove something are tried in turns, with growing limits of time. Where none
succeeds, bounded model checking (``bmc3``) looks for a counterexample clock by clock. Every
counterexample is run on a model of its own before it counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...outcome import StageFailed, Status
from ...tools.toolbox import Toolbox
from .aiger import read_model
from .claim import LEMMA, VIOLATED
from .proof import Counterexample, Proof, Verdict

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

    from .obligations import Obligation

__all__ = ["Prover", "hardware_rtlil"]

#: From RTLIL to two graphs: one with all ports, and one whose outputs are violations alone.
#: ``opt_dff`` needs ``opt_clean`` before it. A register has its initial value on each wire that it
#: drives, and where ``opt_dff`` finds a constant, it takes the value from one wire only. Yosys then
#: ends with "Conflicting init values" (its issue 5735).
_MODEL = """\
read_rtlil core.il
hierarchy -top core
proc
flatten
opt_clean
opt -full
memory -nordff -nomap
{deep}
memory_map
opt -full
dffunmap
techmap
opt -full
simplemap
dffunmap
aigmap
opt_clean -purge
write_aiger -ascii -zinit -symbols whole.aag
"""
#: Lets reads of deep memories have any value in each clock. A proof then holds for the true ones.
_DEEP = 512
_ANY_READ = f"cutpoint t:$mem_v2 r:SIZE>={_DEEP} %i"
_WORDS = re.compile(r"^ *memory .*size (\d+) ", re.MULTILINE)
#: Continues it, for some of the outputs.
_MODEL_OF = """\
select -set kept {outputs}
delete -output core/o:* @kept %d
opt_clean -purge
write_aiger -zinit -symbols model.aig
write_aiger -ascii -zinit -symbols model.aag
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
#: Limits of what is tried before anything is tried for the time that is given.
_BRIEF_S, _LONGER_S = 2, 15
_VERDICTS = {"UNSAT": Verdict.PROVED, "SAT": Verdict.REFUTED, "UNK": Verdict.BOUNDED}
_PDR, _ABSTRACTING, _BMC = "PDR", "PDR with abstraction", "BMC"
_EQUIVALENCE = "signal correspondence"
_COMMANDS = {_PDR: "pdr -T {}", _ABSTRACTING: "pdr -t -T {}", _EQUIVALENCE: "scorr\ndprove",
             _BMC: "bmc3 -F {1} -T {0}"}


class Prover:
    """Tries to prove obligations, with a time limit in seconds for each attempt.

    The limit is also that of the search for a counterexample where there is no proof, in ``depth``
    clocks.
    """

    def __init__(self, toolbox: Toolbox, *, seconds: int = 60, depth: int = 40) -> None:
        self._toolbox, self._seconds, self._depth = toolbox, seconds, depth

    def attempt(self, obligation: Obligation, folder: Path, *, relying: bool) -> Proof:
        """Return what becomes of an obligation in an empty folder.

        If it is ``relying``, what it relies on is assumed, and must be proved then.
        :exc:`StageFailed`, :exc:`DiskFull` or :exc:`ToolMissing` is raised if yosys fails.
        """
        hardware = obligation.create(relying)
        (folder / "core.il").write_text(hardware_rtlil(hardware))
        (folder / "gate.il").write_text(_GATE)
        (folder / "gate.blif").write_text(_GATE_BLIF)
        names = [name for name in hardware.signature.members if name.startswith(VIOLATED)
                 and (not obligation.outputs or name.removeprefix(VIOLATED) in obligation.outputs)]
        # A lemma has registers of its own, which are of no use to the proof that relies on it.
        lemma = [name for name in names if name == VIOLATED + LEMMA]
        proofs = [self._part(obligation, folder, part) for part in
                  (lemma, [name for name in names if name not in lemma]) if part]
        order = [Verdict.REFUTED, Verdict.UNDECIDED, Verdict.BOUNDED, Verdict.PROVED]
        return min(proofs, key=lambda proof: (order.index(proof.verdict), -proof.registers))

    def _part(self, obligation: Obligation, folder: Path, names: Sequence[str]) -> Proof:
        outputs = " ".join(f"core/o:{name}" for name in names)
        attempts = list(dict.fromkeys(
            ("", method, command.format(limit), limit)
            for limit, tried in ((_BRIEF_S, (_PDR, _ABSTRACTING)),
                                 (_LONGER_S, (_PDR, _EQUIVALENCE, _ABSTRACTING)),
                                 (self._seconds, (_ABSTRACTING, _PDR)))
            for limit in (min(limit, self._seconds),)
            for method, command in ((each, _COMMANDS[each]) for each in tried)))
        if any(int(words) >= _DEEP for words in _WORDS.findall((folder / "core.il").read_text())):
            attempts = [(_ANY_READ, *each[1:]) for each in attempts] + attempts
        # It may be stuck in a clock for longer than its time limit, and then says nothing.
        attempts += [("", _BMC, _COMMANDS[_BMC].format(self._seconds, clocks), self._seconds)
                     for clocks in (self._depth, max(self._depth // 8, 1))]
        modelled = None
        while attempts:
            deep, method, command, limit = attempts.pop(0)
            begin = _MODEL.format(deep=deep) + _MODEL_OF.format(outputs=outputs)
            said, depth = self._run(folder, begin if deep != modelled else "", command, limit)
            modelled = deep
            if deep and said == "SAT":  # by a value that may be none of the memory
                attempts = [each for each in attempts if not each[0]]
            elif said != "UNK" or (method == _BMC and depth > 0):
                break
        verdict, counterexample = _VERDICTS[said], None
        if verdict == Verdict.REFUTED:
            counterexample = _replay(folder)
            depth = len(counterexample.clocks)
        elif verdict == Verdict.BOUNDED:
            # It counts clocks from 0 on. Where time ran out, the last one may not be done with.
            depth += command == _COMMANDS[_BMC].format(limit, depth + 1)
            verdict = verdict if depth > 0 else Verdict.UNDECIDED
        model = read_model(folder / "model.aag")
        # An output that was lost would be taken for proved.
        if sorted(name for _, name, _ in model.outputs) != sorted(names):
            raise StageFailed(f"yosys made a model of {len(model.outputs)} outputs, not of "
                              f"{', '.join(names)}")
        return Proof(name=obligation.name, claim=obligation.claim, size=obligation.size,
                     verdict=verdict, registers=len(model.latches), gates=len(model.ands),
                     method=method, depth=max(depth, 0), seconds=0, counterexample=counterexample)

    def _run(self, folder: Path, begin: str, command: str, limit: int) -> tuple[str, int]:
        """Return what ABC says, and the last clock up to which it came."""
        (folder / "engine.abc").write_text(_ENGINE.format(command=command))
        (folder / "script.ys").write_text(begin + _CALL)
        status = folder / "status.txt"
        status.unlink(missing_ok=True)
        try:
            self._toolbox.run("yosys", ["-q", "script.ys"], folder,
                              _MODEL_S * bool(begin) + limit
                              + (_GRACE_S if "-T" in command else 0), packaged=True)
        except StageFailed as error:
            # ABC has no time limit for all that it does, and may need more memory than there is.
            if begin or error.failure.status not in (Status.TIMEOUT, Status.OOM):
                raise
            return "UNK", -1
        said = _STATUS.match(status.read_text()) if status.is_file() else None
        if said is None:
            raise StageFailed("yosys's ABC ended without a verdict")
        return said[1], int(said[2])


def hardware_rtlil(hardware: Component) -> str:
    """Return hardware as RTLIL."""
    from amaranth.back import rtlil

    return rtlil.convert(hardware, name="core", emit_src=False)


def _replay(folder: Path) -> Counterexample:
    """Return a counterexample that does what ABC says; it is refused if it violates nothing."""
    model, whole = read_model(folder / "model.aag"), read_model(folder / "whole.aag")
    _, *frames = (folder / "trace.txt").read_text().partition("#")[0].split()
    clocks = []
    for frame in frames:
        given: dict[str, int] = {}
        for (name, bit), digit in zip(model.inputs, frame, strict=True):
            given[name] = given.get(name, 0) | (digit == "1") << bit
        clocks.append(given)
    ports = [{name: value for name, value in each.items() if name != "clk"}
             for each in whole.run(clocks)]
    violated = [name.removeprefix(VIOLATED) for name in ports[-1]
                if name.startswith(VIOLATED) and ports[-1][name]] if ports else []
    if not violated:
        raise StageFailed("yosys's ABC has a counterexample that violates nothing")
    return Counterexample(violated=" and ".join(violated), clocks=tuple(
        {name: value for name, value in each.items() if not name.startswith(VIOLATED)}
        for each in ports))
