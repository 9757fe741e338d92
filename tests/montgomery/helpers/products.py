"""Products by a datapath with digits in and out, in Amaranth's simulator, and sums of them."""

from bench import run

from montgomery.wide.datapath.primes import DIGITS
from montgomery.wide.datapath.ranges import DIGIT_BITS, centred_high, centred_low

MOST = (1 << DIGIT_BITS - 1) - 1


def digits(rng, extreme, count=DIGITS):
    """Return digits of an operand at random, or the smallest and largest ones."""
    return [rng.choice((-MOST - 1, MOST)) if extreme else rng.randint(-MOST - 1, MOST)
            for _ in range(count)]


def products(core, rng, gaps, latency, shorts=()):
    """Return pairs of operands by their clocks, and results by theirs.

    Digits are on the ports in the clock of the start alone.

    Parameters
    ----------
    gaps : list of :class:`int`
        Clocks from each product to the next one.
    latency : :class:`int`
        Of the last one.
    shorts : list of :class:`bool`
        Whether each product is a short one, if the core has such.
    """
    starts = [sum(gaps[:turn]) for turn in range(len(gaps))]
    count = core.prime.digits
    pairs = {start: (digits(rng, turn % 2, count), digits(rng, turn % 3, count))
             for turn, start in enumerate(starts)}
    short, found = dict(zip(starts, shorts, strict=False)), {}

    async def testbench(ctx):
        for clock in range(sum(gaps) + latency):
            x, y = pairs.get(clock) or (digits(rng, True, count), digits(rng, True, count))
            for each in (core.start, *core.loads):
                ctx.set(each, clock in pairs)
            if short:
                ctx.set(core.short, short.get(clock, rng.getrandbits(1)))
            for place in range(count):
                ctx.set(core.x[place], x[place])
                ctx.set(core.y[place], y[place])
            if ctx.get(core.valid):
                found[clock] = [ctx.get(digit) for digit in core.result]
            await ctx.tick()

    run(core, testbench)
    return pairs, found


def normalised(digits, prime):
    """Return what a digit adder makes of sums: digits of the same number modulo the prime, each of
    them almost within 16 bits.

    Digits are :class:`int` or :class:`~.ranges.Range`, of sums of six results at most.
    """
    up = [centred_high(digit) for digit in digits]
    found = [centred_low(digit) + (up[place - 1] if place else 0)
             for place, digit in enumerate(digits)]
    for place, times in prime.carry:
        found[place] = found[place] + times * up[-1]
    return found
