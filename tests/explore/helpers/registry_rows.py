"""Made-up rows of the cores that there are, for tests that need many of them.

Such tests do not depend on what happens to have been measured among the committed results.
"""

import random

from measurements import row

from explore.data.rows import sealed
from explore.points.expand import expand

__all__ = ["TARGETS", "WIDTHS", "registry_rows"]

TARGETS = ("ecp5-85k", "ice40-hx8k")
WIDTHS = (32, 64, 256, 1024)
_SEED = 1985


def _points():
    yield from expand([], WIDTHS, targets=TARGETS)
    for archs, widths, params in (
            (["multi_step"], [256], {"steps": [4, 8, 16]}),
            (["mmm_mx_1d"], [1024], {"arrangement": ["row"]}),
            (["single_dsp"], [256], {"word_width": [8, 16]}),
            (["exponentiation.generic", "exponentiation.dsp_systolic"], [256], {}),
            (["exponentiation.single_dsp"], [1024, 2048], {}),
            (["exponentiation.cox_rower", "rsa_crt.cox_rower"], [1024, 2048], {"rowers": [11]})):
        yield from expand(archs, widths, params, targets=TARGETS[:1])


def registry_rows():
    """Return rows of every multiplier on two targets, and on one of what papers are judged by.

    Each point has three seeds; a few of them failed, or all. Figures are random, and the same each
    time.
    """
    rng = random.Random(_SEED)
    found = []
    for index, point in enumerate(_points()):
        params = {name: value for name, value in point.params if name != "width"}
        lut = round(point.width * rng.uniform(2, 30))
        fmax, clocks = rng.uniform(50, 300), round(point.width * rng.uniform(0.2, 3))
        if point.kind != "multiplier":
            clocks *= 2 * point.width
        blocks = {"dsp": rng.choice((0, 0, 1, 18)), "bram": rng.choice((0, 1, 2, 5)),
                  "cycles_compute": clocks, "cycles_interval": clocks + rng.randrange(40)}
        for seed in (1, 2, 3):
            # On the second target only, so that claims have something to go by.
            status = "ok"
            if point.target != TARGETS[0] and index % 7 == 0:
                status = "no_fit" if index % 4 == 1 else "timeout" if seed == 2 else "ok"
            made = row(point.arch, point.width, point.target, seed, status, lut=lut, params=params,
                       fmax=fmax * rng.uniform(0.9, 1.1), options=dict(point.options))
            made |= blocks | {"kind": point.kind}
            if status == "ok":
                latency = clocks / made["fmax_usable_mhz"]
                made |= {"latency_us": latency, "lut_us": lut * latency, "throughput_mbps": (
                    point.width * made["fmax_usable_mhz"] / made["cycles_interval"])}
            found.append(sealed(made))
    return found
