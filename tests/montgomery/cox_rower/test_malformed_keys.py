"""Keys that no host sends: they give wrong results, but in time."""

import pytest
from bench import transfer

from explore.simulation.kinds import adapter
from montgomery import exponentiators, rsa_crt
from montgomery.core import cycles_of, key_of


@pytest.mark.parametrize("count", [0, 255])
@pytest.mark.parametrize("params", [
    exponentiators()["cox_rower"](width=8, word_width=8, window=4),
    rsa_crt()["cox_rower"](width=16, word_width=8, window=4)], ids=["exponentiation", "rsa_crt"])
def test_no_number_of_digits_makes_the_core_hang(params, count):
    """The word that says how many digits an exponent has: none, and more than there are."""
    inputs = adapter(params).longest()
    key = params.encode_key(*key_of(params, *inputs))
    words = params.encode(*inputs)
    bits = params.exponent_limit
    longest = cycles_of(params, *inputs, exponent_bits=bits)
    done = transfer(params.create(), 2 * words, 2 * params.result_words,
                    keys={0: [count, *key[1:]], len(words): key},
                    patience=longest.load_key + 2 * longest.interval)
    assert params.decode(done.words[params.result_words:]) == params.compute(*inputs)
