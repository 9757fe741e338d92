"""Exponentiation by fixed windows, as integers."""

import random

import pytest

from montgomery.blocks.windows import best_window, digit_count, digits_of, power, products

SEED = 14


@pytest.mark.parametrize("window", range(1, 7))
def test_powers_and_their_number_of_products(window):
    rng = random.Random(SEED)
    for bits in (0, 1, 2, 5, 6, 7, 12, 40):
        for exponent in {0, 1, (1 << bits) - 1, rng.getrandbits(bits)}:
            if exponent >> bits:
                continue
            made = []

            def multiply(x, y, made=made):
                made.append((x, y))
                return x * y % 1009

            found = power(multiply, 1, 3, exponent, bits, window)
            assert found == pow(3, exponent, 1009)
            assert len(made) == products(bits, window)


def test_digits():
    assert digits_of(0b1_0110, 5, 2) == [1, 1, 2]
    assert digits_of(0b110, 6, 3) == [0, 6]
    assert digits_of(0, 0, 4) == [0]
    assert digit_count(0, 5) == digit_count(5, 5) == 1
    assert digit_count(6, 5) == 2


@pytest.mark.parametrize(("bits", "window", "count"), [
    (256, 4, 329), (512, 5, 642), (1024, 5, 1254), (2048, 6, 2449), (4, 2, 5)])
def test_best_windows(bits, window, count):
    assert best_window(bits) == window
    assert products(bits, window) == count
