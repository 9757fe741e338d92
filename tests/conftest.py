"""Makes the helpers beside it known to the tests below."""
