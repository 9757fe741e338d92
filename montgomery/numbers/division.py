"""Division steps, by which inverses are computed."""

from __future__ import annotations

__all__ = ["divided", "division_steps"]


def division_steps(bits: float) -> int:
    """Return how many division steps, of which the first has a delta of 1/2, end with g = 0, for f
    and g of so many bits that are not negative.

    Source: Wuille, Maxwell: Bounds on divsteps iterations in safegcd, generic formula for
    hddivsteps.
    """
    return int((45907 * bits + 30179) // 19929)


def divided(x: int, modulus: int, steps: int) -> tuple[int, int]:
    """Return f and d after so many division steps, for f = d x and g = e x modulo a modulus.

    At first f is the modulus, and g is x. Where g is 0 in the end, f is 1 or -1 if there is an
    inverse of x; d is between minus the modulus and that.
    """
    delta, f, g, d, e = 0, modulus, x, 0, 1  # delta is half below what it is in the paper
    for _ in range(steps):
        odd, multiple = g & 1, modulus if e < 0 else -modulus
        if odd and delta >= 0:
            delta, f, d, g, e = -delta, g, e, g - f, e - d
        else:
            delta, g, e = 1 + delta, g + odd * f, e + odd * d
        # The multiple keeps e between -m and m, since its sign is not that of e before.
        g, e = g >> 1, (e + (e & 1) * multiple) >> 1
    return f, d
