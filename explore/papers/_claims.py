"""Judges the claims of the papers by the measurements, each with both figures."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..devices import targets
from ..outcome import Status
from ..points.point import full_name
from ..table import Cell, Head, Table

if TYPE_CHECKING:
    import pandas

__all__ = ["claims"]

#: Target whose frequencies are compared: the largest device, on which most cores were placed.
_TARGET = "ecp5-85k"
#: A figure that is worse by at most this factor reproduces.
_TOLERANCE = 1.1

Point = dict[str, Any]


def claims(source: str, points: pandas.DataFrame) -> Table | None:
    """Return the table of the claims of a paper: its figure, the measured one, and the verdict.

    A claim that needs what was not measured has the command that measures it as its remark. The
    result is None if the source, a module of :mod:`explore.papers`, makes no claim, or none can be
    judged by the medians.
    """
    found = [each.judged(points) for each in _CLAIMS.get(source, ())]
    if all(row[2] is None for row in found):
        return None
    return Table(
        caption=f"Claims of the paper. A figure that is at most {_TOLERANCE:.2g} times as bad "
                "reproduces. Times and clocks are on other silicon than the paper's.",
        columns=[Head(name="claim", title="Claim", numeric=False),
                 Head(name="theirs", title="Paper"), Head(name="ours", title="Here"),
                 Head(name="unit", title="Unit", numeric=False),
                 Head(name="where", title="Measured on", numeric=False),
                 Head(name="verdict", title="Reproduces", numeric=False),
                 Head(name="remark", title="Remark", numeric=False)],
        rows=found)


@dataclasses.dataclass(frozen=True)
class _Core:
    """What a claim is about; parameters that are not named may be any.

    If there are several such points, it is the one with the shortest latency, and of those that
    were not placed, the one with the fewest LUTs.
    """

    arch: str
    width: int
    params: tuple[tuple[str, Any], ...] = ()
    kind: str = "multiplier"
    target: str = _TARGET

    def among(self, points: pandas.DataFrame) -> Point | None:
        wanted = {"arch": self.arch, "kind": self.kind, "width": self.width,
                  "target": self.target,
                  **{f"param_{name}": value for name, value in self.params}}
        for name, value in wanted.items():
            points = points[points[name] == value] if name in points else points[:0]
        points = points[points["status"].isin([str(Status.OK), str(Status.AREA_ONLY)])]
        if points.empty:
            return None
        timed = points["latency_us"].notna().any()
        return points.loc[points["latency_us" if timed else "lut"].idxmin()].to_dict()

    @property
    def mark(self) -> tuple[str, str, int, str]:
        """What rows that were not chosen are known by."""
        return self.kind, self.arch, self.width, self.target

    @property
    def command(self) -> str:
        """The sweep that measures it."""
        form = "".join(f"-p {name}={value} " for name, value in self.params)
        return (f"montgomery sweep -a {full_name(self.kind, self.arch)} -n {self.width} {form}"
                f"-t {self.target}")


@dataclasses.dataclass(frozen=True)
class _Claim:
    """A claim with a number: the paper's, and a function of the points of ``cores`` for ours.

    With ``more_is_better`` it holds for larger figures as well, and not for smaller ones.
    """

    says: str
    theirs: float
    unit: str
    ours: Callable[..., float]
    cores: tuple[_Core, ...]
    more_is_better: bool = False
    remark: str = ""

    def judged(self, points: pandas.DataFrame) -> list[Cell]:
        found = [core.among(points) for core in self.cores]
        lacking = [core for core, point in zip(self.cores, found, strict=True) if point is None]
        if lacking:
            left_out = points.attrs.get("left_out", ())
            unknown = [core.command for core in lacking if core.mark not in left_out]
            return [self.says, self.theirs, None, self.unit, None,
                    "not measured yet" if unknown else "not among the rows chosen",
                    "; ".join(dict.fromkeys(unknown))]
        ours = self.ours(*found)
        ratio = self.theirs / ours if self.more_is_better else ours / self.theirs
        return [self.says, self.theirs, ours, self.unit,
                ", ".join(dict.fromkeys(core.target for core in self.cores)),
                "yes" if ratio <= _TOLERANCE else "no", self.remark]


def _column(name: str, factor: float = 1.0) -> Callable[[Point], float]:
    return lambda point: factor * point[name]


def _ratio(name: str) -> Callable[[Point, Point], float]:
    return lambda one, other: one[name] / other[name]


def _slices(point: Point) -> float:
    return targets()[point["target"]].family.slices(point)


def _busy(point: Point) -> float:
    """Return the percentage of clocks in which the multiplier of a core of one block is used."""
    digits = -(-(point["width"] + 3) // 17)
    return 100 * digits * (2 * digits + 1) / point["cycles_interval"]


def _satzoda() -> tuple[_Claim, ...]:
    row = _Core("mmm_mx_1d", 1024, (("arrangement", "row"),))
    rival = _Core("mmm_op_1d", 1024)
    ring = _Core("mmm_mx_1d", 1024, (("arrangement", "folded"),))
    area = tuple(dataclasses.replace(core, target="xc2v") for core in (row, rival))
    arrays = _Core("mmm_mx_2d", 32), _Core("mmm_op_2d", 32)
    clock, faster = _ratio("fmax_usable_mhz"), "times"
    found = "here the elements of both find q one for the next, so that both are fast"
    return (
        _Claim("Table I, Design 2 against Optimized, 1024 bits, clock", 386.84 / 129.10, faster,
               clock, (row, rival), True, found),
        _Claim("Table I, the same, throughput", 193.42 / 129.00, faster,
               _ratio("throughput_mbps"), (row, rival), True),
        _Claim("Table I, the same, area", 2947 / 3611, faster, _ratio("lut"), area,
               remark="the paper counts slices, and yosys LUTs"),
        _Claim("Table I, the same, for the row folded to a ring, which takes the same clocks",
               2947 / 3611, faster, _ratio("lut"), (ring, rival)),
        _Claim("Table I, Design 2, slices", 2947, "", _slices, area[:1],
               remark="here an estimate, as if all slices were full; the paper's result stays in "
                      "carry-save form"),
        _Claim("Table II, Design 1 against Optimized, clock (the paper: 128 bits, here: 32)",
               358.17 / 168.70, faster, clock, arrays, True,
               "here all are limited by the clock network"),
        _Claim("Table II, the same, area", 44330 / 48767, faster, _ratio("lut"), arrays))


def _zhang() -> tuple[_Claim, ...]:
    steps = _Core("multi_step", 256, (("steps", 16),))
    return (
        _Claim("A product of 256 bits, 16 iterations a clock", 16, "clocks",
               _column("cycles_compute"), (steps,),
               remark="the iterations take 16 clocks here as well, 17 where nothing is subtracted "
                      "in the end; the rest is from the last operand word to the iterations, and "
                      "from there to the first word of the result"),
        _Claim("Its time", 0.208, "µs", _column("latency_us"), (steps,),
               remark="the paper's is on a Stratix III"),
        _Claim("Its area", 17161, "LUTs", _column("lut"),
               (dataclasses.replace(steps, target="cyclonev"),),
               remark="Cyclone V stands for Stratix III"),
        _Claim("Time at 16 iterations a clock, against the best number of them", 1.0, "times",
               _ratio("latency_us"), (steps, _Core("multi_step", 256))),
        _Claim("A scalar multiplication of 3,650 products", 0.76, "ms",
               lambda point: 3.65 * point["cycles_interval"] / point["fmax_usable_mhz"],
               (steps,), remark="here with words in and out, and without additions"))


def _song() -> tuple[_Claim, ...]:
    form = (("method", "binary"), ("processors", 1))
    core = _Core("single_dsp", 2048, form, "exponentiator")
    own = dataclasses.replace(core, target="xc6v")
    array = tuple(_Core("single_dsp", 512, (("processors", number),), "exponentiator")
                  for number in (16, 1))
    product = _Core("single_dsp", 2048, (("word_width", 17),))
    return (
        _Claim("DSP blocks", 1, "", _column("dsp"), (core,)),
        _Claim("Block RAMs", 1, "", _column("bram"), (core,)),
        _Claim("Table II, slices", 180, "", _slices, (own,),
               remark="here an estimate, as if all slices were full"),
        _Claim("Table III, clocks of an exponentiation of 2048 bits", 123_940_864, "",
               _column("cycles_compute"), (core,)),
        _Claim("Table III, its time", 277.26, "ms", _column("latency_us", 1e-3), (core,),
               remark="the paper's Virtex-6 runs at 447 MHz, and an ECP5 at half of that"),
        _Claim("Figure 3, clocks in which the multiplier is used, 2048 bits", 97, "%", _busy,
               (product,), True),
        _Claim("Table VI, area of 16 processors against one", 16, "times", _ratio("lut"), array))


def _morales() -> tuple[_Claim, ...]:
    plain = (("quotient", "plain"), ("digit_width", 16))
    core = _Core("dsp_systolic", 1024, plain)
    whole = _Core("dsp_systolic", 1024, plain, "exponentiator")
    own, own_whole = (dataclasses.replace(each, target="xc7") for each in (core, whole))
    return (
        _Claim("Table 2, DSP blocks for 1024 bits", 66, "", _column("dsp"), (core,),
               remark="here a digit more lets the modulus have all 1024 bits"),
        _Claim("Table 2, clocks between dependent products", 194, "",
               _column("cycles_interval"), (core,),
               remark="here a result has left the array before it goes in again"),
        _Claim("Table 2, clock", 100, "MHz", _column("fmax_usable_mhz"), (core,), True),
        _Claim("Table 2, LUTs on an Artix-7", 6736, "", _column("lut"), (own,)),
        _Claim("Table 5, clocks of an exponentiation of 1024 bits", 397_700, "",
               _column("cycles_compute"), (whole,)),
        _Claim("Table 5, LUTs of the exponentiator on an Artix-7", 7587, "", _column("lut"),
               (own_whole,)))


def _nozaki() -> tuple[_Claim, ...]:
    def core(width: int, kind: str) -> _Core:
        return _Core("cox_rower", width, (("rowers", 11),), kind)

    def times(width: int, kind: str, milliseconds: float) -> tuple[_Claim, _Claim]:
        name = f"RSA of {width} bits {'with' if kind == 'rsa_crt' else 'without'} CRT"
        return (_Claim(f"{name}, clocks", round(80_000 * milliseconds), "",
                       _column("cycles_compute"), (core(width, kind),)),
                _Claim(f"{name}, time", milliseconds, "ms", _column("latency_us", 1e-3),
                       (core(width, kind),)))

    return (*times(1024, "exponentiator", 4.2), *times(1024, "rsa_crt", 2.4),
            *times(2048, "exponentiator", 29.2), *times(2048, "rsa_crt", 8.9),
            *times(4096, "rsa_crt", 60.4),
            _Claim("CRT shortens RSA of 2048 bits", 29.2 / 8.9, "times",
                   lambda plain, crt: plain["latency_us"] / crt["latency_us"],
                   (core(2048, "exponentiator"), core(2048, "rsa_crt")), True))


_CLAIMS = {"satzoda_mmm_mx": _satzoda(), "zhang_multi_step": _zhang(),
           "song_single_dsp": _song(), "morales_dsp_systolic": _morales(),
           "nozaki_cox_rower": _nozaki()}
