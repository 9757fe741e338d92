"""What commands print."""

__all__ = ["assert_refused"]


def assert_refused(result, message, status=2):
    """Assert that a command printed nothing but one line on stderr, which has ``message``."""
    assert (result.exit_code, result.stdout) == (status, "")
    assert result.stderr.startswith("montgomery: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
