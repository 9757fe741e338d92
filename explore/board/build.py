"""Builds bitstreams, at the frequency that their own place and route reaches.

Running a plan of :mod:`boards.build` is a stage: its files and what nextpnr reported are an outcome
in the store, under a key made of the plan's contents and of the tools.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Mapping
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
from ..netlist.timing import slowest_path
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


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Attempt:
    """A build for a clock, which the store has under its key, and the frequency it may run at."""

    clock: Clock
    seed: int
    key: str
    outcome: Outcome
    reached_mhz: float

    @property
    def clock_mhz(self) -> float:
        return float(self.clock.output_mhz)

    @property
    def is_met(self) -> bool:
        return self.reached_mhz >= self.clock_mhz


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
    """Builds one core for one board, of which :func:`target_of` is the target of the point.

    ``make_top`` is called with the frequency in Hz, and returns the component with the serial line.
    The ``adapter`` says where the serial port is, unless it is the board's own, or one that the
    board is known to need. The seeds 1 to ``seeds`` of the placer are tried until timing is met, as
    many at a time as there are processors. What takes long is announced in a line of text.
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
        self._attempts: list[_Attempt] = []

    def build(self, clock_mhz: float | None = None) -> Bitstream:
        """Return a bitstream whose timing is met, at a clock that never exceeds the one asked for.

        If none is asked for, it is found: what one build reaches, less a margin, is what the next
        is made for.

        Raises
        ------
        ValueError
            If the clock cannot be made, or is faster than the data sheet allows.
        StageFailed
            If the core does not fit, or timing is not met.
        """
        built = self._fastest() if clock_mhz is None else self._asked_for(clock_mhz)
        facts = built.outcome.facts
        return Bitstream(
            board=self._board, point=self._point, clock=built.clock, fmax_mhz=facts["fmax_mhz"],
            baud=self._baud, seed=built.seed, folder=self._store.files(built.key),
            file=bitstream_name(self._board), used=facts["used"], limit=self._limit(built),
            key=built.key, versions=dict(built.outcome.versions),
            note=self._adapter.advice if self._adapter else "",
            missed_mhz=tuple(sorted(each.clock_mhz for each in self._attempts
                                    if built.clock_mhz < each.clock_mhz <= facts["fmax_mhz"])))

    def _asked_for(self, clock_mhz: float) -> _Attempt:
        limit = self._target.clock_limit_mhz
        if clock_mhz > limit:
            raise Refusal(f"Clock must be {limit:g} MHz or less, which is what the clock "
                          f"network of {self._target.name} carries, not {clock_mhz:g}")
        built = self._attempt(clock_for(self._board, clock_mhz))
        if built.is_met:
            return built
        best = f" at best, with seed {built.seed} of {self._seeds}" if self._seeds > 1 else ""
        raise StageFailed(
            f"Timing is not met: {self._point.name} on {self._board.name} reaches "
            f"{built.reached_mhz:.1f} MHz{best}, not {built.clock_mhz:.6g}"
            f"{self._limit(built, '; ')}; give --clock {math.floor(_MARGIN * built.reached_mhz)}, "
            "or leave --clock out")

    def _fastest(self) -> _Attempt:
        clock, best = clock_for(self._board, self._target.clock_limit_mhz), None
        for _ in range(1 + _ROUNDS):
            try:
                built = self._attempt(clock)
            except StageFailed:
                if best is None:
                    raise
                return best
            best = built if built.is_met else best
            aim = _MARGIN * built.reached_mhz
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
                              f"reaches {built.reached_mhz:.1f} MHz{self._limit(built, '; ')}; "
                              f"give --clock {math.floor(aim)}")
        return best

    def _limit(self, built: _Attempt, before: str = "") -> str:
        """Return which part limits a clock, after a text; empty if nextpnr does not say it."""
        ends = built.outcome.facts.get("path")
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

    def _usable_mhz(self, outcome: Outcome) -> float:
        facts = outcome.facts
        used = {column: sum(facts["used"].get(name, 0) for name in names)
                for column, names in self._target.family.blocks.items()}
        return self._target.usable_mhz(facts["fmax_mhz"], used)

    def _attempt(self, clock: Clock) -> _Attempt:
        seed, key, outcome = self._obtain(clock)
        built = _Attempt(clock=clock, seed=seed, key=key, outcome=outcome,
                         reached_mhz=self._usable_mhz(outcome))
        self._attempts.append(built)
        return built

    def _obtain(self, clock: Clock) -> tuple[int, str, Outcome]:
        """Return the seed with which the plan for a clock meets timing first, or else is best, and
        the outcome of that, from the store if it is there, with its key.
        """
        options = dict(self._point.options)
        device = self._target
        made = plan(self._board, clock, lambda hz: self._make_top(round(hz)),
                    device.technology_for(options), adapter=self._adapter,
                    setup=device.option_args(options, "setup"),
                    synth=(*device.synth_args, *device.option_args(options, "synth")),
                    place=device.option_args(options, "place"))
        clock_mhz = float(clock.output_mhz)
        what = f"{self._point.name} for {self._board.name} at {clock_mhz:.6g} MHz"
        stages = [_Build(made, f"{what}, seed {seed}" if self._seeds > 1 else what, seed)
                  for seed in range(1, self._seeds + 1)]
        job = Job(params=self._point.parameters(), device=device, options=options)
        with SingleStages(self._store, announce=self._announce, jobs=None) as computed:
            try:
                reached: dict[_Build, float] = {}
                for stage, outcome in zip(stages, computed.each(stages, job), strict=True):
                    reached[stage] = 0.0 if outcome.failure else self._usable_mhz(outcome)
                    if reached[stage] >= clock_mhz:
                        break
                stage = max(reached, key=reached.__getitem__)
                return stage.seed, *computed.obtain(stage, job)
            except StageFailed as error:
                if error.failure.status != Status.NO_FIT:
                    raise
                raise StageFailed(dataclasses.replace(
                    error.failure, message=f"{self._point.name} does not fit on "
                    f"{self._board.name}: {error.failure.message}")) from None


def _reported(path: Path) -> dict[str, Any]:
    """Return the lowest of all clocks' frequencies, the ends of its path, and what is used."""
    try:
        report = json.loads(path.read_bytes())
        steps = slowest_path(report)
        return {"fmax_mhz": round(min(clock["achieved"] for clock in report["fmax"].values()), 3),
                "path": [steps[0]["from"]["cell"], steps[-1]["to"]["cell"]] if steps else None,
                "used": {name: bels["used"] for name, bels in report["utilization"].items()
                         if bels["used"]}}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise StageFailed(f"nextpnr wrote an unreadable report ({error})") from None
