"""What an engine is put together from, beside a multiplier.

* Numbers: :mod:`~.adder`, :mod:`~.inverter`, and on their way in, out or to a comparison
  :mod:`~.held`.
* Digits of scalars: :mod:`~.scalar_digits` in windows, by a comb, or one bit at a time, and
  :mod:`~.scalar_halves` of one in two halves; of two scalars :mod:`~.joint_digits`.
* :mod:`~.words`: of operations that come while another one is under way, and of results of a
  multiplier alone.
* :mod:`~.order_arithmetic`: the scalars of a signature, with :mod:`~.order_inverse`.
"""
