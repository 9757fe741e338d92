"""What steps do to numbers: the integer model of lanes."""

from ..blocks.row_unit import Row
from .lane_program import Digits, Unit

__all__ = ["run"]


class _Lane:
    """The columns of a memory, and the numbers in the array and the unit for rows beside it.

    ``values`` are the parts of the key by name, and ``memory`` has the columns by number.
    """

    def __init__(self, params, values, moduli, memory):
        self.params, self.memory, self.z = params, dict(memory), 0
        self._moduli = moduli
        self._inverses = [values[f"inverse{factor}"] for factor in params.factors]
        self._y = self._choice = self._modulus = 0

    def chosen(self, place):
        """Return what is at a place of which there is one for all factors."""
        return self.memory[place["column"] + place.get("choice", 0) * self._choice]

    def do(self, fields, turns, digit, half, shared_half):
        """Do a step, and return the columns that it writes.

        ``half`` is the factor of this lane now, 0 being the first one, ``shared_half`` that of a
        shared target, and ``digit`` that of the exponent.
        """
        inner, width = self.params.inner, self.params.word_width

        def column(name, half):
            place = fields[name]
            added = {"half": half, "choice": self._choice, "entry": turns.get("entry", 0),
                     "digit": digit}
            return place["column"] + sum(added[name] for name in added if place.get(name))

        value = self.memory.get(column("source", half), 0)
        match fields["unit"]:
            case Unit.MODULUS:
                self._modulus = self._moduli[half]
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
                digit = self.memory[self.params.columns.number("exact")] >> place & base - 1
                self.z, lowest = divmod(self.z + digit * value, base)
                before = self.memory.get(target + 1, 0) if place else 0
                low = {target + 1: before | lowest << place}
        return {target: self.z} | low


def run(params, message, values, moduli, digits, walk):
    """Return the result of an operation, or None if it has not passed the check.

    ``values`` are the parts of the key by name, ``digits`` those of the exponent for each modulus,
    the highest first, and ``walk`` the steps with the turns of loops.
    """
    memory = {column: values[name] for name, column in params.key_columns.items()}
    for column in params.message_columns:
        message, memory[column] = divmod(message, params.inner.r)
    lanes = [_Lane(params, values, moduli, memory) for _ in range(params.arrays)]
    passed, digit = True, 0
    for step, turns in walk:
        fields = step.fields
        turn = 1 - turns.get("half", 1)  # the second factor has its turn first
        halves = range(2) if len(lanes) == 2 else [turn]
        digit = 0 if fields.get("digits") is Digits.REWIND else digit
        found = [lane.do(fields, turns, [*digits[half], 0][digit], half, turn)
                 for lane, half in zip(lanes, halves, strict=True)]
        digit += fields.get("digits") is Digits.NEXT
        for number, lane in enumerate(lanes):
            lane.memory |= found[turn if fields.get("shared") else number]
        passed &= not (fields.get("verdict") and any(lane.z for lane in lanes))
    parts = [lanes[0].chosen(place) for place in params.result_places]
    result = sum(part * params.inner.r ** place for place, part in enumerate(parts))
    return result if passed else None
