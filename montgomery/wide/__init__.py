"""Multipliers for a prime that is fixed when they are built, and engines for curves around them.

* A core is its parameters: :mod:`~.multiplier`, :mod:`~.scalar_multiplication`,
  :mod:`~.base_multiplication`, :mod:`~.key_agreement` and :mod:`~.ecdsa_verification`; what those
  for curves share is in :mod:`~.curve_core`.
* :mod:`~.datapath` multiplies: products of digits in columns, which are reduced as the form of the
  prime allows.
* :mod:`~.units` has what else an engine is put together from.
* :mod:`~.programs` says what an engine does: listings of formulas, their order, and the clocks that
  they take.
* :mod:`~.engines` puts a multiplier, units and a program together.
"""
