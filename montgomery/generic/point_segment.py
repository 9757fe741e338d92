"""Words of code of a listing, with what is added to its differences so that none is negative."""

from ..points.listing import Operation, parse
from ..points.microcode import assemble
from .point_layout import FREE, MOST_WAIT, SPARE, Source

__all__ = ["differences", "segment"]

#: Numbers that one listing leaves to another are below so many multiples.
_KEPT = 8


def segment(text, layout, places, inputs, outputs):
    """Return the words of a listing.

    ``places`` are coordinates of the multiple that the digit is, by their names as places;
    ``inputs`` and ``outputs`` are numbers of the memory, by their names.

    :exc:`ValueError` says that a number may be too large.
    """
    lines = parse(text)
    rows = differences(lines, layout.ratio, outputs)
    assembled = assemble(lines, layout.timing, *(
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
                now |= {"a": a, "b": b, "product": 1, "a_digit": int(bool(line.others))}
                slots[issue.written] |= {"source": Source.PRODUCT}
            case Operation.SUM:
                now |= {"b": b, "has_b": 1, "twice": int(line.twice),
                        "a_digit": int(bool(line.others))}
                if line.a:
                    now |= {"a": a, "has_a": 1, "negative": int(line.negative)}
            case Operation.LOAD:
                now |= {"a": places[line.place], "a_digit": 1, "has_a": 1,
                        "signed": int(line.negative)}
            case operation:
                raise ValueError(f"A line must be a product, a sum or a load, not {operation}")
        now |= {"row": rows[id(line)]} if id(line) in rows else {}
    return _joined(slots)


def differences(lines, ratio, outputs):
    """Return the row that each difference needs, by the identity of its line.

    Each number is below a bound, in multiples to which the multiplier reduces. A difference has a
    multiple added that is no less than what is subtracted.

    :exc:`ValueError` says that a number may be too large.
    """
    bounds, rows = {}, {}
    for line in lines:
        a, b = (bounds.get(name, _KEPT) if name else 0 for name in (line.a, line.b))
        match line.operation:
            case Operation.PRODUCT:
                bound = a * b * ratio + 1
            case Operation.LOAD:
                bound, a = _KEPT, _KEPT
            case _:
                bound = (b << line.twice) if isinstance(b, int) else b * (1 + line.twice)
                bound += 0 if line.negative else a
        if line.negative:
            power = (-(-a // 1) - 1).bit_length()
            rows[id(line)] = power + 1
            if line.operation is Operation.SUM:
                bound += 1 << power
        if bound > 2 << SPARE:
            raise ValueError(f"Numbers must stay below {2 << SPARE} moduli, but {line.target} may "
                             f"be {float(bound):.1f}; reduce it by a product")
        bounds[line.target] = bound
    for name in set(outputs) & set(bounds):
        if bounds[name] > _KEPT:
            raise ValueError(f"{name} must be below {_KEPT} moduli, but may be "
                             f"{float(bounds[name]):.1f}; reduce it by a product")
    return rows


def _joined(slots):
    """Return the words, each with the idle slots behind it."""
    words = []
    for slot in slots:
        if not slot and words and words[-1].get("wait", 0) < MOST_WAIT:
            words[-1]["wait"] = words[-1].get("wait", 0) + 1
        else:
            words.append(dict(slot))
    return words
