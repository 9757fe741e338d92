"""What engines do: segments of listings, in an order that depends on nothing.

* :mod:`~.engine_program`: segments and steps as microcode, on integers, and counted in clocks.
* :mod:`~.affine`: what programs begin and end with.
* A program each: :mod:`~.point_program` for multiples of a point, :mod:`~.comb_program` for those
  of a base point, :mod:`~.ladder_program` for X25519 and X448, :mod:`~.joint_program` for the sum
  of two multiples, :mod:`~.joint_edwards_program` for that on Ed25519; and
  :mod:`~.halves_program` for both on secp256k1.
"""
