"""Words of code of an engine for scalar multiplication: what it does in a slot."""

from amaranth.lib import data, enum

from ..points.assembler import assemble
from ..points.listing import Operation, parse
from .point_layout import FREE

__all__ = ["Control", "Source", "code_layout", "segment"]

#: Idle slots after a word, at most.
_MOST = 63


class Source(enum.IntEnum):
    """What is written in a slot."""

    NOTHING, SUM, PRODUCT, INPUT = range(4)


class Control(enum.IntEnum):
    """What a word does with a counter: nothing, give it a value, or count and go back."""

    NONE, SET, LOOP = range(3)


def code_layout():
    """Return the layout of a word of code.

    =======================  =======================================================================
    field                    what it says of its slot
    =======================  =======================================================================
    ``a``, ``b``             numbers that are read
    ``d``                    number that is written
    ``a_digit``              a is in the table, at the digit; ``d_turn``: d, at the outer counter
    ``has_a``, ``has_b``     the sum is of these, and of 0 in place of another
    ``negative``, ``signed``  subtract a; if the digit is negative
    ``conditional``          leave a out, unless the sum captured last was negative
    ``twice``                b counts twice
    ``corrects``             the sum is brought below the bound
    ``captures``             keep whether the sum is negative
    ``checks``               unless it is, the operation fails
    ``shifts``               take a bit of the digit from the sum
    ``product``, ``key``, ``sends``  words go to the multiplier, as its key, or out
    ``source``               what is written
    ``wait``                 idle slots that follow
    ``control``, ``inner``   what is done with which counter, the value and the place in the code to
                             go to being those of ``a`` to ``d_turn``
    =======================  =======================================================================
    """
    return data.StructLayout({
        "a": 6, "b": 6, "d": 6, "a_digit": 1, "d_turn": 1,
        "has_a": 1, "has_b": 1, "negative": 1, "signed": 1, "conditional": 1, "twice": 1,
        "corrects": 1, "captures": 1, "checks": 1, "shifts": 1, "product": 1, "key": 1, "sends": 1,
        "source": Source, "wait": range(_MOST + 1), "control": Control, "inner": 1})


def segment(text, timing, places, inputs, outputs):
    """Return the words of a listing.

    Parameters
    ----------
    text : :class:`str`
    timing : :class:`~montgomery.points.assembler.Timing`
    places : :class:`dict` from :class:`str` to :class:`int`
        Coordinates of the multiple that the digit is, by their names as places.
    inputs, outputs : :class:`dict` from :class:`str` to :class:`int`
        Numbers of the memory.
    """
    assembled = assemble(parse(text), timing, *(
        {name: FREE.index(number) for name, number in numbers.items()}
        for numbers in (inputs, outputs)))
    slots = [{} for _ in range(assembled.clocks)]
    for issue in assembled.issues:
        line, now = issue.line, slots[issue.clock]
        a, b, target = (None if register is None else FREE[register]
                        for register in (issue.a, issue.b, issue.target))
        slots[issue.written] |= {"d": target, "source": Source.SUM}
        match line.operation:
            case Operation.PRODUCT:
                now |= {"a": a, "b": b, "product": 1}
                slots[issue.written] |= {"source": Source.PRODUCT}
            case Operation.SUM:
                now |= {"b": b, "has_b": 1, "twice": int(line.twice), "corrects": 1}
                if line.a:
                    now |= {"a": a, "has_a": 1, "negative": int(line.negative)}
            case Operation.LOAD:
                now |= {"a": places[line.place], "a_digit": 1, "has_a": 1,
                        "signed": int(line.negative), "corrects": 1}
            case operation:
                raise ValueError(f"A line must be a product, a sum or a load, not {operation}")
    return _joined(slots)


def _joined(slots):
    """Return the words, each with the idle slots behind it."""
    words = []
    for slot in slots:
        if not slot and words and words[-1].get("wait", 0) < _MOST:
            words[-1]["wait"] = words[-1].get("wait", 0) + 1
        else:
            words.append(dict(slot))
    return words
