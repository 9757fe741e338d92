"""Steps of programs for an array with the memory and the unit for rows beside it."""

from amaranth.lib import data, enum

from ..blocks.program import Flow, Step
from ..blocks.row_unit import Row
from ..core import ceil_div

__all__ = ["Columns", "Digits", "Unit", "power", "product", "reduction",
           "row", "take_modulus", "take_y"]


class Unit(enum.IntEnum):
    """What does a step."""

    #: The array takes a modulus.
    MODULUS = 0
    #: The array takes a y.
    Y = 1
    #: The array multiplies x by its y; the result is stored, and becomes y.
    PRODUCT = 2
    #: The unit for rows; see :class:`~montgomery.blocks.row_unit.Row`.
    ROW = 3


class Digits(enum.IntEnum):
    """What happens to the digits of exponents when a step has begun, and read its source."""

    KEEP = 0
    #: All begin again with the first digit.
    REWIND = 1
    #: The next digit of the exponent.
    NEXT = 2
    #: The next bit of the public exponent.
    NEXT_PUBLIC = 3


class Columns:
    """The columns of the memory.

    The table of powers has the highest numbers, of which the lowest bits are that of the power.
    Before it come the columns of a key, without a gap, so that a counter goes through these.

    Parameters
    ----------
    window : :class:`int`
        The table has 2**window columns.
    key, others : :class:`dict` from :class:`str` to :class:`int`
        How many columns a name stands for, 1 or 2; those of a key, in order, and others. Those for
        two numbers must come first. Where there are two factors the first column of a pair belongs
        to p, the second one to q.

    Attributes
    ----------
    bits : :class:`int`
        Bits of the number of a column.
    layout : :class:`amaranth.lib.data.StructLayout`
        The place of an operand of a step: a ``column``, and what is added to it. That is, where it
        is asked for, the factor whose turn it is (``half``), 1 if the last subtraction gave no
        negative number (``choice``), the power that is computed (``entry``), or the digit of the
        exponent (``digit``).
    """

    def __init__(self, window, key, others):
        powers = 1 << window
        table = powers * ceil_div(sum(key.values()) + sum(others.values()), powers)
        self._numbers = {"table": table}
        for number, names in ((0, others), (table - sum(key.values()), key)):
            for name, size in names.items():
                self._numbers[name] = number
                number += size
        self.bits = (table + powers - 1).bit_length()
        self.layout = data.StructLayout({
            "column": self.bits, "half": 1, "choice": 1, "entry": 1, "digit": 1})

    def __contains__(self, name):
        return name in self._numbers

    def number(self, name, index=0):
        """Return the number of a column of a name, or of the table."""
        return self._numbers[name] + index

    def place(self, name, index=0, **adds):
        """Return a place, as :attr:`layout` has it."""
        return {"column": self.number(name, index)} | adds


def product(x, target, *, digits=Digits.KEEP, **flow):
    return Step(fields={"unit": Unit.PRODUCT, "source": x, "target": target, "digits": digits},
                **flow)


def take_y(source, **flow):
    return Step(fields={"unit": Unit.Y, "source": source}, **flow)


def take_modulus(source, **flow):
    """Return the step with which the work with a modulus begins."""
    return Step(fields={"unit": Unit.MODULUS, "source": source, "digits": Digits.REWIND}, **flow)


def row(operation, source, target, *, verdict=False, shared=False, **flow):
    """Return a step of the unit for rows.

    ``verdict``: if the result is 0, the factor whose turn it is has passed the check. ``shared``:
    with two arrays, both memories take what is found for that factor, at its target.
    """
    return Step(fields={"unit": Unit.ROW, "row": operation, "source": source, "target": target,
                        "verdict": int(verdict), "shared": int(shared)}, **flow)


def reduction(columns, modulus, rows):
    """Return the steps that bring Z below the modulus: Z / b**rows modulo it.

    It is in the column that is chosen from both of ``reduced``. Before the first step Z is in the
    first of them.
    """
    return [*[row(Row.REDUCE, modulus, columns.place("reduced"))] * rows,
            row(Row.SUBTRACT, modulus, columns.place("reduced", 1))]


def power(columns, window, *, one=None, every_digit=False):
    """Return the steps that raise y, which is ``table[1]``, to an exponent by fixed windows.

    The result becomes y, and the next step has to be called ``powered``. ``one`` is where 1 is in
    the Montgomery domain, unless it is in ``table[0]``. ``every_digit``: begin with 1, not with the
    power of the first digit.
    """
    table = [columns.place("table", index) for index in range(2)]
    digit, result = columns.place("table", digit=1), columns.place("power")
    first = table[0] if every_digit else digit
    steps = []
    if window > 1:
        steps.append(product(table[1], columns.place("table", entry=1), label="entry",
                             flow=Flow.REPEAT, loop="entry", to="entry"))
    if one is not None:
        steps.append(row(Row.COPY, one, table[0]))
    leave = {} if every_digit else {"flow": Flow.LEAVE, "loop": "digit", "to": "powered"}
    return [*steps,
            take_y(first, **leave),
            # The first square, of what is not yet the result. With a window of 1 it is the last.
            product(first, result, digits=Digits.KEEP if every_digit else Digits.NEXT,
                    flow=Flow.LEAVE, loop="bit", to="multiply"),
            product(result, result, label="square", flow=Flow.REPEAT, loop="bit", to="square"),
            product(digit, result, label="multiply", digits=Digits.NEXT,
                    flow=Flow.REPEAT, loop="digit", to="square")]
