"""Words of code of an engine for points: what it does in a slot."""

from amaranth.lib import data, enum

__all__ = ["MOST_WAIT", "Control", "Source", "code_layout"]

#: Idle slots after a word, at most.
MOST_WAIT = 63


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
    ``a_digit``              a is in the table, at the digit; in a ladder: a and b are the numbers
                             that differ in the lowest bit, if the digit is not the one before.
                             ``d_turn``: d is in the table, at the outer counter
    ``has_a``, ``has_b``     the sum is of these, and of 0 in place of another
    ``negative``, ``signed``  subtract a; if the digit is negative
    ``row``                  row that is added to the sum; with ``signed``, if it is negative
    ``conditional``          leave a out, unless the sum captured last was negative
    ``twice``                b counts twice
    ``captures``             keep whether the sum is negative, for the slot after the next one
    ``checks``               unless it is, the operation fails
    ``shifts``               take a bit of the digit from the sum, for the slot after the next one
    ``product``, ``key``, ``sends``  words go to a multiplier, so many of the row as a says are
                             their key, or a goes out
    ``source``               what is written
    ``wait``                 idle slots that follow
    ``control``, ``inner``   what is done with which counter, the value and the place in the code to
                             go to being those of ``a`` to ``d_turn``
    ``squares``              the multiplier that got words last squares its product as often as a
                             and b say
    =======================  =======================================================================
    """
    return data.StructLayout({
        "a": 6, "b": 6, "d": 6, "a_digit": 1, "d_turn": 1,
        "has_a": 1, "has_b": 1, "negative": 1, "signed": 1, "row": 4, "conditional": 1, "twice": 1,
        "captures": 1, "checks": 1, "shifts": 1, "product": 1, "key": 1, "sends": 1,
        "source": Source, "wait": range(MOST_WAIT + 1), "control": Control, "inner": 1,
        "squares": 1})
