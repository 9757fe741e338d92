"""Operations of ``single_dsp``, and their words."""

__all__ = ["offer", "random_vector"]


def random_vector(params, rng):
    """Return the inputs of an operation with a modulus of full length and a short exponent."""
    modulus = rng.getrandbits(params.width) | 1 << (params.width - 1) | 1
    if params.kind == "multiplier":
        return rng.randrange(2 * modulus), rng.randrange(2 * modulus), modulus
    return rng.randrange(modulus), rng.getrandbits(5), modulus


async def offer(ctx, port, words, *, taken=lambda: None, patience=10000):
    """Offer words all the time, and call ``taken`` when one is taken."""
    for word in words:
        ctx.set(port.payload, word)
        ctx.set(port.valid, 1)
        for _ in range(patience):
            if (await ctx.tick().sample(port.ready))[-1]:
                break
        else:
            raise AssertionError(f"no word was taken in {patience} clocks")
        taken()
    ctx.set(port.valid, 0)
