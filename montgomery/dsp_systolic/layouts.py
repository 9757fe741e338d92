"""What passes between processing elements."""

from amaranth.lib import data

__all__ = ["bus_layout", "carries_layout", "parts_layout"]


def bus_layout(schedule, *, keeps=False):
    """Return what passes from one PE to the next, :attr:`~.Schedule.hop` clocks later.

    ``digit``, a digit of x, of the quotient, or to be stored; ``index`` of the digit of y or m it
    is multiplied by, twice its place and one more for m; ``first``, as many clocks after those of
    digit 0 as the multiplier takes; ``clear``, the sum that is found now is 0; ``inner``, the sum
    is not that of the lowest digit of the PE; ``take``, it is a digit of the result; ``load``,
    ``digit`` is for the first PE that has room; ``kind``, it is of m and not of y; ``end``, after
    this digit all PEs have room again; ``keep``, if there is one, the sum becomes a digit of y.
    """
    return data.StructLayout({
        "digit": schedule.digit_width, "index": range(2 * schedule.per_element), "first": 1,
        "clear": 1, "inner": 1, "take": 1, "load": 1, "kind": 1, "end": 1}
        | ({"keep": 1} if keeps else {}))


def carries_layout(schedule):
    """Return what is carried to the next digit.

    Of the products of a digit, x_r y_k + u m_k, ``high`` is the upper digit, and ``top`` the bit
    above that. It has the weight of the digit after the next one: ``later_top`` is that of the
    digit before. ``lower`` and ``upper`` are the carries of the two additions of a digit.
    """
    return data.StructLayout({"high": schedule.digit_width, "top": 1, "later_top": 1, "lower": 1,
                              "upper": 1})


def parts_layout(schedule):
    """Return the parts of a digit of the sum: two digits and a carry."""
    return data.StructLayout({"both": schedule.digit_width, "low": schedule.digit_width,
                              "upper": 1})
