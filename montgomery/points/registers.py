"""Registers of the numbers of a listing."""

from .listing import Operation

__all__ = ["Registers"]


class Registers:
    """Finds the register of each number: one by one, in the order in which they are written.

    Parameters
    ----------
    lines : list of :class:`~.listing.Line`
    needs : list of :class:`dict`
        For each line, by name of operand: the number of the line it comes from, or the input.
    clocks, written : list of :class:`int`
        When each line reads its operands, and when its result is written.
    end : :class:`int`
        When the listing is over.
    inputs, outputs : :class:`dict` from :class:`str` to :class:`int`
        Registers of the numbers that are there at first, and at last.
    count : :class:`int`
        Number of registers.
    """

    def __init__(self, lines, needs, clocks, written, end, inputs, outputs, count):
        self._count = count
        #: By number of line or name of input: when a number is written, and when it is read last.
        self._lives = {name: [-1, -1] for name in inputs}
        self._lives |= {index: [written[index], written[index]] for index, line in enumerate(lines)
                        if line.target}
        for line, need, clock in zip(lines, needs, clocks, strict=True):
            # A dividend is read two clocks after the divisor.
            read = clock + 2 * (line.operation is Operation.DIVIDE)
            for source in need.values():
                self._lives[source][1] = max(self._lives[source][1], read)
        last = {name: name for name in inputs} | {
            line.target: index for index, line in enumerate(lines) if line.target}
        self._fixed = dict(inputs)
        for name, register in outputs.items():
            self._lives[last[name]][1] = end
            self._fixed[last[name]] = register

    def allocate(self):
        """Return the register of each number, by the number of its line or the name of the input.

        Raises
        ------
        ValueError
            If there are not enough registers.
        """
        found, busy = {}, [[] for _ in range(self._count)]
        for source, register in self._fixed.items():
            self._take(busy, register, source)
            found[source] = register
        others = (source for source in self._lives if source not in self._fixed)
        for source in sorted(others, key=lambda source: self._lives[source]):
            fitting = [register for register in range(len(busy))
                       if self._free(busy[register], source)]
            if not fitting:
                raise ValueError(f"A listing must do with {len(busy)} registers; keep fewer "
                                 "numbers, or divide it")
            # The one that was free for the shortest time.
            best = max(fitting, key=lambda register: max(
                (life[1] for life in busy[register] if life[1] <= self._lives[source][0]),
                default=-1))
            self._take(busy, best, source)
            found[source] = best
        return found

    def _free(self, lives, source):
        # A register may be written at the end of the clock in which it is read last.
        start, stop = self._lives[source]
        return all(stop <= first or last <= start for first, last in lives)

    def _take(self, busy, register, source):
        if not self._free(busy[register], source):
            raise ValueError(f"Register {register} must be free for {source}, an input or output")
        busy[register].append(self._lives[source])
