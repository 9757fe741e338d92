"""Engines around any multiplier whose products chain."""
