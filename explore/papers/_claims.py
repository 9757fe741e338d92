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
    said = judge(measured) or f"The claim cannot be judged on {_TARGET} yet."
    return f"{said} {measured.lacks()}".rstrip()


class _Measured:
    """The placed points of one target, and what was asked of them in vain."""

    def __init__(self, points: pandas.DataFrame) -> None:
        self._points = points[(points["status"] == Status.OK) & (points["target"] == _TARGET)]
        self._missing: dict[_Core, None] = {}

    def best(self, column: str, core: _Core, *, largest: bool = False) -> dict[str, Any] | None:
        """Return the best point of a core in a column; None if there is none."""
        points = self._points
        wanted = {"arch": core.arch, "kind": core.kind, "width": core.width,
                  **{f"param_{name}": value for name, value in core.params}}
        for name, value in wanted.items():
            points = points[points[name] == value] if name in points else points[:0]
        points = points[points[column].notna()]
        if points.empty:
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
            form = " ".join(f"-p {name}={value}" for name, value in core.params)
            found.append(f"{core.name} of {core.width} bits (montgomery sweep -a {core.name} -n "
                         f"{core.width} {form}{' ' if form else ''}-t {_TARGET})")
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
    clock = "fmax_usable_mhz"
    for core in (_Core("mmm_mx_1d", 1024, (("arrangement", "folded"),)),
                 _Core("mmm_mx_1d", 1024, (("arrangement", "row"),)), _Core("mmm_op_1d", 1024)):
        points.best(clock, core, largest=True)
    # The claim is of 1024 bits; smaller ones tell something as well.
    width = max((each for each in points.widths("mmm_mx_1d") & points.widths("mmm_op_1d")
                 if each <= 1024), default=None)
    if width is None:
        return None
    fast, other = (points.best(clock, _Core(arch, width), largest=True)
                   for arch in ("mmm_mx_1d", "mmm_op_1d"))
    return (f"The paper has Design 2 run at three times the clock of Optimized, with 1.5 times its "
            f"throughput. Here, where the processing elements of both find q one for the next, its "
            f"clock is {fast[clock] / other[clock]:.2f} times as high ({fast[clock]:.0f} MHz, "
            f"against {other[clock]:.0f}; {width} bits, {_TARGET}) and its throughput "
            f"{fast['throughput_mbps'] / other['throughput_mbps']:.2f} times: the claim does not "
            f"reproduce. What does is its area, the smallest: {fast['lut']:.0f} LUT4 against "
            f"{other['lut']:.0f}.")


def _zhang(points: _Measured) -> str | None:
    same = points.best("latency_us", _Core("multi_step", 256, (("steps", 16),)))
    if same is None:
        return None
    best = points.best("latency_us", _Core("multi_step", 256))
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
    return (
        f"One DSP block and one block RAM are enough: {core['dsp']:.0f} and {core['bram']:.0f} "
        f"here, with {core['lut']:.0f} LUT4. The clocks of a 2048-bit exponentiation in the worst "
        f"case are {core['cycles_compute'] / 123_940_864:.3f} of those in Table III.")


def _morales(points: _Measured) -> str | None:
    core = points.best("latency_us", _Core("dsp_systolic", 1024, (("quotient", "plain"),)))
    if core is None:
        return None
    return (
        f"The number of blocks reproduces, with one digit more for a modulus of all 1024 bits: "
        f"{core['dsp']:.0f} of them against 66. Dependent products are "
        f"{core['cycles_interval']:.0f} clocks apart where a result goes in again from outside, at "
        f"{core['fmax_usable_mhz']:.0f} MHz on {_TARGET}; the paper's 194 are for digits that go "
        "in again while the last ones are on their way.")


def _nozaki(points: _Measured) -> str | None:
    core, crt = (points.best("latency_us", _Core("cox_rower", width, (("rowers", 11),), kind))
                 for kind, width in (("exponentiator", 1024), ("rsa_crt", 2048)))
    says = []
    if core:
        faster = "reproduces" if core["latency_us"] <= 4200 else "does not reproduce on an FPGA"
        says += [f"RSA of 1024 bits without CRT on 11 Rowers takes {core['cycles_compute']:,.0f} "
                 "clocks here from the last digit to the first, where the paper's 4.2 ms at 80 MHz "
                 f"are 336,000; the time {faster}: {core['latency_us'] / 1000:.2f} ms at "
                 f"{core['fmax_usable_mhz']:.0f} MHz on {_TARGET}. ROM and RAM are "
                 f"{core['bram']:.0f} block RAMs, the multipliers {core['dsp']:.0f} blocks."]
    if crt:
        says += [f"With CRT, 2048 bits take {crt['cycles_compute']:,.0f} clocks, where the paper's "
                 f"8.9 ms are 712,000: {crt['latency_us'] / 1000:.2f} ms at "
                 f"{crt['fmax_usable_mhz']:.0f} MHz, with {crt['bram']:.0f} block RAMs."]
    return " ".join(says) or None


_JUDGES: dict[str, Callable[[_Measured], str | None]] = {
    "satzoda_mmm_mx": _satzoda, "zhang_multi_step": _zhang, "song_single_dsp": _song,
    "morales_dsp_systolic": _morales, "nozaki_cox_rower": _nozaki}
