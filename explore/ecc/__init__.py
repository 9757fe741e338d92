"""Scalar multiplications on elliptic curves, and what they cost."""
