"""Compares the claim of each paper with the measurements, in a few sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..outcome import Status
from ..table import text

if TYPE_CHECKING:
    import pandas

__all__ = ["claim"]

_NOTHING = "Nothing of it has been measured here yet."
#: Target whose frequencies are compared: the largest device, on which most cores were placed.
_TARGET = "ecp5-85k"


def claim(source: str, points: pandas.DataFrame) -> str:
    """Return a sentence or two on whether the claim of a paper holds for measured medians.

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
    placed = points[(points["status"] == Status.OK) & (points["target"] == _TARGET)]
    return judge(placed) or _NOTHING


def _best(points: pandas.DataFrame, column: str, *, largest: bool = False,
          **wanted: Any) -> dict[str, Any] | None:
    for name, value in wanted.items():
        if name not in points:
            return None
        points = points[points[name] == value]
    points = points[points[column].notna()] if len(points) else points
    if points.empty:
        return None
    index = points[column].idxmax() if largest else points[column].idxmin()
    return points.loc[index].to_dict()


def _satzoda(points: pandas.DataFrame) -> str | None:
    fast = _best(points, "fmax_usable_mhz", largest=True, arch="mmm_mx_1d", width=1024)
    drawn = _best(points, "fmax_usable_mhz", largest=True, arch="mmm_mx_1d", width=1024,
                  param_arrangement="row")
    other = _best(points, "fmax_usable_mhz", largest=True, arch="mmm_op_1d", width=1024)
    if fast is None or drawn is None or other is None:
        return None
    clock = fast["fmax_usable_mhz"] / other["fmax_usable_mhz"]
    rate = fast["throughput_mbps"] / other["throughput_mbps"]
    return (f"The paper has Design 2 run at three times the clock of Optimized, with 1.5 times its "
            f"throughput. Here, where the processing elements of both find q one for the next, its "
            f"clock is {clock:.2f} times as high ({fast['fmax_usable_mhz']:.0f} MHz folded, "
            f"{drawn['fmax_usable_mhz']:.0f} as drawn, against {other['fmax_usable_mhz']:.0f}; "
            f"1024 bits, {_TARGET}) and its throughput {rate:.2f} times: the claim does not "
            f"reproduce. What does is its area, the smallest: {fast['lut']:.0f} LUT4 folded "
            f"against {other['lut']:.0f}.")


def _zhang(points: pandas.DataFrame) -> str | None:
    same = _best(points, "latency_us", arch="multi_step", width=256, param_steps=16)
    best = _best(points, "latency_us", arch="multi_step", width=256)
    if same is None or best is None:
        return None
    return (f"The 16 clocks of iterations reproduce at 16 steps a clock (17 where nothing is "
            f"subtracted in the end, since R is larger), and take {same['lut']:,.0f} LUT4 where "
            f"the paper has 17,161 ALUTs; from the last operand word to the first of the result a "
            f"product takes {same['cycles_compute']:.0f} clocks. More steps do not make it faster "
            f"without end: {same['latency_us']:.3f} µs at 16, against {best['latency_us']:.3f} at "
            f"{text(best['param_steps'])} (256 bits, {_TARGET}; the paper: 0.208 on a Stratix "
            "III).")


def _song(points: pandas.DataFrame) -> str | None:
    core = _best(points, "latency_us", arch="single_dsp", kind="exponentiator", width=2048,
                 param_processors=1)
    if core is None:
        return None
    ratio = core["cycles_compute"] / 123_940_864
    return (f"One DSP block and one block RAM are enough: {core['dsp']:.0f} and {core['bram']:.0f} "
            f"here, with {core['lut']:.0f} LUT4. The clocks of a 2048-bit exponentiation in the "
            f"worst case are {ratio:.3f} of those in Table III.")


def _morales(points: pandas.DataFrame) -> str | None:
    core = _best(points, "latency_us", arch="dsp_systolic", kind="multiplier", width=1024,
                 param_quotient="plain")
    if core is None:
        return None
    return (f"The number of blocks reproduces, with one digit more for a modulus of all 1024 bits: "
            f"{core['dsp']:.0f} of them against 66. Dependent products are "
            f"{core['cycles_interval']:.0f} clocks apart where a result goes in again from "
            f"outside, at {core['fmax_usable_mhz']:.0f} MHz on {_TARGET}; the paper's 194 are for "
            "digits that go in again while the last ones are on their way.")


def _nozaki(points: pandas.DataFrame) -> str | None:
    says = []
    core = _best(points, "latency_us", arch="cox_rower", kind="exponentiator", width=1024,
                 param_rowers=11)
    if core is not None:
        faster = "reproduces" if core["latency_us"] <= 4200 else "does not reproduce on an FPGA"
        says += [f"RSA of 1024 bits without CRT on 11 Rowers takes {core['cycles_compute']:,.0f} "
                 "clocks here from the last digit to the first, where the paper's 4.2 ms at 80 MHz "
                 f"are 336,000; the time {faster}: {core['latency_us'] / 1000:.2f} ms at "
                 f"{core['fmax_usable_mhz']:.0f} MHz on {_TARGET}. ROM and RAM are "
                 f"{core['bram']:.0f} block RAMs, the multipliers {core['dsp']:.0f} blocks."]
    crt = _best(points, "latency_us", arch="cox_rower", kind="rsa_crt", width=2048,
                param_rowers=11)
    if crt is not None:
        says += [f"With CRT, 2048 bits take {crt['cycles_compute']:,.0f} clocks, where the paper's "
                 f"8.9 ms are 712,000: {crt['latency_us'] / 1000:.2f} ms at "
                 f"{crt['fmax_usable_mhz']:.0f} MHz, with {crt['bram']:.0f} block RAMs."]
    return " ".join(says) or None


_JUDGES: dict[str, Callable[[Any], str | None]] = {
    "satzoda_mmm_mx": _satzoda, "zhang_multi_step": _zhang, "song_single_dsp": _song,
    "morales_dsp_systolic": _morales, "nozaki_cox_rower": _nozaki}
