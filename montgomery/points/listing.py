"""Listings: straight lines of field operations, as text.

A line is one of these, with single names a and b of numbers:

======================  ============================================================================
``c = a * b``           product
``c = a * b short``     the same in less time, where a is a multiple of two digits by a power of two
                        that the engine says
``c = b + a``           sum; also ``b - a``, ``2b + a``, ``2b - a``, ``2b``, ``b``
``c = a|x * b|y``       product of a and b, or of x and y if the digit of the scalar is 1; also
                        ``c = b|y + a|x`` and ``b|y - a|x``
``c = [place]``         number from memory
``c = [place] signed``  the same, minus that if the digit of the scalar is negative
``[place] = a``         number to memory
``divide b by a``       ``[quotient]`` becomes b / a, or -b / a; it may be loaded later
``zero a``              unless a is 0, the operation fails
``send a``              a is a part of the result
======================  ============================================================================

Names may be used again; each is the number that was given to it last. What is behind ``#`` is a
comment.
"""

import dataclasses
import enum
import re

__all__ = ["Line", "Operation", "evaluate", "parse"]


class Operation(enum.Enum):
    """What a line does."""

    PRODUCT, SHORT, SUM, LOAD, STORE, DIVIDE, ZERO, SEND = range(8)


@dataclasses.dataclass(frozen=True)
class Line:
    """A line of a listing."""

    operation: Operation
    target: str = ""  # name of the result; empty if there is none
    # Operands. A sum may lack a, which is empty then and counts as 0.
    a: str = ""
    b: str = ""
    place: str = ""  # what is loaded, or stored to
    negative: bool = False  # subtract a; of a load: the sign is that of the digit
    twice: bool = False  # take two times b
    # Operands instead of a and b if the digit is 1. It is empty if there are none.
    others: tuple[str, ...] = ()

    @property
    def sources(self):
        """Names of the operands there are."""
        return tuple(filter(None, (self.a, self.b, *self.others)))


def _chosen(target, first, other_first, sign, second, other_second):
    if sign == "*":
        return Line(Operation.PRODUCT, target, first, second, others=(other_first, other_second))
    return Line(Operation.SUM, target, second, first, negative=sign == "-",
                others=(other_second, other_first))


_NAME = r"([A-Za-z]\w*)"
#: Lines as regular expressions, and what each is, of their groups.
_FORMS = tuple((re.compile(form.replace("NAME", _NAME)), line) for form, line in (
    (r"NAME = NAME \* NAME( short)?", lambda target, a, b, short: Line(
        Operation.SHORT if short else Operation.PRODUCT, target, a, b)),
    (r"NAME = (2?)NAME(?: ([+-]) NAME)?", lambda target, twice, b, sign, a: Line(
        Operation.SUM, target, a or "", b, negative=sign == "-", twice=bool(twice))),
    (r"NAME = NAME\|NAME ([*+-]) NAME\|NAME", _chosen),
    (r"NAME = \[NAME\]( signed)?", lambda target, place, signed: Line(
        Operation.LOAD, target, place=place, negative=bool(signed))),
    (r"\[NAME\] = NAME", lambda place, a: Line(Operation.STORE, a=a, place=place)),
    (r"divide NAME by NAME", lambda b, a: Line(Operation.DIVIDE, a=a, b=b)),
    (r"(zero|send) NAME", lambda word, a: Line(Operation[word.upper()], a=a))))


def parse(text):
    """Return the list of :class:`Line` of a listing.

    :exc:`ValueError` says that a line is none.
    """
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        for form, make in _FORMS:
            if found := form.fullmatch(line):
                lines.append(make(*found.groups()))
                break
        else:
            raise ValueError(f"Line {number} of a listing must have one operation of at most two "
                             f"numbers, not {line!r}; divide it into several lines")
    return lines


def evaluate(lines, numbers, memory, product, modulus, short=None):
    """Compute a listing on integers; return the numbers that must be 0, and those that are sent.

    Results are added to ``numbers``, which are by name. ``memory`` has the methods ``load(place,
    signed)``, ``store(place, number)``, and ``chooses()`` for whether the digit is 1. ``product``
    returns the product of two numbers in the field, and ``short`` that of a short product, if it is
    another.
    """
    zeros, sent = [], []
    for line in lines:
        names = line.others if line.others and memory.chooses() else (line.a, line.b)
        a, b = (numbers[name] if name else 0 for name in names)
        match line.operation:
            case Operation.PRODUCT:
                numbers[line.target] = product(a, b)
            case Operation.SHORT:
                numbers[line.target] = (short or product)(a, b)
            case Operation.SUM:
                b <<= line.twice
                numbers[line.target] = (b - a if line.negative else b + a) % modulus
            case Operation.LOAD:
                numbers[line.target] = memory.load(line.place, line.negative) % modulus
            case Operation.STORE:
                memory.store(line.place, a)
            case Operation.DIVIDE:
                memory.store("quotient", b * pow(a, -1, modulus) if a else b)
            case Operation.ZERO:
                zeros.append(a)
            case Operation.SEND:
                sent.append(a)
    return zeros, sent
