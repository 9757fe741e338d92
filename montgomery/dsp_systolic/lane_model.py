"""What steps do to numbers: the integer model of a lane."""

from ..blocks.row_unit import Row
from .lane_program import Unit

__all__ = ["LaneModel"]


class LaneModel:
    """The columns of a memory, and the numbers in the array and the unit for rows beside it.

    Parameters
    ----------
    params : :class:`~.programmed.Programmed`
    factors, inverses : list of :class:`int`
        The moduli, and -1/m modulo b of each.
    memory : :class:`dict` from :class:`int` to :class:`int`
        The key and the message, by column.

    Attributes
    ----------
    memory : :class:`dict` from :class:`int` to :class:`int`
    z : :class:`int`
        The number in the unit for rows.
    """

    def __init__(self, params, factors, inverses, memory):
        self.params, self.memory, self.z = params, dict(memory), 0
        self._factors, self._inverses = factors, inverses
        self._y = self._choice = self._modulus = 0

    def chosen(self, place):
        """Return what is at a place of which there is one for all factors."""
        return self.memory[place["column"] + place.get("choice", 0) * self._choice]

    def do(self, fields, turns, digit, half, shared_half):
        """Do a step.

        Parameters
        ----------
        fields : :class:`dict`
            Those of the step.
        turns : :class:`dict`
            The turns of loops; see :meth:`montgomery.blocks.program.Program.walk`.
        digit : :class:`int`
            The digit of the exponent.
        half, shared_half : :class:`int`
            The factor of this lane now, 0 being the first one; that of a shared target.

        Returns
        -------
        :class:`dict` from :class:`int` to :class:`int`
            The columns that are written.
        """
        params = self.params
        width, inner = params.word_width, params.inner

        def column(name, half):
            place = fields[name]
            added = {"half": half, "choice": self._choice, "entry": turns.get("entry", 0),
                     "digit": digit}
            return place["column"] + sum(added[name] for name in added if place.get(name))

        value = self.memory.get(column("source", half), 0)
        match fields["unit"]:
            case Unit.MODULUS:
                self._modulus = self._factors[half]
                return {}
            case Unit.Y:
                self._y = value
                return {}
            case Unit.PRODUCT:
                self._y = inner.product(value, self._y, self._modulus)
                return {column("target", half): self._y}
        target = column("target", shared_half if fields["shared"] else half)
        base, low = 1 << width, {}
        match fields["row"]:
            case Row.COPY:
                self.z = value
            case Row.ADD:
                self.z += value
            case Row.SUBTRACT:
                self._choice = int(self.z >= value)
                self.z = (self.z - value) % inner.r
            case Row.REDUCE:
                self.z = (self.z + self.z * self._inverses[half] % base * value) // base
            case Row.MULTIPLY:
                place = width * turns["place"]
                digit = self.memory[params.columns.number("exact")] >> place & base - 1
                self.z, lowest = divmod(self.z + digit * value, base)
                before = self.memory.get(target + 1, 0) if place else 0
                low = {target + 1: before | lowest << place}
        return {target: self.z} | low
