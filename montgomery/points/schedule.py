"""In which clock each line of a listing begins, and in which register numbers are."""

import itertools

from .listing import Operation

__all__ = ["Registers", "Schedule", "loose_sums"]

#: How many results a factor may be the sum of, and how many a sum before it is carried.
_FACTOR, _SUMMED = 3, 6


def loose_sums(lines, needs, outputs):
    """Return the numbers of the lines whose sums need no carry: those that go to products and sums
    alone, and are small enough for these.

    ``needs`` has for each line, by name of operand, the number of the line it comes from, or the
    input. ``outputs`` are names of numbers that stay, which are carried as inputs are.
    """
    last = {line.target: index for index, line in enumerate(lines)}
    carried = {last[name] for name in outputs if name in last}
    for line, need in zip(lines, needs, strict=True):
        if line.operation not in (Operation.PRODUCT, Operation.SHORT, Operation.SUM):
            carried |= set(need.values())
    sizes = {}
    for index, (line, need) in enumerate(zip(lines, needs, strict=True)):
        if line.operation is not Operation.SUM:
            continue
        while (size := sum(sizes.get(need[name], 1) * times for name, times in (
                (line.a, 1), (line.b, 1 + line.twice)) if name)) > _SUMMED:
            # An operand that is read early may be carried.
            del sizes[max(need.values(), key=lambda source: sizes.get(source, 1))]
        if index not in carried and size <= _FACTOR:
            sizes[index] = size
    return set(sizes)


class Registers:
    """Finds the register of each number: one by one, in the order in which they are written.

    ``needs`` is as for :func:`loose_sums`. A line reads its operands in its clock of ``clocks``,
    and its result is written in that of ``written``; the listing is over in clock ``end``.
    ``inputs`` and ``outputs`` have the registers of numbers that are there at first, and at last.
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

        :exc:`ValueError` says that there are not enough registers.
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


class Schedule:
    """Finds the clock of each line.

    ``followers`` has for each line pairs of a line that follows it, and the least clocks between
    them. ``lasts`` has the clocks from each line to the first that may read its result. The memory
    is asked for the first word in clock ``loads_from`` or later.
    """

    def __init__(self, lines, followers, lasts, timing, loads_from):
        self._lines, self._followers, self._lasts, self._timing = lines, followers, lasts, timing
        self._loads_from, self._products = loads_from, []

    def run(self, in_order):
        """Return the clocks in which lines begin as soon as they can: of those that are ready the
        one on the longest path goes first, or ``in_order`` the first one.
        """
        lines, followers, taken = self._lines, self._followers, set()
        urgency = [0] * len(lines)
        for index in reversed(range(len(lines))):
            urgency[index] = max([self._lasts[index], *(
                delay + urgency[follower] for follower, delay in followers[index])])
        if in_order:
            urgency = [0] * len(lines)
        waits = [0] * len(lines)
        for follower, _ in itertools.chain.from_iterable(followers):
            waits[follower] += 1
        ready = [self._loads_from if line.operation is Operation.LOAD else 0 for line in lines]
        clocks, clock = [None] * len(lines), 0
        waiting = {index for index, count in enumerate(waits) if not count}
        while waiting:
            # Of what is ready the most urgent line goes first.
            for index in sorted(waiting, key=lambda index: (-urgency[index], index)):
                if ready[index] > clock or not self._fits(index, clock, taken):
                    continue
                clocks[index] = clock
                waiting.remove(index)
                for follower, delay in followers[index]:
                    waits[follower] -= 1
                    ready[follower] = max(ready[follower], clock + delay)
                    if not waits[follower]:
                        waiting.add(follower)
            clock += 1
        return clocks

    def late(self, clocks):
        """Return clocks, no more in all, in which lines begin as late as they can: the line that
        ended last takes the last clock that is free, and so on. The multiplier must never be
        closed, since products are not found in their order.
        """
        taken, found = set(), {}
        end = max(map(sum, zip(clocks, self._lasts, strict=True)))
        waits = [len(followers) for followers in self._followers]
        leaders = [[] for _ in self._lines]
        for index, followers in enumerate(self._followers):
            for follower, _ in followers:
                leaders[follower].append(index)
        waiting = {index for index, count in enumerate(waits) if not count}
        while waiting:
            index = max(waiting, key=lambda index: (clocks[index] + self._lasts[index], index))
            waiting.remove(index)
            clock = min([end - self._lasts[index], *(
                found[follower] - delay for follower, delay in self._followers[index])])
            while not self._fits(index, clock, taken):
                clock -= 1
            found[index] = clock
            for leader in leaders[index]:
                waits[leader] -= 1
                if not waits[leader]:
                    waiting.add(leader)
        first = min(clock - self._loads_from * (self._lines[index].operation is Operation.LOAD)
                    for index, clock in found.items())
        return [found[index] - first for index in range(len(self._lines))]

    def _fits(self, index, clock, taken):
        """Take what a line needs in a clock, if all of it is free."""
        needs = self._needs(index, clock)
        if any(need in taken for need in needs):
            return False
        if self._lines[index].operation is Operation.PRODUCT:
            # Multipliers take products in turn: this is for the one that took the first of these.
            arrays, before = self._timing.arrays, self._products
            if len(before) >= arrays and clock - before[-arrays] in self._timing.closed:
                return False
            before.append(clock)
        taken.update(needs)
        return True

    def _needs(self, index, clock):
        """Return what a line needs that begins in a clock: pairs of a name and a clock."""
        timing, operation = self._timing, self._lines[index].operation
        write = clock + self._lasts[index] - 1
        match operation:
            case Operation.PRODUCT | Operation.SHORT:
                lasts = timing.interval if operation is Operation.PRODUCT else 1
                return [("operands", clock), ("writes", write),
                        *(("multiplier", clock + turn) for turn in range(lasts))]
            case Operation.SUM:
                return [("operands", clock), ("writes", write)]
            case Operation.LOAD:
                return [("memory", clock), ("operands", clock + timing.memory - timing.fetch),
                        ("writes", write)]
            case Operation.DIVIDE:
                return [("operands", clock + turn) for turn in range(4)]
        needs = [("operands", clock), *(("held", later) for later in range(clock, write + 1))]
        asks = ("memory", write - timing.choice)
        return [*needs, asks] if operation is Operation.STORE else needs
