"""Multipliers as units of larger engines."""
