"""Sums of which no digit is carried, and which are there earlier for that."""

from .listing import Operation

__all__ = ["loose_sums"]

#: How many results a factor may be the sum of, and how many a sum before it is carried.
_FACTOR, _SUMMED = 3, 6


def loose_sums(lines, needs, outputs):
    """Return the numbers of the lines whose sums need no carry: those that go to products and sums
    alone, and are small enough for these.

    Parameters
    ----------
    lines : list of :class:`~.listing.Line`
    needs : list of :class:`dict`
        For each line, by name of operand: the number of the line it comes from, or the input.
    outputs : iterable of :class:`str`
        Names of numbers that stay. These are carried, as inputs are.
    """
    last = {line.target: index for index, line in enumerate(lines)}
    carried = {last[name] for name in outputs if name in last}
    for line, need in zip(lines, needs, strict=True):
        if line.operation not in (Operation.PRODUCT, Operation.SHORT, Operation.SUM):
            carried |= set(need.values())
    sizes = {}
    for index, (line, need) in enumerate(zip(lines, needs, strict=True)):
        if line.operation is not Operation.SUM:
            continue
        while (size := sum(sizes.get(need[name], 1) * times for name, times in (
                (line.a, 1), (line.b, 1 + line.twice)) if name)) > _SUMMED:
            # An operand that is read early may be carried.
            del sizes[max(need.values(), key=lambda source: sizes.get(source, 1))]
        if index not in carried and size <= _FACTOR:
            sizes[index] = size
    return set(sizes)
