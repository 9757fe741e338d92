"""What the steps of a CRT do to numbers: the integer model of a lane."""

from .crt_program import Row, Unit

__all__ = ["CrtModel"]


class CrtModel:
    """The columns of a memory, and the numbers in the array and the unit for rows beside it.

    Parameters
    ----------
    params : :class:`~.rsa_crt.Parameters`
    factors, inverses : pair of :class:`int`
        p and q, and -1/p and -1/q modulo b.
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

    def do(self, step, state, half):
        """Do a step.

        Parameters
        ----------
        step : :class:`~.crt_program.Step`
        state : :class:`dict`
            See :func:`~.crt_program.walk`; ``digit`` is that of this lane.
        half : :class:`int`
            The factor of this lane now: 0 is p.

        Returns
        -------
        :class:`dict` from :class:`int` to :class:`int`
            The columns that are written.
        """
        params = self.params
        width, inner, columns = params.word_width, params.inner, params.columns

        def column(place, half):
            return columns.number(place, half=half, choice=self._choice, entry=state["entry"],
                                  digit=state["digit"])

        value = self.memory.get(column(step.source, half), 0)
        target = column(step.target, state["half"] if step.shared else half)
        match step.unit:
            case Unit.MODULUS:
                self._modulus = self._factors[half]
                return {}
            case Unit.Y:
                self._y = value
                return {}
            case Unit.PRODUCT:
                self._y = inner.product(value, self._y, self._modulus)
                return {target: self._y}
        base, low = 1 << width, {}
        match step.row:
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
                place = width * state["row"]
                digit = self.memory[columns.base("exact")] >> place & base - 1
                self.z, lowest = divmod(self.z + digit * value, base)
                before = self.memory.get(target + 1, 0) if place else 0
                low = {target + 1: before | lowest << place}
        return {target: self.z} | low
