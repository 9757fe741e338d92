"""Places a design of anybody's with one seed after another, until a clock frequency is reached."""

from __future__ import annotations

import dataclasses
import itertools
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from ..devices import Target
from ..netlist.timing import read_timing
from ..outcome import StageFailed
from ..tools.find import find
from ..tools.processes import Processes
from ..tools.run import run_tool

__all__ = ["Seed", "chance", "tried"]

_NETLIST = "design.json"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Seed:
    """A placement.

    Attributes
    ----------
    seed : int
    fmax_mhz : float or None
        Frequency of the slowest clock; None if nextpnr failed.
    message : str
        Why it failed; empty if it did not.
    """

    seed: int
    fmax_mhz: float | None = None
    message: str = ""


def tried(design: Path, device: Target, mhz: float, arguments: Sequence[str], *, most: int,
          jobs: int, timeout_s: float) -> Iterator[Seed]:
    """Yield placements with the seeds 1 to ``most`` as they end; stop after one that reaches it.

    Parameters
    ----------
    design : Path
        Netlist of yosys in JSON, for the family of the device.
    mhz : float
        Frequency that nextpnr is asked for.
    arguments : sequence of str
        Further arguments of nextpnr; its options are in place of those of the device.
    jobs : int
        Placements at a time.

    Raises
    ------
    ToolMissing, DiskFull
        If nextpnr cannot run here.
    """
    processes, seeds = Processes(), iter(range(1, most + 1))
    running: set[Future[Seed]] = set()

    def place(seed: int) -> Seed:
        with tempfile.TemporaryDirectory(prefix="montgomery-seed-") as name:
            return _placed(Path(name), design, device, mhz, arguments, seed, processes, timeout_s)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            running |= {pool.submit(place, seed) for seed in itertools.islice(seeds, jobs)}
            while running:
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                for found in sorted((each.result() for each in ended), key=lambda each: each.seed):
                    yield found
                    if found.fmax_mhz is not None and found.fmax_mhz >= mhz:
                        return
                running |= {pool.submit(place, seed)
                            for seed in itertools.islice(seeds, len(ended))}
        finally:
            processes.stop()


def _placed(folder: Path, design: Path, device: Target, mhz: float, arguments: Sequence[str],
            seed: int, processes: Processes, timeout_s: float) -> Seed:
    shutil.copyfile(design, folder / _NETLIST)
    try:
        run_tool(device.placer, [
            *find(device.placer).command, "-q", "--json", _NETLIST, "--report", "report.json",
            *_without(device.place_arguments({}, seed), ["--freq", *arguments]),
            "--freq", f"{mhz:g}", *arguments], folder, processes, timeout_s)
        timing = read_timing({}, lambda file: (folder / file).read_bytes(), placer=device.placer)
    except StageFailed as error:
        last = error.failure.log.strip().rpartition("\n")[-1]
        return Seed(seed=seed, message=f"{error}: {last}" if last not in str(error) else str(error))
    except FileNotFoundError:
        return Seed(seed=seed, message=f"{device.placer} wrote no report")
    return Seed(seed=seed, fmax_mhz=timing["fmax_mhz"])


def _without(own: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return arguments without the options that others give, and without their values."""
    kept, drops = [], False
    for word in own:
        if word.startswith("--"):
            drops = word in others
        if not drops:
            kept.append(word)
    return kept


def chance(found: Sequence[Seed], mhz: float) -> float | None:
    """Return the chance that another seed reaches a frequency, by a normal distribution.

    None where fewer than three placements, or such that do not differ, say nothing of it.
    """
    reached = [each.fmax_mhz for each in found if each.fmax_mhz is not None]
    if len(reached) < 3 or (spread := statistics.stdev(reached)) == 0:
        return None
    return 1 - statistics.NormalDist(statistics.mean(reached), spread).cdf(mhz)
