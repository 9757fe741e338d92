"""Exponentiators, one a module, found by :func:`montgomery.exponentiators`."""
