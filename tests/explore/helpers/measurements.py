"""Made-up rows for tests of tables and plots."""

from explore.data.columns import blank_row
from explore.data.rows import sealed

__all__ = ["row", "rows"]


def row(arch="alpha", width=64, target="ecp5-85k", seed=1, status="ok", fmax=200.0, lut=None,
        params=None, options=None):
    """Return a row whose figures follow from its arguments, with its seal."""
    lut = 10 * width if lut is None else lut
    ok = status == "ok"
    usable = min(fmax, 257.0)
    latency = width / usable
    found = blank_row() | {
        "arch": arch, "kind": "multiplier", "width": width, "params": params or {},
        "target": target, "options": options or {"weight": 10}, "seed": seed, "status": status,
        "constant_time": True, "lut": lut, "ff": lut // 2, "dsp": 0, "bram": 0,
        "constraint_mhz": 257.0, "cycles_load": 4, "cycles_compute": width, "cycles_unload": 4,
        "cycles_interval": width + 8, "cycles_initiation": width + 2,
        "key": f"{arch}{width}{target}{seed}", "log": None if ok else "first line\nlast line",
        "seconds_synth": 1.0, "host": "here", "date": "2026-01-01"}
    if ok:
        found |= {
            "fmax_mhz": fmax, "fmax_usable_mhz": usable, "latency_us": latency,
            "throughput_mbps": width * usable / (width + 8),
            "throughput_pipelined_mbps": width * usable / (width + 2),
            "lut_us": lut * latency, "seconds_place": 2.0}
    return sealed(found)


def rows():
    """Return three seeds of two architectures, one in two arrangements, on two targets."""
    return [row(arch, width, target, seed, fmax=base + seed * 7 - width / 16,
                lut=factor * width + 40, params=params)
            for target in ("ecp5-85k", "ice40-hx8k")
            for arch, base, factor, params in (("alpha", 240, 5, {"style": "plain", "word": 16}),
                                               ("alpha", 220, 8, {"style": "fancy", "word": 16}),
                                               ("beta", 190, 9, {"word": 16}))
            for width in (32, 64, 128) for seed in (1, 2, 3)]
