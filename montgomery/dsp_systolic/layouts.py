"""What passes between processing elements."""

from amaranth.lib import data

__all__ = ["bus_layout", "carries_layout", "parts_layout"]


def bus_layout(schedule):
    """Return what passes from one PE to the next, :attr:`~.Schedule.hop` clocks later.

    - ``digit``: a digit of x, of the quotient, or to be stored.
    - ``index``: which digit of a PE it is multiplied by: twice the place of a digit of y, and one
      more for the modulus.
    - ``first``: high as many clocks after digit 0 of y as the multiplier takes.
    - ``clear``: the sum that is found now is 0.
    - ``inner``: the sum is not that of the lowest digit of the PE.
    - ``take``: the sum is a digit of the result.
    - ``keep``: the sum becomes a digit of y.
    - ``load``: the first PE without an operand keeps ``digit``.
    - ``is_modulus``: it keeps it as a digit of the modulus, and not of y.
    - ``last_operand``: after this digit all PEs take operands again.
    """
    return data.StructLayout({
        "digit": schedule.digit_width, "index": range(2 * schedule.per_element), "first": 1,
        "clear": 1, "inner": 1, "take": 1, "keep": 1, "load": 1, "is_modulus": 1,
        "last_operand": 1})


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
