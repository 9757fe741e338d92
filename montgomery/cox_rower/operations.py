"""The list of operations of a key and of a message: steps 2 to 8 of Figure 4, or 4 to 11 of 5."""

import dataclasses

from amaranth.lib import enum

__all__ = ["Operation", "Run", "Then", "Which", "operations"]


class Run(enum.IntEnum):
    """The programs of the Rowers, by number. The last two are there with CRT alone."""

    MULTIPLICATION, TO_RNS, TO_DIGITS, INVERSION, KEY, PRODUCT, MESSAGE_TO_RNS = range(7)


class Which(enum.IntEnum):
    """Which number a place stands for.

    ``FIXED`` is the one that is there; ``FACTOR`` for q the one behind it; ``POWER`` the power that
    the digit of the exponent asks for; and ``LATEST`` that of the first digit, until there is a
    result in ``y``.
    """

    FIXED, FACTOR, POWER, LATEST = range(4)


class Then(enum.IntEnum):
    """What follows an operation: the next one; the one that it names, always, or if there is a
    digit left, or none; or for p that one and for q the next one.
    """

    NEXT, JUMP, DIGITS, NO_DIGITS, FACTORS = range(5)


@dataclasses.dataclass(frozen=True)
class Operation:
    """What the Rowers do once, or several times with the same numbers.

    Attributes
    ----------
    run : :class:`Run`
    target, x, y : tuple of :class:`Which` and :class:`int`
        The places of the result and of the factors; the latter does not matter if it is not fixed
        and no factor's.
    times : :class:`int`
    last : bool
        The run ends; the next operation is of another one, or there is none yet.
    more : bool
        After this run comes another one at once.
    loads : bool
        Before a first digit: those of the exponent are wanted.
    begins : bool
        The first digit's power is the latest result.
    then : :class:`Then`
    to : :class:`str`
        The ``name`` of an operation, for ``then``.
    name : :class:`str`
        Of one to which another goes.
    """

    run: Run
    target: tuple
    x: tuple
    y: tuple
    times: int = 1
    last: bool = False
    more: bool = False
    loads: bool = False
    begins: bool = False
    then: Then = Then.NEXT
    to: str = ""
    name: str = ""


def operations(at, width, *, single=False):
    """Return the list: what is done with a key, and from the one named ``message`` on with each.

    With CRT the first part is done for p and then for q, and of the second one what is from
    ``half`` to the jump back there. Nothing but which numbers are read depends on a digit.

    Parameters
    ----------
    at : :class:`~montgomery.cox_rower.places.Places`
    width : :class:`int`
        Bits r of a residue.
    single : bool
        The key is one without CRT, also where the places are those with it: there, messages and
        sums have twice as many digits, and N is added to the result, which then is below 3N. Names
        begin with ``single``, so that both lists may be in one memory.
    """
    crt, window = at.crt and not single, at.window
    conversions = at.conversions if crt else at.single_conversions

    def fixed(place):
        return Which.FIXED, place

    def of_factor(place):
        return (Which.FACTOR if crt else Which.FIXED), place

    y, power, latest = fixed(at.y), (Which.POWER, 0), (Which.LATEST, 0)
    x, inverse = fixed(at.powers + 1), fixed(at.inverse)
    found = []

    def put(run, target, x, y=None, **more):
        found.append(Operation(run, target, x, x if y is None else y, **more))

    # -- A key: digits to residues, N**-1, the constants; with CRT B**3.
    for source, target in conversions:
        is_last = (source, target) == conversions[-1]
        put(Run.TO_RNS, of_factor(target), fixed(source), last=is_last, more=is_last,
            name="" if found else "key")
    put(Run.INVERSION, inverse, fixed(at.unit))
    put(Run.INVERSION, inverse, inverse, times=width - 2)
    put(Run.INVERSION, inverse, inverse, last=True, more=True)
    put(Run.KEY, of_factor(at.key), inverse, last=True, more=crt)
    if crt:
        put(Run.MULTIPLICATION, of_factor(at.square), of_factor(at.square), last=True,
            then=Then.FACTORS, to="key")

    # -- A message: to residues and into Montgomery's form.
    put(Run.MESSAGE_TO_RNS if at.crt else Run.TO_RNS, fixed(at.powers) if crt else y,
        fixed(at.digits), last=True, more=True, loads=True, name="message")
    if crt:
        put(Run.MULTIPLICATION, y, fixed(at.powers), fixed(at.unit), name="half")
    # -- Figure 3: the powers, and for each digit but the first squares and a product.
    begin = {"begins": True, "then": Then.NO_DIGITS, "to": "leave"}
    put(Run.MULTIPLICATION, x, y, of_factor(at.square), **(begin if window == 1 else {}))
    for index in range(1, (1 << window) - 1):
        put(Run.MULTIPLICATION, fixed(at.powers + 1 + index), fixed(at.powers + index), x,
            **(begin if index == (1 << window) - 2 else {}))
    put(Run.MULTIPLICATION, y, latest, name="square")
    if window > 1:
        put(Run.MULTIPLICATION, y, y, times=window - 1)
    put(Run.MULTIPLICATION, y, y, power, then=Then.DIGITS, to="square")
    # -- Out of Montgomery's form, with CRT times the inverse of the other factor; and to digits.
    if crt:
        put(Run.MULTIPLICATION, of_factor(at.t), latest, of_factor(at.other), last=True, more=True,
            loads=True, then=Then.FACTORS, to="half", name="leave")
        put(Run.PRODUCT, fixed(at.t), fixed(at.t), fixed(at.factor + 1))
        put(Run.PRODUCT, y, y, fixed(at.factor), last=True, more=True)
    else:
        put(Run.MULTIPLICATION, y, latest, fixed(at.unit), last=True, more=True, name="leave")
    added = fixed(at.t if crt else at.factor) if at.crt else y
    put(Run.TO_DIGITS, y, y, added, last=True, then=Then.JUMP, to="message")
    if single:
        found = [dataclasses.replace(each, **{
            field: value and f"single {value}" for field, value in
            (("name", each.name), ("to", each.to))}) for each in found]
    return found
