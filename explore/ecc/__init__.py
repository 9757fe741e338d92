"""Scalar multiplications on elliptic curves, and their costs."""
