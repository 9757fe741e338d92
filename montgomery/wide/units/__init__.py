"""What an engine is put together from, beside a multiplier.

* Numbers: :mod:`~.adder`, :mod:`~.inverter`, and on their way in, out or to a comparison
  :mod:`~.held`, or :mod:`~.reduced` for 2**255 - 19. :mod:`~.result` is the way out of a multiplier
  alone.
* Digits of scalars: :mod:`~.scalar_digits` in windows or by a comb, :mod:`~.scalar_halves` of one
  in two halves, :mod:`~.ladder_bits` one bit at a time; of two scalars :mod:`~.joint_digits`, or
  :mod:`~.joint_halves` if one of them is in two halves.
* :mod:`~.intake`: words of operations that come while another one is under way.
* :mod:`~.order_arithmetic`: the scalars of a signature, with :mod:`~.order_inverse`.
"""
