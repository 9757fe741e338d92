"""Compares the claim of each paper with the measurements, in a few sentences."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..outcome import Status
from ..points.point import full_name
from ..table import text

if TYPE_CHECKING:
    import pandas

__all__ = ["claim"]

#: Target whose frequencies are compared: the largest device, on which most cores were placed.
_TARGET = "ecp5-85k"


def claim(source: str, points: pandas.DataFrame) -> str:
    """Return sentences on whether the claim of a paper holds for measured medians.

    What is measured is judged; what the claim needs besides is named, with the command for it.

    Parameters
    ----------
    source : str
        Name of a module of :mod:`explore.papers`. The text is empty if it makes no claim.
    points : DataFrame
        A frame of :func:`explore.data.frame.medians`.
    """
    judge = _JUDGES.get(source)
    if judge is None:
        return ""
    measured = _Measured(points)
    said = judge(measured) or f"Nothing of it has been measured on {_TARGET} yet."
    return f"{said} {measured.lacks()}".rstrip()


class _Measured:
    """The placed points of one target, and what was asked of them in vain."""

    def __init__(self, points: pandas.DataFrame) -> None:
        self._points = points[(points["status"] == Status.OK) & (points["target"] == _TARGET)]
        self._missing: dict[_Core, None] = {}

    def best(self, column: str, core: _Core, *, largest: bool = False,
             needed: bool = True) -> dict[str, Any] | None:
        """Return the best point of a core in a column; None if there is none.

        ``needed`` says whether the claim lacks it then.
        """
        points = self._points
        wanted = {"arch": core.arch, "kind": core.kind, "width": core.width,
                  **{f"param_{name}": value for name, value in core.params}}
        for name, value in wanted.items():
            points = points[points[name] == value] if name in points else points[:0]
        points = points[points[column].notna()]
        if points.empty:
            if needed:
                self._missing[core] = None
            return None
        index = points[column].idxmax() if largest else points[column].idxmin()
        return points.loc[index].to_dict()

    def widths(self, arch: str) -> set[int]:
        """Return the widths at which a multiplier was measured."""
        points = self._points[self._points["kind"] == "multiplier"]
        return set(points[points["arch"] == arch]["width"])

    def lacks(self) -> str:
        """Return a sentence on the cores that the claim lacks, with the sweeps that measure them.
        """
        found = []
        for core in self._missing:
            params = [f"{name}={value}" for name, value in core.params]
            words = ["montgomery sweep", f"-a {core.name}", f"-n {core.width}",
                     *(f"-p {param}" for param in params), f"-t {_TARGET}"]
            form = f" with {', '.join(params)}" if params else ""
            found.append(f"{core.name} of {core.width} bits{form} ({' '.join(words)})")
        return f"To judge the claim fully, {_TARGET} lacks {'; '.join(found)}." if found else ""


@dataclasses.dataclass(frozen=True)
class _Core:
    """A core that a claim is about; parameters that are not named may be any."""

    arch: str
    width: int
    params: tuple[tuple[str, Any], ...] = ()
    kind: str = "multiplier"

    @property
    def name(self) -> str:
        return full_name(self.kind, self.arch)


def _satzoda(points: _Measured) -> str | None:
    needed = (_Core("mmm_mx_1d", 1024, (("arrangement", "folded"),)),
              _Core("mmm_mx_1d", 1024, (("arrangement", "row"),)), _Core("mmm_op_1d", 1024))
    clock = "fmax_usable_mhz"
    for core in needed:
        points.best(clock, core, largest=True)
    # The claim is of 1024 bits; smaller ones tell something as well.
    width = max((each for each in points.widths("mmm_mx_1d") & points.widths("mmm_op_1d")
                 if each <= 1024), default=None)
    if width is None:
        fast = points.best(clock, _Core("mmm_mx_1d", 1024), largest=True, needed=False)
        return fast and (f"Of the claim that Design 2 runs at three times the clock of Optimized, "
                         f"one side is known: Design 2 of 1024 bits runs at {fast[clock]:.0f} MHz "
                         f"here and takes {fast['lut']:.0f} LUT4.")
    fast, other = (points.best(clock, _Core(arch, width), largest=True)
                   for arch in ("mmm_mx_1d", "mmm_op_1d"))
    drawn = points.best(clock, _Core("mmm_mx_1d", width, (("arrangement", "row"),)), largest=True,
                        needed=False)
    ratio = fast[clock] / other[clock]
    rate = fast["throughput_mbps"] / other["throughput_mbps"]
    at = "" if width == 1024 else f" at {width} bits"
    as_drawn = f", {drawn[clock]:.0f} as drawn" if drawn else ""
    return (f"The paper has Design 2 run at three times the clock of Optimized, with 1.5 times its "
            f"throughput. Here, where the processing elements of both find q one for the next, its "
            f"clock is {ratio:.2f} times as high ({fast[clock]:.0f} MHz folded{as_drawn}, against "
            f"{other[clock]:.0f}; {width} bits, {_TARGET}) and its throughput {rate:.2f} times: "
            f"the claim does not reproduce{at}. What does is its area, the smallest: "
            f"{fast['lut']:.0f} LUT4 folded against {other['lut']:.0f}.")


def _zhang(points: _Measured) -> str | None:
    same = points.best("latency_us", _Core("multi_step", 256, (("steps", 16),)))
    best = points.best("latency_us", _Core("multi_step", 256), needed=False)
    if same is None:
        return best and (f"A product of 256 bits takes {best['latency_us']:.3f} µs at "
                         f"{text(best['param_steps'])} steps a clock, with {best['lut']:,.0f} LUT4 "
                         f"({_TARGET}; the paper: 0.208 µs at 16 steps, on a Stratix III).")
    return (f"The 16 clocks of iterations reproduce at 16 steps a clock (17 where nothing is "
            f"subtracted in the end, since R is larger), and take {same['lut']:,.0f} LUT4 where "
            f"the paper has 17,161 ALUTs; from the last operand word to the first of the result a "
            f"product takes {same['cycles_compute']:.0f} clocks. More steps do not make it faster "
            f"without end: {same['latency_us']:.3f} µs at 16, against {best['latency_us']:.3f} at "
            f"{text(best['param_steps'])} (256 bits, {_TARGET}; the paper: 0.208 on a Stratix "
            "III).")


def _song(points: _Measured) -> str | None:
    core = points.best("latency_us", _Core("single_dsp", 2048, (("processors", 1),),
                                          "exponentiator"))
    if core is None:
        return None
    ratio = core["cycles_compute"] / 123_940_864
    return (f"One DSP block and one block RAM are enough: {core['dsp']:.0f} and {core['bram']:.0f} "
            f"here, with {core['lut']:.0f} LUT4. The clocks of a 2048-bit exponentiation in the "
            f"worst case are {ratio:.3f} of those in Table III.")


def _morales(points: _Measured) -> str | None:
    core = points.best("latency_us", _Core("dsp_systolic", 1024, (("quotient", "plain"),)))
    if core is None:
        other = points.best("latency_us", _Core("dsp_systolic", 1024), needed=False)
        return other and (f"The array with its quotient {other['param_quotient']}, which is not "
                          f"the paper's, takes {other['dsp']:.0f} blocks against 66. Dependent "
                          f"products are {other['cycles_interval']:.0f} clocks apart against 194, "
                          f"at {other['fmax_usable_mhz']:.0f} MHz on {_TARGET}.")
    return (f"The number of blocks reproduces, with one digit more for a modulus of all 1024 bits: "
            f"{core['dsp']:.0f} of them against 66. Dependent products are "
            f"{core['cycles_interval']:.0f} clocks apart where a result goes in again from "
            f"outside, at {core['fmax_usable_mhz']:.0f} MHz on {_TARGET}; the paper's 194 are for "
            "digits that go in again while the last ones are on their way.")


def _nozaki(points: _Measured) -> str | None:
    says = []
    core, rowers = _on_rowers(points, "exponentiator", 1024)
    if core is not None:
        faster = "reproduces" if core["latency_us"] <= 4200 else "does not reproduce on an FPGA"
        says += [f"RSA of 1024 bits without CRT on {rowers} takes {core['cycles_compute']:,.0f} "
                 "clocks here from the last digit to the first, where the paper's 4.2 ms at 80 MHz "
                 f"are 336,000; the time {faster}: {core['latency_us'] / 1000:.2f} ms at "
                 f"{core['fmax_usable_mhz']:.0f} MHz on {_TARGET}. ROM and RAM are "
                 f"{core['bram']:.0f} block RAMs, the multipliers {core['dsp']:.0f} blocks."]
    crt, rowers = _on_rowers(points, "rsa_crt", 2048)
    if crt is not None:
        on = "" if crt["param_rowers"] == 11 else f" on {rowers}"
        says += [f"With CRT, 2048 bits{on} take {crt['cycles_compute']:,.0f} clocks, where the "
                 f"paper's 8.9 ms are 712,000: {crt['latency_us'] / 1000:.2f} ms at "
                 f"{crt['fmax_usable_mhz']:.0f} MHz, with {crt['bram']:.0f} block RAMs."]
    return " ".join(says) or None


def _on_rowers(points: _Measured, kind: str, width: int) -> tuple[dict[str, Any] | None, str]:
    """Return the point with 11 Rowers or, if there is none, with another number, in words too."""
    core = (points.best("latency_us", _Core("cox_rower", width, (("rowers", 11),), kind))
            or points.best("latency_us", _Core("cox_rower", width, (), kind), needed=False))
    if core is None or core["param_rowers"] == 11:
        return core, "11 Rowers"
    return core, f"{core['param_rowers']:.0f} Rowers in place of 11"


_JUDGES: dict[str, Callable[[_Measured], str | None]] = {
    "satzoda_mmm_mx": _satzoda, "zhang_multi_step": _zhang, "song_single_dsp": _song,
    "morales_dsp_systolic": _morales, "nozaki_cox_rower": _nozaki}
