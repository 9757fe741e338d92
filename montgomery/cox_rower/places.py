"""What is where in the memories of the Rowers."""

import dataclasses

__all__ = ["Places"]


@dataclasses.dataclass(frozen=True)
class Places:
    """Numbers of the numbers in the Rowers' memories.

    ==============  ================================================================================
    name            what is there
    ==============  ================================================================================
    ``key``         the constants of a factor N
    ``square``      what brings a number into Montgomery's form: B**2 mod N; with CRT B**3 mod N
    ``unit``        1
    ``powers``      powers of x; the first of them is that to the power of 0, with CRT the message
    ``t``           with CRT: the result for p; that for q is in ``y``, behind it
    ``y``           the power that is computed
    ``inverse``     N**-1, while the key is prepared: the place before ``y``
    ``factor``      with CRT: N itself
    ``other``       with CRT: the inverse of the other factor
    ``one``         B mod N, which is x to the power of 0; without CRT, the first one of the powers
    ==============  ================================================================================

    With CRT, ``key``, ``square``, ``factor``, ``other`` and ``one`` are the places of those of p,
    and those of q are in the next ones.

    Digits are loaded in place of residues in base a, with CRT of a message also in base b. Those of
    a key are in ``unit`` and behind it: 1; N, B mod N, B**2 mod N, and with CRT the inverse of the
    other factor. Those of a message are in ``digits``.

    Parameters
    ----------
    window : :class:`int`
        Bits of a digit of the exponent.
    crt : bool

    Attributes
    ----------
    count : :class:`int`
        Number of places.
    """

    window: int
    crt: bool

    key: int = dataclasses.field(init=False)
    square: int = dataclasses.field(init=False)
    unit: int = dataclasses.field(init=False)
    powers: int = dataclasses.field(init=False)
    y: int = dataclasses.field(init=False)
    inverse: int = dataclasses.field(init=False)
    digits: int = dataclasses.field(init=False)
    factor: int = dataclasses.field(init=False)
    other: int = dataclasses.field(init=False)
    one: int = dataclasses.field(init=False)
    t: int = dataclasses.field(init=False)
    count: int = dataclasses.field(init=False)

    def __post_init__(self):
        twice = 1 + self.crt
        # Four powers have room for what is loaded.
        sizes = {"key": twice, "square": twice, "unit": 1, "powers": max(1 << self.window, 4),
                 "t": 1, "y": 1, "factor": 2, "other": 2, "one": 2}
        found, start = {}, 0
        for name, size in sizes.items():
            found[name] = start
            if self.crt or name not in ("factor", "other", "one", "t"):
                start += size
        found |= {"inverse": found["y"] - 1, "digits": found["powers"] + 1, "count": start}
        if not self.crt:
            found["one"] = found["powers"]
        for name, value in found.items():
            object.__setattr__(self, name, value)

    @property
    def loaded(self):
        """Numbers that are loaded for each factor."""
        return 4 + self.crt

    @property
    def single_conversions(self):
        """Pairs of places: digits that are converted for a single factor, and what becomes of them.
        """
        found = [(self.powers, self.key), (self.powers + 1, self.one),
                 (self.powers + 2, self.square)]
        return [*found, (self.powers, self.factor)] if self.crt else found

    @property
    def conversions(self):
        """Likewise, for each factor of a key: with CRT there is one more."""
        other = self.powers + 3, self.other
        return [*self.single_conversions, other] if self.crt else self.single_conversions
