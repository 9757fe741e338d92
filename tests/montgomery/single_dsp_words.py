"""Operations of ``single_dsp``."""

__all__ = ["random_vector"]


def random_vector(params, rng):
    """Return the inputs of an operation with a modulus of full length and a short exponent."""
    modulus = rng.getrandbits(params.width) | 1 << (params.width - 1) | 1
    if params.kind == "multiplier":
        return rng.randrange(2 * modulus), rng.randrange(2 * modulus), modulus
    return rng.randrange(modulus), rng.getrandbits(5), modulus
