"""A multiplier, units and microcode, put together.

* :mod:`~.point_engine`: the engine; the others are derived from it.
* :mod:`~.paired_engine`: those with one operation under way, or two that take turns: two points, a
  scalar in two halves, X25519, and the sum of a multiple of a point and one of the base point.
"""
