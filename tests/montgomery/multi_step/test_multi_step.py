"""What is particular to the multi-step multiplier."""

import pytest
from bench import stream

from montgomery.multi_step.multiplier import Parameters


@pytest.mark.parametrize(("options", "pauses"), [
    ({"width": 8, "word_width": 4, "pe_width": 4, "steps": 2}, range(20)),
    ({"width": 32, "word_width": 16}, range(24, 32))])
def test_the_last_word_may_come_at_any_time_while_the_others_move(options, pauses):
    """Words that began to move are moved again, also if the last one comes a clock later."""
    params = Parameters(**options)
    assert params.layout.operand_words == 3
    modulus = (1 << params.width) - 17
    vectors = [(modulus - 2, modulus - 3, modulus), (modulus - 5, 77, modulus)]
    for pause in pauses:
        assert stream(params, vectors, put_after=lambda index, pause=pause: pause * (
            index == 2 * params.i_words - 1)) == [params.compute(*vector) for vector in vectors]
