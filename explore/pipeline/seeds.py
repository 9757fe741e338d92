"""Places a design of anybody's with one seed after another, until a clock frequency is reached."""

from __future__ import annotations

import dataclasses
import itertools
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from ..devices import Target
from ..errors import Refusal
from ..netlist.timing import read_timing
from ..outcome import StageFailed
from ..tools.run import CONSOLE
from ..tools.toolbox import Toolbox

__all__ = ["Seed", "chance", "tried"]

_NETLIST, _REPORT = "design.json", "report.json"
#: Options of nextpnr that set the seed.
_SEEDS = ("--seed", "--randomize-seed", "-r")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Seed:
    """A placement: the frequency of the slowest clock, or the message of why it failed."""

    seed: int
    fmax_mhz: float | None = None
    message: str = ""


def tried(design: Path, device: Target, mhz: float, arguments: Sequence[str], *, most: int,
          jobs: int, timeout_s: float) -> Iterator[Seed]:
    """Yield placements at a frequency with the seeds 1 to ``most`` as they end; stop after one that
    reaches it.

    The design is a netlist of yosys in JSON, for the family of the device. Further arguments of
    nextpnr have paths relative to the current folder, and stand in place of those of the device;
    one that sets the seed is refused. So many ``jobs`` run at a time. At the end, the files that
    the arguments ask for are those of the fastest placement.
    """
    words = [part for word in arguments
             for part in (word.split("=", 1) if word.startswith("--") else [word])]
    for word in words:
        if word in _SEEDS or any(name.startswith(word) for name in _SEEDS if len(word) > 4):
            raise Refusal(f"{word} sets the seed, which is 1, 2, 3 … here; leave it out")
    toolbox, seeds = Toolbox(), iter(range(1, most + 1))
    toolbox.warm(device.placer)
    running: set[Future[Seed]] = set()
    best = Seed(seed=0, fmax_mhz=0)

    with tempfile.TemporaryDirectory(prefix="montgomery-seeds-") as name:
        folder = Path(name)
        inputs = {_NETLIST: design}
        for index, word in enumerate(words):
            path = Path(word)
            if path.is_file() or (not word.startswith("-") and "/" in word
                                  and path.parent.is_dir()):
                # WebAssembly has a folder /tmp of its own: nextpnr gets names without a folder.
                words[index] = f"{index}-{path.name}"
                inputs[words[index]] = path

        def place(seed: int) -> Seed:
            return _placed(folder / str(seed), inputs, device, mhz, words, seed, toolbox, timeout_s)

        with ThreadPoolExecutor(jobs) as pool:
            try:
                running |= {pool.submit(place, seed) for seed in itertools.islice(seeds, jobs)}
                while running and best.fmax_mhz < mhz:
                    ended, running = wait(running, return_when=FIRST_COMPLETED)
                    for found in sorted((each.result() for each in ended),
                                        key=lambda each: each.seed):
                        yield found
                        slower = found
                        if (found.fmax_mhz or 0) > best.fmax_mhz:
                            slower, best = best, found
                        shutil.rmtree(folder / str(slower.seed), ignore_errors=True)
                    running |= {pool.submit(place, seed)
                                for seed in itertools.islice(seeds, len(ended))}
            finally:
                toolbox.processes.stop()
        if best.fmax_mhz:
            _keep(folder / str(best.seed), inputs)


def _placed(folder: Path, inputs: Mapping[str, Path], device: Target, mhz: float,
            words: Sequence[str], seed: int, toolbox: Toolbox, timeout_s: float) -> Seed:
    folder.mkdir()
    for name, path in inputs.items():
        if path.is_file():
            shutil.copyfile(path, folder / name)
    own = ["--quiet", "--json", _NETLIST, "--report", _REPORT, "--freq", f"{mhz:g}",
           *_without(device.place_arguments({}, seed), ["--freq"])]
    report = words[words.index("--report") + 1] if "--report" in words[:-1] else _REPORT
    try:
        toolbox.run(device.placer, [*_without(own, words), *words], folder, timeout_s)
        timing = read_timing({}, lambda _: (folder / report).read_bytes(), placer=device.placer)
    except StageFailed as error:
        # The reason may stand above the last line that is an error.
        said = [line.strip() for line in error.failure.log.splitlines() if "error:" in line.lower()]
        return Seed(seed=seed, message=" ".join(said) or str(error))
    except FileNotFoundError:
        return Seed(seed=seed, message=f"{device.placer} wrote no report")
    return Seed(seed=seed, fmax_mhz=timing["fmax_mhz"])


def _keep(folder: Path, inputs: Mapping[str, Path]) -> None:
    """Copy the files that nextpnr wrote to where they were asked for."""
    for path in folder.iterdir():
        target = inputs.get(path.name, Path(path.name))
        if path.name not in (_NETLIST, _REPORT, CONSOLE) and not (
                target.is_file() and target.read_bytes() == path.read_bytes()):
            shutil.copyfile(path, target)


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
