"""What multiplies modulo a fixed prime, a product every few clocks.

A dataflow is written once. On integers it is the model of the hardware, on intervals it says how
wide each register is, and on signals it is the hardware.

* :mod:`~.primes`: the primes, by their form. :mod:`~.ranges`: digits of integers and of intervals.
* :mod:`~.dataflow`: what a dataflow is described with, and what computes it. :mod:`~.from_below`:
  for a prime that is -1 modulo a power of the digits, Montgomery's reduction. :mod:`~.from_above`:
  for a prime below a power of two, such as that of secp256k1, folding.
* :mod:`~.core` makes a core of a dataflow.
"""
