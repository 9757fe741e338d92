"""Steps of programs for an array with its memory and unit for rows, and what they do to numbers."""

from amaranth.lib import data, enum

from ..blocks.program import Flow, Step
from ..blocks.row_unit import Row
from ..core import ceil_div

__all__ = ["Columns", "Digits", "Unit", "power", "product", "reduction", "row", "run",
           "take_modulus", "take_y"]


class Unit(enum.IntEnum):
    """What does a step."""

    #: The array takes a modulus.
    MODULUS = 0
    #: The array takes a y.
    Y = 1
    #: The array multiplies x by its y; the result is stored, and becomes y.
    PRODUCT = 2
    #: The unit for rows; see :class:`~montgomery.blocks.row_unit.Row`.
    ROW = 3


class Digits(enum.IntEnum):
    """What happens to the digits of exponents when a step has begun, and read its source."""

    KEEP = 0
    #: All begin again with the first digit.
    REWIND = 1
    #: The next digit of the exponent.
    NEXT = 2
    #: The next bit of the public exponent.
    NEXT_PUBLIC = 3


class Columns:
    """The columns of the memory.

    The table of powers has the highest numbers, of which the lowest bits are that of the power.
    Before it come the columns of a ``key``, in order and without a gap, so that a counter goes
    through these. From 0 on come ``others``. Both say how many columns a name stands for, 1 or 2;
    those for two numbers must come first. Where there are two factors the first column of a pair
    belongs to p, the second one to q.
    """

    def __init__(self, window, key, others):
        powers = 1 << window
        table = powers * ceil_div(sum(key.values()) + sum(others.values()), powers)
        self._numbers = {"table": table}
        for number, names in ((0, others), (table - sum(key.values()), key)):
            for name, size in names.items():
                self._numbers[name] = number
                number += size
        #: Bits of the number of a column.
        self.bits = (table + powers - 1).bit_length()
        #: The place of an operand of a step: a ``column``, and what is added to it. That is, where
        #: it is asked for, the factor whose turn it is (``half``), 1 if the last subtraction gave
        #: no negative number (``choice``), the power that is computed (``entry``), or the digit of
        #: the exponent (``digit``).
        self.layout = data.StructLayout({
            "column": self.bits, "half": 1, "choice": 1, "entry": 1, "digit": 1})

    def __contains__(self, name):
        return name in self._numbers

    def number(self, name, index=0):
        """Return the number of a column of a name, or of the table."""
        return self._numbers[name] + index

    def place(self, name, index=0, **adds):
        """Return a place, as :attr:`layout` has it."""
        return {"column": self.number(name, index)} | adds


def product(x, target, *, digits=Digits.KEEP, **flow):
    return Step(fields={"unit": Unit.PRODUCT, "source": x, "target": target, "digits": digits},
                **flow)


def take_y(source, **flow):
    return Step(fields={"unit": Unit.Y, "source": source}, **flow)


def take_modulus(source, **flow):
    """Return the step with which the work with a modulus begins."""
    return Step(fields={"unit": Unit.MODULUS, "source": source, "digits": Digits.REWIND}, **flow)


def row(operation, source, target, *, verdict=False, shared=False, **flow):
    """Return a step of the unit for rows.

    ``verdict``: if the result is 0, the factor whose turn it is has passed the check. ``shared``:
    with two arrays, both memories take what is found for that factor, at its target.
    """
    return Step(fields={"unit": Unit.ROW, "row": operation, "source": source, "target": target,
                        "verdict": int(verdict), "shared": int(shared)}, **flow)


def reduction(columns, modulus, rows):
    """Return the steps that bring Z below the modulus: Z / b**rows modulo it.

    It is in the column that is chosen from both of ``reduced``. Before the first step Z is in the
    first of them.
    """
    return [*[row(Row.REDUCE, modulus, columns.place("reduced"))] * rows,
            row(Row.SUBTRACT, modulus, columns.place("reduced", 1))]


def power(columns, window, *, one=None, every_digit=False):
    """Return the steps that raise y, which is ``table[1]``, to an exponent by fixed windows.

    The result becomes y, and the next step has to be called ``powered``. ``one`` is where 1 is in
    the Montgomery domain, unless it is in ``table[0]``. ``every_digit``: begin with 1, not with the
    power of the first digit.
    """
    table = [columns.place("table", index) for index in range(2)]
    digit, result = columns.place("table", digit=1), columns.place("power")
    first = table[0] if every_digit else digit
    steps = []
    if window > 1:
        steps.append(product(table[1], columns.place("table", entry=1), label="entry",
                             flow=Flow.REPEAT, loop="entry", to="entry"))
    if one is not None:
        steps.append(row(Row.COPY, one, table[0]))
    leave = {} if every_digit else {"flow": Flow.LEAVE, "loop": "digit", "to": "powered"}
    return [*steps,
            take_y(first, **leave),
            # The first square, of what is not yet the result. With a window of 1 it is the last.
            product(first, result, digits=Digits.KEEP if every_digit else Digits.NEXT,
                    flow=Flow.LEAVE, loop="bit", to="multiply"),
            product(result, result, label="square", flow=Flow.REPEAT, loop="bit", to="square"),
            product(digit, result, label="multiply", digits=Digits.NEXT,
                    flow=Flow.REPEAT, loop="digit", to="square")]


class _LaneModel:
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
    lanes = [_LaneModel(params, values, moduli, memory) for _ in range(params.arrays)]
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
