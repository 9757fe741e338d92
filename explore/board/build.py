"""Builds bitstreams, at the frequency that their own place and route reaches.

Running a plan of :mod:`boards.build` is a stage: its files and what nextpnr reported are an outcome
in the store, under a key made of the plan's contents and of the tools.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from amaranth.build.run import BuildPlan
from amaranth.lib.wiring import Component

from boards.build import NAME, REPORT, bitstream_name, commands, plan
from boards.catalogue import Adapter, Board
from boards.clock import Clock, clock_for

from ..devices.sites import sites_for
from ..errors import Refusal
from ..netlist.floorplan import locate, specify
from ..outcome import Outcome, StageFailed, Status
from ..pipeline.on_demand import SingleStages
from ..pipeline.stage import Job, Result, Spec, Stage, Tools, Workspace
from ..points.point import Point
from ..store import Store
from ..tools.find import check_environment, find
from .bitstream import Bitstream, target_of

__all__ = ["Builder"]

#: Share of the frequency of a first build that the next one asks for.
_MARGIN = 0.95
#: Builds after the first one. What nextpnr is asked for, and cannot reach, makes it do worse, so
#: that the second one mostly shows that there is more to be had.
_ROUNDS = 3
#: How much faster another build has to be to be worth it.
_GAIN = 1.03
#: How the names of the core's cells begin.
_CORE = "top.shell.core."
#: What programmers ask for, and the logs.
_KEEP = (".bin", ".bit", ".svf", ".cfg", ".rpt", ".tim")


@dataclasses.dataclass(frozen=True)
class _Built:
    """A build that the store has, under its key."""
    seed: int
    key: str
    outcome: Outcome


class _Build(Stage):
    """One run of a plan with a seed of the placer; ``what`` is built at which clock."""
    name = "bitstream"

    def __init__(self, made: BuildPlan, what: str, seed: int) -> None:

        self.seed = seed
        self._plan, self._what, self._commands = made, what, commands(made)

    def label(self, job: Job) -> str:
        return self._what

    def specify(self, job: Job, given: Mapping[str, Mapping[str, str]], tools: Tools) -> Spec:
        return {"plan": self._plan.digest().hex(), "seed": self.seed, **self.here({}, tools),
                "placer": job.device.placer,
                **specify(sites_for(job.device, job.options, job.params))}

    def here(self, spec: Spec, tools: Tools) -> Spec:
        return {"tools": {name: tools.identity(name) for name, *_ in self._commands}}

    def programs(self, job: Job) -> tuple[str, ...]:
        # A packer is of the same package as the placer, and cannot always say its version.
        return tuple(name for name, *_ in self._commands if name in ("yosys", job.device.placer))

    def run(self, spec: Spec, workspace: Workspace) -> Result:

        folder = workspace.folder
        for name, content in self._plan.files.items():
            (folder / name).write_text(content, encoding="utf-8")
        for name, *arguments in self._commands:
            if name == spec["placer"]:
                arguments += ["--seed", str(spec["seed"])]
                if "sites" in spec:
                    locate(folder / f"{NAME}.json", spec["sites"])
            workspace.run(name, [*find(name).command, *arguments])
        kept = [path.name for path in folder.iterdir() if path.suffix in _KEEP]
        return Result(_reported(folder / REPORT), kept, compress=False)


class Builder:
    """Builds one core for one board.

    Parameters
    ----------
    point : Point
        Of :func:`target_of` the board.
    make_top : callable
        Called with the frequency in Hz; returns the component with the serial line.
    adapter : Adapter or None
        Where the serial port is; the board's own, or the one it is known to need, if None.
    seeds : int
        Seeds of the placer that are tried until timing is met, as many at a time as there are
        processors.
    announce : callable
        Called with a line of text before something that takes long.
    """

    def __init__(self, store: Store, point: Point, board: Board,
                 make_top: Callable[[int], Component], *, baud: int,
                 adapter: Adapter | None = None, seeds: int = 1,
                 announce: Callable[[str], None] = lambda text: None) -> None:
        check_environment()
        self._store, self._point, self._board = store, point, board
        self._make_top, self._baud, self._announce = make_top, baud, announce
        self._adapter = adapter or board.adapter
        self._target, self._seeds = target_of(board), seeds
        self._done: dict[Clock, _Built] = {}

    def build(self, clock_mhz: float | None = None) -> Bitstream:
        """Return a bitstream whose timing is met.

        Parameters
        ----------
        clock_mhz : float or None
            The frequency asked for, and never exceeded. If None it is found: what one build
            reaches, less a margin, is what the next is made for.

        Raises
        ------
        ValueError
            If the clock cannot be made, or is faster than the data sheet allows.
        StageFailed
            If the core does not fit, or timing is not met.
        """
        built = self._built(clock_mhz)
        return dataclasses.replace(built, missed_mhz=tuple(sorted(
            mhz for mhz in (float(clock.output_mhz) for clock in self._done)
            if built.clock_mhz < mhz <= built.fmax_mhz)))

    def _built(self, clock_mhz: float | None) -> Bitstream:

        limit = self._target.clock_limit_mhz
        if clock_mhz is not None:
            if clock_mhz > limit:
                raise Refusal(f"Clock must be {limit:g} MHz or less, which is what the clock "
                              f"network of {self._target.name} carries, not {clock_mhz:g}")
            clock = clock_for(self._board, clock_mhz)
            return self._met(clock) or self._refuse(clock)
        clock, best = clock_for(self._board, limit), None
        for _ in range(1 + _ROUNDS):
            try:
                built = self._met(clock)
            except StageFailed:
                if best is None:
                    raise
                return best
            best = built or best
            reached, said = self._reached_mhz(clock), self._limit(clock, "; ")
            aim = _MARGIN * reached
            if not built:
                # Placement is a matter of luck as well: never ask for as much again.
                aim = min(aim, _MARGIN * float(clock.output_mhz))
            try:
                clock = clock_for(self._board, aim)
            except ValueError as error:
                if best is None:
                    raise StageFailed(f"Timing is not met: {error}") from None
                return best
            if best and clock.output_mhz <= _GAIN * best.clock_mhz:
                return best
        if best is None:
            raise StageFailed(f"Timing is not met in {1 + _ROUNDS} builds, the last of which "
                              f"reaches {reached:.1f} MHz{said}; give --clock {math.floor(aim)}")
        return best

    def _refuse(self, clock: Clock) -> Bitstream:
        reached, seed = self._reached_mhz(clock), self._placed(clock).seed
        best = f" at best, with seed {seed} of {self._seeds}" if self._seeds > 1 else ""
        raise StageFailed(
            f"Timing is not met: {self._point.name} on {self._board.name} reaches "
            f"{reached:.1f} MHz{best}, not {float(clock.output_mhz):.6g}"
            f"{self._limit(clock, '; ')}; give --clock {math.floor(_MARGIN * reached)}, or "
            "leave --clock out")

    def _limit(self, clock: Clock, before: str = "") -> str:
        """Return which part limits a clock, after a text; empty if nextpnr does not say it."""
        ends = self._placed(clock).outcome.facts.get("path")
        if not ends:
            return ""
        suffix = re.compile("|".join([*(f"_{cell}.*" for cell in self._target.family.suffixes),
                                      r"\.?\$.*"]))
        plain = [cell.replace("$flatten", "").replace("\\", "") for cell in ends]
        inside = [cell.startswith(_CORE) for cell in plain]
        part = ("the core limits" if all(inside) else
                "what joins the core and its serial shell limits" if any(inside) else
                "the serial shell around the core limits")
        first, last = (suffix.sub("", cell).removeprefix(_CORE).removeprefix("top.") or "unnamed"
                       for cell in plain)
        return f"{before}{part} the clock, from {first} to {last}"

    def _reached_mhz(self, clock: Clock) -> float:
        return self._usable_mhz(self._placed(clock).outcome)

    def _usable_mhz(self, outcome: Outcome) -> float:
        facts = outcome.facts
        used = {column: sum(facts["used"].get(name, 0) for name in names)
                for column, names in self._target.family.blocks.items()}
        return self._target.usable_mhz(facts["fmax_mhz"], used)

    def _met(self, clock: Clock) -> Bitstream | None:
        if self._reached_mhz(clock) < float(clock.output_mhz):
            return None

        built = self._placed(clock)
        facts = built.outcome.facts
        return Bitstream(
            board=self._board, point=self._point, clock=clock, fmax_mhz=facts["fmax_mhz"],
            baud=self._baud, seed=built.seed, folder=self._store.files(built.key),
            file=bitstream_name(self._board),
            used=facts["used"], limit=self._limit(clock), key=built.key,
            versions=dict(built.outcome.versions),
            note=self._adapter.advice if self._adapter else "")

    def _placed(self, clock: Clock) -> _Built:
        if clock not in self._done:
            self._done[clock] = self._obtain(clock)
        return self._done[clock]

    def _obtain(self, clock: Clock) -> _Built:
        """Return the outcome of the plan for a clock, from the store if it is there.

        It is that of the first seed with which timing is met, or else of the best one.
        """

        options = dict(self._point.options)
        device = self._target
        made = plan(self._board, clock, lambda hz: self._make_top(round(hz)),
                    device.technology_for(options), adapter=self._adapter,
                    setup=device.option_args(options, "setup"),
                    synth=(*device.synth_args, *device.option_args(options, "synth")),
                    place=device.option_args(options, "place"))
        what = (f"{self._point.name} for {self._board.name} at "
                f"{float(clock.output_mhz):.6g} MHz")
        stages = [_Build(made, f"{what}, seed {seed}" if self._seeds > 1 else what, seed)
                  for seed in range(1, self._seeds + 1)]
        job = Job(params=self._point.parameters(), device=device, options=options)
        with SingleStages(self._store, announce=self._announce, jobs=None) as computed:
            try:
                stage = self._first_met(computed, stages, job, float(clock.output_mhz))
                key, outcome = computed.obtain(stage, job)
            except StageFailed as error:
                if error.failure.status != Status.NO_FIT:
                    raise
                raise StageFailed(dataclasses.replace(
                    error.failure, message=f"{self._point.name} does not fit on "
                    f"{self._board.name}: {error.failure.message}")) from None
        return _Built(stage.seed, key, outcome)

    def _first_met(self, computed: SingleStages, stages: Sequence[_Build], job: Job,
                   clock_mhz: float) -> _Build:
        """Return the first stage that meets a clock, or else the one that comes nearest to it."""
        reached: dict[_Build, float] = {}
        for stage, outcome in zip(stages, computed.each(stages, job), strict=True):
            reached[stage] = 0.0 if outcome.failure else self._usable_mhz(outcome)
            if reached[stage] >= clock_mhz:
                return stage
        return max(reached, key=reached.__getitem__)


def _reported(path: Path) -> dict[str, Any]:
    """Return the lowest of all clocks' frequencies, the ends of its path, and what is used."""
    try:
        report = json.loads(path.read_bytes())
        fmax, slowest = min((clock["achieved"], name) for name, clock in report["fmax"].items())
        ends = next(([steps[0]["from"]["cell"], steps[-1]["to"]["cell"]]
                     for each in report["critical_paths"] if (steps := each["path"])
                     and slowest in each["from"] and slowest in each["to"]), None)
        return {"fmax_mhz": round(fmax, 3), "path": ends,
                "used": {name: bels["used"] for name, bels in report["utilization"].items()
                         if bels["used"]}}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise StageFailed(f"nextpnr wrote an unreadable report ({error})") from None
