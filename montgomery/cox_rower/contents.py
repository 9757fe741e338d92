"""What each Rower has in its memory of constants, and knows of its elements."""

from .bases import carmichael
from .conversion import RadixConstants

__all__ = ["contents", "joined"]


def contents(rns, u, layout):
    """Return, for each Rower, the last three parameters of :class:`~.rower.Rower`.

    Of these bases alone: without what comes before and after.

    Parameters
    ----------
    rns : :class:`~montgomery.cox_rower.rns.Rns`
    u : :class:`int`
        Number of Rowers.
    layout : :class:`~montgomery.cox_rower.layout.Layout`
    """
    bases, n, r = rns.bases, rns.bases.n, rns.bases.r
    radix = RadixConstants(bases.a + bases.b * layout.crt, r)
    found = []
    for index in range(u):
        constants = [0] * layout.own_constants
        elements, exponents = [None] * layout.own_elements, [0] * layout.own_elements

        def put(value, step, slot, turn=0, constants=constants):
            constants[layout.own_constant(step, slot, turn)] = value

        for slot in range(n // u):
            own = index + u * slot
            for step, powers, (element, row, negated) in (
                    ("to a", "radix a", rns.b_to_a[own]), ("to b", "radix b", rns.a_to_b[own])):
                elements[layout.own_element(step, slot)] = bases.mu(element), negated
                for turn in range(n):
                    origin = _origin(index, turn, u)
                    put(row[origin], step, slot, turn)
                if layout.converts:
                    # Digits go round, and then those that follow them.
                    for turn in range((1 + layout.crt) * n):
                        above, around = divmod(turn, n)
                        put((1 << r * (above * n + _origin(index, around, u))) % element, powers,
                            slot, turn)
            put(rns.s_to_xi[own], "xi_a", slot)
            put(rns.from_xi[own], "w_a", slot)
            if not layout.converts:
                continue
            put(rns.negated_inverse_of_b_j[own], "to_xi", slot)
            put(1, "choose", slot)
            exponents[layout.own_element("choose", slot)] = carmichael(bases.b[own]) - 1
            for half, (xi, digits) in enumerate(
                    [("xi", "digits"), ("xi of b", "high digits")][:1 + layout.crt]):
                put(radix.to_xi[half * n + own], xi, slot)
                row, negated = radix.rows[half * n + own]
                elements[layout.own_element(digits, slot)] = 0, negated
                for turn in range(len(row)):
                    # Those of base a go round, and then those of base b.
                    base, around = divmod(turn, n)
                    put(row[base * n + _origin(index, around, u)], digits, slot, turn)
        found.append((constants, elements, exponents))
    return found


def joined(all_contents):
    """Return the contents for several bases, of each in turn."""
    return [tuple([value for part in parts for value in part]
                  for parts in zip(*of_rower, strict=True))
            for of_rower in zip(*all_contents, strict=True)]


def _origin(index, turn, u):
    """Return the number of the element that was first in R2 of the Rower ``turn % u`` before."""
    return (index - turn) % u + turn // u * u
