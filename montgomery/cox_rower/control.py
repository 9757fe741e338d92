"""Control words: one for all Rowers in each clock; and what is where in a Rower's memories."""

from amaranth.lib import data, enum

from .schedule import READ, STAGES, Bank, Factor, Take

__all__ = ["Add", "ControlProgram", "Layout", "Number", "Roms", "Store"]


class Add(enum.IntEnum):
    """What the Cox adds R2 to, and whether it is its turn."""

    NOTHING, SUM, ZERO, HALF = range(4)


#: What the first ξ of a sum is added to, in the steps in which the Cox adds.
_STARTS = {"to a": Add.ZERO, "to b": Add.HALF, "digits": Add.HALF, "high digits": Add.HALF}


class Store(enum.IntEnum):
    """When a result is written.

    ``LATE`` is a result of the multiplication before the one that begins with the program.
    """

    NEVER, NOW, LATE = range(3)


class Number(enum.IntEnum):
    """What an address counts from: 0, or the place of the number that is x, y or the key now."""

    FIXED, X, Y, KEY = range(4)


class Layout:
    """The bits of a control word, and the addresses that it holds.

    Words are for the base size ``sizes[index]``. Memories have room for numbers of the largest, the
    last one, and for constants and elements of one after the other. There is room for ``numbers``,
    each of which may be x, y, the result, or the key. With ``converts`` there are the constants of
    Equations 8 and 9 and of the key too, and what drains sums; with ``crt`` these equations are for
    numbers of twice as many digits.
    """

    def __init__(self, sizes, u, numbers, index=0, *, converts=False, crt=False):
        self.u, self.numbers, self.converts, self.crt = u, numbers, converts, crt
        self.n, self.slots, self._room = sizes[index], sizes[index] // u, sizes[-1] // u
        self.number_words = 2 * self._room  # in the memory of variables
        self.variables = numbers * self.number_words + 5 * self._room
        self.constants = 0
        self._table_of_size = [self._table(n) for n in sizes][index]
        # Of a, of b, and with ``converts`` the places of digits, which have a residue of -A too.
        groups = 2 + converts + crt
        self.elements, self._first_element = (groups * sum(some) // u
                                              for some in (sizes, sizes[:index]))
        # ``constant``, ``variable``, ``target`` and ``store`` act in their clock; the word of a
        # memory is there READ clocks later. ``take`` selects the next value of R2. All other fields
        # describe the product of that clock.
        self.shape = data.StructLayout({
            "constant": range(self.constants), "variable": range(self.variables),
            "number": Number, "take": Take, "chain": 1, "factor": Factor, "add": Add, "first": 1,
            "element": range(self.elements), "store": Store, "target": range(self.variables),
            "is_result": 1, "drain": 1})

    def _table(self, n):
        """Add the constants of a base size; return by step where they begin, and how many each has.
        """
        digits = (1 + self.crt) * n  # of a number, each of which has as many terms
        counts = {"to a": n, "to b": n, "xi_a": 1, "w_a": 1}
        if self.converts:
            counts |= dict.fromkeys(["radix a", "radix b", "digits",
                                     *["high digits"] * self.crt], digits)
            counts |= dict.fromkeys(["xi", *["xi of b"] * self.crt, "to_xi"], 1)
        table = {}
        for step, count in counts.items():
            table[step] = self.constants, count
            self.constants += n // self.u * count
        # That of "choose" is 1 for all elements.
        table |= {"t_to_xi": table["xi_a"], "choose": (self.constants, 0)}
        self.constants += self.converts
        return table

    def address(self, bank, slot):
        """Return the address of a variable; of a part of a number, that in number 0.

        First come all numbers, each with its words for base a and for base b; then others.
        """
        if bank < Bank.S_A:
            return bank % 2 * self._room + slot
        return self.numbers * self.number_words + (bank - Bank.S_A) * self._room + slot

    @staticmethod
    def number(bank):
        """Return the :class:`Number` from which the address of a bank counts."""
        return (Number.KEY, Number.X, Number.Y)[bank // 2] if bank < Bank.S_A else Number.FIXED

    def constant(self, step, slot, index):
        """Return the address of the constant that a step's sum takes in turn, any if none."""
        start, count = self._table_of_size.get(step, (self._table_of_size["to a"][0], 0))
        return start + slot * count + (index if count > 1 else 0)

    def operation(self, programs):
        """Return the layout of an operation: its numbers, and ``key`` and ``program`` of its run.
        """
        number = range(self.numbers)
        return data.StructLayout({"x": number, "y": number, "target": number, "last": 1,
                                  "key": number, "program": range(programs)})

    def element(self, step, slot):
        """Return the number of the element of a sum."""
        groups = {"digits": 2, "high digits": 3} | dict.fromkeys(
            ("s_b", "xi_b", "to b", "radix b", "choose", "to_xi", "xi of b"), 1)
        return self._first_element + groups.get(step, 0) * self.slots + slot


class ControlProgram:
    """The control words of a :class:`~montgomery.cox_rower.schedule.Schedule`."""

    def __init__(self, schedule, layout):
        self.layout, self.interval = layout, schedule.interval
        #: Values of the layout's fields, where they are not 0. Word c is that of clock c, and of
        #: all clocks that are a multiple of the interval away.
        self.words = [{} for _ in range(self.interval)]
        clocks = []

        def put(clock, **fields):
            clocks.append(clock)
            self.words[clock % self.interval].update(fields)

        for clock, (take, chain) in schedule.sources.items():
            put(clock, take=take, chain=chain)
        for clock, (bank, slot) in schedule.reads.items():
            put(clock - READ, variable=layout.address(bank, slot), number=layout.number(bank))
        for clock, product in schedule.products.items():
            step, add = product.step, _STARTS.get(product.step, Add.NOTHING)
            put(clock - READ, constant=layout.constant(step, product.slot, product.index))
            put(clock, factor=product.factor, first=product.index == 0,
                element=layout.element(step, product.slot),
                add=Add.SUM if add and product.index else add)
        for clock in schedule.sums:
            #: Clock in which the last sum is in R1, if sums are what is wanted.
            self.drained = clock + STAGES[schedule.latency].to_sum
            put(self.drained, drain=1)
        for (bank, slot), clock in schedule.made.items():
            clock += schedule.latency
            put(clock, store=Store.LATE if clock >= self.interval else Store.NOW,
                target=layout.address(bank, slot), is_result=bank < Bank.Y_A)
        #: Clocks before clock 0 that a multiplication needs; and the clock of the next one in which
        #: its last result is written.
        self.lead, self.tail = -min(clocks), max(max(clocks) - self.interval, 0)

    def clocks(self, multiplications):
        """Return the clocks of some multiplications that follow each other."""
        return self.lead + multiplications * self.interval + self.tail + 1


class Roms:
    """What a Rower knows of its elements."""

    def __init__(self, sets, index):
        (_, layout), *_ = sets
        self.constants = [0] * layout.constants
        #: By number of the element: µ, and the residue of the other base's negated product; of each
        #: one of base b, λ - 1, by which numbers are inverted.
        self.elements, self.exponents = [None] * layout.elements, [0] * layout.elements
        for rns, layout in sets:
            self._fill(rns, layout, index)

    def _fill(self, rns, layout, index):
        bases, n, crt = rns.bases, layout.n, layout.crt
        if layout.converts:
            to_xi, digit_rows = rns.to_xi(crt), rns.digit_rows(crt)

        def put(step, slot, *values):
            for turn, value in enumerate(values):
                self.constants[layout.constant(step, slot, turn)] = value

        def in_turn(values):
            """Return what goes with the residues, or digits, that come round: n of either half.

            In each turn they are those that were first in R2 of the Rower ``turn % u`` before.
            """
            return [values[half + (index - turn) % layout.u + turn // layout.u * layout.u]
                    for half in range(0, len(values), n) for turn in range(n)]

        for slot in range(layout.slots):
            own = index + layout.u * slot
            for step, powers, (element, row, negated) in (
                    ("to a", "radix a", rns.b_to_a[own]), ("to b", "radix b", rns.a_to_b[own])):
                self.elements[layout.element(step, slot)] = bases.mu(element), negated
                put(step, slot, *in_turn(row))
                if layout.converts:
                    put(powers, slot, *in_turn([(1 << bases.r * digit) % element
                                                for digit in range((1 + crt) * n)]))
            put("xi_a", slot, rns.s_to_xi[own])
            put("w_a", slot, rns.from_xi[own])
            if not layout.converts:
                continue
            put("to_xi", slot, rns.negated_inverse_of_b_j[own])
            put("choose", slot, 1)
            self.exponents[layout.element("choose", slot)] = rns.exponents[own]
            for half, (xi, digits) in enumerate(
                    [("xi", "digits"), ("xi of b", "high digits")][:1 + crt]):
                row, negated = digit_rows[half * n + own]
                put(xi, slot, to_xi[half * n + own])
                put(digits, slot, *in_turn(row))
                self.elements[layout.element(digits, slot)] = 0, negated
