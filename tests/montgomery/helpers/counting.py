"""Counts what the multiplier of ``single_dsp`` does, clock by clock."""

from bench import keys_of, offer, receive, run

__all__ = ["count"]


def count(params, vector):
    """Do one multiplication.

    Returns
    -------
    product : :class:`int`
    clocks : :class:`int`
        For which the multiplier was taken.
    products : :class:`int`
        In how many of them it did what the algorithm asks for: a product by X, M or -1/M.
    """
    core, patience = params.create(), 10 * params.cycles.interval
    at, taken, received = core.processor.sequencer, [], []
    key, = keys_of(params, [vector])

    async def counter(ctx):
        async for *_, busy, pair, beyond, special, odd in ctx.tick().sample(
                at.busy, at.pair, at.beyond, at.special, at.odd):
            if received:
                break
            if busy:
                # Of a special pair, the second clock; X_0 Y is multiplied again in pair 0.
                taken.append((pair and not beyond) or (special and odd))

    async def offers_key(ctx):
        await offer(ctx, core.k, key)

    async def offers_operands(ctx):
        await offer(ctx, core.i, params.encode(*vector), patience=patience)

    async def takes(ctx):
        received.extend(await receive(ctx, core.o, params.result_words, patience=patience))

    run(core, counter, offers_key, offers_operands, takes)
    return params.decode(received), len(taken), sum(map(bool, taken))
