"""The list of operations of an RSA operation with CRT, which hardware and integer model follow."""

import dataclasses

from amaranth.lib import enum

__all__ = ["Columns", "Loop", "Place", "Row", "Step", "Unit", "crt_program", "walk"]


class Unit(enum.IntEnum):
    """What does a step."""

    #: The array takes a modulus, and all counters begin again.
    MODULUS = 0
    #: The array takes a y.
    Y = 1
    #: The array multiplies x by its y; the result is stored, and becomes y.
    PRODUCT = 2
    #: The unit for rows; see :class:`Row`.
    ROW = 3


class Row(enum.IntEnum):
    """What the unit for rows does with its number Z and a column B, digit by digit."""

    #: Z <- B
    COPY = 0
    #: Z <- Z + B
    ADD = 1
    #: Z <- Z - B; whether Z was at least B is kept.
    SUBTRACT = 2
    #: Z <- (Z + u B) / b, where u makes the lowest digit 0.
    REDUCE = 3
    #: Z <- floor((Z + h B) / b) for a digit h of the column ``exact``; the lowest digit is stored.
    MULTIPLY = 4


class Loop(enum.IntEnum):
    """When the step ``to`` is next, and what is counted at the end of the step."""

    NONE = 0
    #: While the table of powers has more entries, which are counted.
    ENTRY = 1
    #: While a digit of the exponent has more bits, of which each step takes one.
    BIT = 2
    #: While the exponent has more digits.
    DIGIT = 3
    #: If the exponent has one digit only; nothing is counted.
    ONE_DIGIT = 4
    #: While the column ``exact`` has more digits.
    ROW = 5
    #: After the first of both halves; the other one is next.
    HALF = 6
    #: While the bit of the public exponent that the step takes is 0, and not the last one.
    PUBLIC = 7
    #: While the public exponent has more bits; nothing is counted.
    MORE_PUBLIC = 8
    #: If the public exponent has one bit only; nothing is counted.
    ONE_PUBLIC = 9


@dataclasses.dataclass(frozen=True, kw_only=True)
class Place:
    """A column of the memory.

    Attributes
    ----------
    name : :class:`str`
        A pair of columns of :class:`Columns`, or ``table``.
    odd : :class:`bool`
        The second one of the pair.
    half : :class:`bool`
        The one of the factor whose turn it is or, with two arrays, of the array's factor.
    choice : :class:`bool`
        The second one if the last subtraction gave no negative number.
    index : ``None``, ``"entry"``, ``"digit"`` or 1
        Which power of the table.
    """

    name: str
    odd: bool = False
    half: bool = False
    choice: bool = False
    index: object = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Step:
    """An operation.

    Attributes
    ----------
    unit : :class:`Unit`
    source, target : :class:`Place`
    row : :class:`Row`
    loop : :class:`Loop`, to : :class:`str`
        The next step is the one with this label, or else the one that follows.
    label : :class:`str`
    first : :class:`bool`
        The first digit of the exponent is taken.
    verdict : :class:`bool`
        If the result is 0, the half has passed the check.
    shared : :class:`bool`
        With two arrays: both memories take what is found for the factor whose turn it is. The
        target is that factor's, too.
    """

    unit: Unit
    source: Place
    target: Place = Place(name="work")
    row: Row = Row.COPY
    loop: Loop = Loop.NONE
    to: str = ""
    label: str = ""
    first: bool = False
    verdict: bool = False
    shared: bool = False


class Columns:
    """Numbers of the columns of the memory.

    Of a pair for both factors, the first one belongs to p.

    Attributes
    ----------
    bits : :class:`int`
        Bits of a number.
    """

    #: Pairs. ``factor`` to ``from_q`` belong to a key; see
    #: :meth:`~montgomery.dsp_systolic.rsa_crt.Parameters.constants`. ``exact`` has h and the result
    #: modulo q; ``total`` the upper half of the result, and the lower one; ``message`` likewise.
    PAIRS = ("factor", "scaled", "squared_r", "one", "minus_one", "leaves", "from_q", "exact",
             "reduced", "total", "message", "work", "power")

    def __init__(self, window):
        self.bits = max(window, 5) + 1
        self._base = 1 << (self.bits - 1)

    def base(self, name):
        """Return the number of the first column of a pair."""
        return 0 if name == "table" else self._base + 2 * self.PAIRS.index(name)

    def number(self, place, *, half=0, choice=0, entry=0, digit=0):
        """Return the column of a :class:`Place`."""
        index = {None: 0, "entry": entry, "digit": digit}.get(place.index, place.index)
        return (self.base(place.name) + place.odd + (half if place.half else 0)
                + (choice if place.choice else 0) + index)


def _place(name, **kwargs):
    return Place(name=name, **kwargs)


def _of_half(name):
    return _place(name, half=True)


_WORK, _OTHER = _place("work"), _place("work", odd=True)
_RESULT, _BASE = _place("power"), _place("power", odd=True)
_REDUCED = _place("reduced")


def _product(x, target, **kwargs):
    return Step(unit=Unit.PRODUCT, source=x, target=target, **kwargs)


def _y(source):
    return Step(unit=Unit.Y, source=source)


def _row(row, source, target=_WORK, **kwargs):
    return Step(unit=Unit.ROW, row=row, source=source, target=target, **kwargs)


def _conversion(number, by, target):
    """A number of two columns times ``by``, modulo the factor: high R**2 and low R are added."""
    squared = _of_half("squared_r")
    return [_y(squared), _product(_place(number), _OTHER), _product(squared, _OTHER),
            _y(squared), _product(_place(number, odd=True), _WORK),
            _row(Row.COPY, _WORK), _row(Row.ADD, _OTHER, _WORK),
            _y(by), _product(_WORK, target)]


def _exact(rows, target, **kwargs):
    """Bring Z below the factor: Z / b**rows modulo it."""
    factor = _of_half("factor")
    return [*[_row(Row.REDUCE, factor, _REDUCED)] * rows,
            _row(Row.SUBTRACT, factor, _place("reduced", odd=True)),
            _row(Row.COPY, _place("reduced", choice=True), target, **kwargs)]


def crt_program(*, window, scaled, rows, check, arrays):
    """Return the list of steps.

    First q, then p: the message modulo the factor, the powers up to 2**window - 1, and the private
    exponent by windows. The result modulo q leaves Montgomery's domain; that modulo p leaves it as
    h = (s_p - s_q) / q. Then s = s_q + h q, and of each factor s**e is compared with the message.

    With two arrays both factors have their turn at once, each in an array and a memory of its own.
    Only the step from which h comes is done twice: for s_q, and with that for h. Both memories take
    s_q, h and s from one place, and what s**e is compared with is the message that q had: if a
    fault were in what one half alone has, the check would pass if it had that too.

    Parameters
    ----------
    window : :class:`int`
    scaled : :class:`bool`
        The array takes another column than the factor.
    rows : :class:`int`
        Steps of an exact reduction.
    check : :class:`bool`
    arrays : :class:`int`
        1 or 2.
    """
    both = arrays == 2
    modulus = Step(unit=Unit.MODULUS, source=_of_half("scaled" if scaled else "factor"))
    one, digit = _of_half("one"), _place("table", index="digit")
    steps = [
        dataclasses.replace(modulus, label="half"),
        *_conversion("message", one, _place("table", index=1))]
    if window > 1:
        steps.append(_product(_place("table", index=1), _place("table", index="entry"),
                              loop=Loop.ENTRY, to="entry", label="entry"))
    steps += [
        _row(Row.COPY, one, _place("table"), first=True),
        _row(Row.COPY, digit, _RESULT),
        dataclasses.replace(_y(_RESULT), loop=Loop.ONE_DIGIT, to="leave"),
        _product(_RESULT, _RESULT, loop=Loop.BIT, to="square", label="square"),
        _product(digit, _RESULT, loop=Loop.DIGIT, to="square"),
        _product(_of_half("leaves"), _WORK, label="leave"),
        # Modulo q from_q is 0, so that what was in the other column does not matter.
        dataclasses.replace(_y(_of_half("from_q")), label="join"),
        _product(_place("exact", odd=True), _OTHER),
        _row(Row.COPY, _WORK), _row(Row.ADD, _OTHER, _REDUCED),
        *_exact(rows, _of_half("exact"), loop=Loop.HALF, to="join" if both else "half",
                shared=both),
        _row(Row.COPY, _place("exact", odd=True)),
        _row(Row.MULTIPLY, _place("factor", odd=True), _place("total"), loop=Loop.ROW,
             to="row", label="row", shared=both)]
    if check:
        message = [_place("message"), _place("message", odd=True)]
        last = {} if both else {"loop": Loop.HALF, "to": "check"}
        steps += [
            *(_row(Row.COPY, half, half, shared=True) for half in message if both),
            dataclasses.replace(modulus, label="check"),
            *_conversion("total", one, _RESULT),
            _row(Row.COPY, _RESULT, _BASE, loop=Loop.ONE_PUBLIC, to="compare"),
            _product(_RESULT, _RESULT, loop=Loop.PUBLIC, to="public", label="public"),
            _product(_BASE, _RESULT, loop=Loop.MORE_PUBLIC, to="public"),
            dataclasses.replace(_conversion("message", _of_half("minus_one"), _WORK)[0],
                                label="compare"),
            *_conversion("message", _of_half("minus_one"), _WORK)[1:],
            _row(Row.COPY, _WORK), _row(Row.ADD, _RESULT, _REDUCED),
            *_exact(rows, _OTHER, verdict=True, **last)]
    return steps


def walk(steps, digits, public, *, window, exact_digits):
    """Yield each step that is done, with the numbers that places depend on.

    Parameters
    ----------
    steps : list of :class:`Step`
    digits : pair of lists
        Those of the exponents for p and for q, the highest one first; with two arrays, twice a list
        of pairs.
    public : list of :class:`int`
        Bits of the public exponent after the first one.
    window, exact_digits : :class:`int`
        Bits of a digit; digits of a column.

    Yields
    ------
    :class:`Step`, :class:`dict`
        And half, entry, digit and row, by their names.
    """
    labels = {step.label: index for index, step in enumerate(steps) if step.label}
    half, index = 1, 0
    entry = bit = row = digit = 0
    left, bits = [], []
    while index < len(steps):
        step = steps[index]
        if step.unit is Unit.MODULUS:
            entry, bit, row, left, bits = 2, 0, 0, list(digits[half]), list(public)
        if step.first:
            digit = left.pop(0)
        upcoming = left[0] if left else 0
        if step.loop is Loop.PUBLIC:
            taken = bits.pop(0)
        yield step, {"half": half, "entry": entry, "digit": digit, "row": row}
        jumps = False
        match step.loop:
            case Loop.ENTRY:
                jumps, entry = entry != (1 << window) - 1, entry + 1
            case Loop.BIT:
                jumps, bit = bit != window - 1, (bit + 1) % window
                digit = digit if jumps else upcoming
            case Loop.DIGIT:
                left.pop(0)
                jumps = bool(left)
            case Loop.ONE_DIGIT:
                jumps = not left
            case Loop.ROW:
                jumps, row = row != exact_digits - 1, row + 1
            case Loop.HALF:
                jumps, half = half == 1, half ^ 1
            case Loop.PUBLIC:
                jumps = not taken and bool(bits)
            case Loop.MORE_PUBLIC:
                jumps = bool(bits)
            case Loop.ONE_PUBLIC:
                jumps = not bits
        index = labels[step.to] if jumps else index + 1
