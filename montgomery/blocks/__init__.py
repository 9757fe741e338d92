"""Hardware that the architectures of two papers or more share."""
