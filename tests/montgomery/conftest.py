"""Helpers explain a failed assertion as tests do."""

import pytest

pytest.register_assert_rewrite("bench", "cases")
