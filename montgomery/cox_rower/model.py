"""What the Rowers do for a key and for a message, as integers."""

from .microcode import Adds, Digits, Run
from .rns import Residues

__all__ = ["RowerModel"]


class RowerModel:
    """The numbers in the memories of the Rowers, as integers.

    Parameters
    ----------
    rns : :class:`~montgomery.cox_rower.rns.Rns`
    at : :class:`Places`

    Attributes
    ----------
    memory : dict from :class:`int` to :class:`~montgomery.cox_rower.rns.Residues`
        Numbers by place; lists of digits where :meth:`load` has put these.
    result : list of :class:`int`
        The digits of the last result.
    """

    def __init__(self, rns, at):
        self.rns, self.at, self.memory, self.result = rns, at, {}, None
        self._bit, self._digits = rns.bases.r, []

    def load(self, first, *numbers):
        """Put digits into places from ``first`` on."""
        self.memory |= dict(enumerate(numbers, first))

    def do(self, step, turns, digits):
        """Do a step.

        Parameters
        ----------
        turns : dict from :class:`str` to :class:`int`
            As :meth:`~montgomery.blocks.program.Program.walk` gives them.
        digits : list of :class:`int`
            Those of the exponent of the current factor.
        """
        rns, memory, fields = self.rns, self.memory, step.fields
        q = turns.get("factor", 0)
        target, x, y = (self._place(fields[name], q, turns)
                        for name in ("target", "x", "y"))
        a, b, key = rns.bases.a, rns.bases.b, self.at.key + q
        x, y = memory[x], memory[y]
        match fields["run"]:
            case Run.MULTIPLICATION:
                memory[target] = rns.product(x, y, memory[key])
            case Run.TO_RNS | Run.MESSAGE_TO_RNS:
                memory[target] = rns.from_digits(x)
            case Run.TO_DIGITS:
                self.result = rns.to_digits(x, y if self.at.crt else None)
            case Run.INVERSION:
                # All square at the same time, and multiply where their own exponent has a one.
                self._bit = (self._bit or rns.bases.r) - 1
                chosen = (n if exponent >> self._bit & 1 else 1 for n, exponent in
                          zip(memory[key].b, rns.exponents, strict=True))
                memory[target] = Residues((), rns.each(b, rns.each(b, x.b, y.b), chosen))
            case Run.KEY:
                memory[target] = Residues(rns.each(a, memory[target].a, rns.s_to_xi),
                                          rns.each(b, x.b, rns.negated_inverse_of_b_j))
            case Run.PRODUCT:
                memory[target] = Residues(rns.each(a, x.a, y.a), rns.each(b, x.b, y.b))

        match fields["digits"]:
            case Digits.REWIND:
                self._digits = digits
            case Digits.NEXT:
                self._digits = self._digits[1:]

    def _place(self, field, q, turns):
        at, place = self.at, field["place"]
        match field["adds"]:
            case Adds.NOTHING:
                return place
            case Adds.FACTOR:
                return place + q
            case Adds.ENTRY:
                return place + turns["entry"]
            case Adds.RESULT if not self._digits:
                return at.y
        digit = self._digits[0]
        return at.powers + digit if digit else at.one + q
