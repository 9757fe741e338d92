"""A serial port to a simulated board, over a line that may be bad, in the time of the board."""

import random

from boards.uart import LEAST_DIVISOR

__all__ = ["BAUD", "Wire"]

#: What a simulated board is told.
BAUD = 115_200
_CLOCK_HZ = LEAST_DIVISOR * BAUD
_SLICE = 2_000


class Wire:
    """What :class:`boards.host.Client` needs of :class:`serial.Serial`.

    Parameters
    ----------
    rate : float
        How often a byte is lost, doubled, changed, or has another one before it, either way.
    """

    def __init__(self, board, *, rate=0.0, seed=0):
        self._board, self.rate = board, rate
        self._random = random.Random(seed)
        self._to_board, self._received = b"", b""
        self.clocks = 0
        #: Of each kind of damage, how often it happened.
        self.damage = dict.fromkeys(("lost", "doubled", "changed", "inserted"), 0)

    def time(self):
        """Return the seconds since the board was switched on, for it."""
        return self.clocks / _CLOCK_HZ

    @property
    def in_waiting(self):
        return len(self._received)

    def write(self, data):
        self._to_board += self._damaged(data)

    def flush(self):
        while self._to_board:
            self._run()

    def read(self, size):
        if not self._received:
            self._run()
        data, self._received = self._received[:size], self._received[size:]
        return data

    def _run(self):
        taken, received = self._board.run(_SLICE, self._to_board)
        self.clocks += _SLICE
        self._to_board = self._to_board[taken:]
        self._received += self._damaged(received)

    def _damaged(self, data):
        if not self.rate:
            return data
        result = bytearray()
        for byte in data:
            if self._random.random() >= self.rate:
                result.append(byte)
                continue
            kind = self._random.choice(list(self.damage))
            self.damage[kind] += 1
            if kind == "doubled":
                result += bytes([byte, byte])
            elif kind == "changed":
                result.append(byte ^ 1 << self._random.randrange(8))
            elif kind == "inserted":
                result += bytes([self._random.randrange(256), byte])
        return bytes(result)
