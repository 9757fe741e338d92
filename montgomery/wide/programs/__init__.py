"""What engines do: segments of listings, in an order that depends on nothing.

* :mod:`~.engine_program`: segments and steps as microcode, on integers, and counted in clocks.
* :mod:`~.affine`: what programs begin and end with.
* A program each: :mod:`~.point_program` for multiples of a point, :mod:`~.koblitz_program` for
  those on secp256k1, :mod:`~.comb_program` for those of a base point, :mod:`~.ladder_program` for
  X25519, :mod:`~.joint_program` for the sum of two multiples, :mod:`~.joint_halves_program` for
  that on secp256k1.
"""
