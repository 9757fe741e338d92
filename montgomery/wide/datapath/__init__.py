"""What multiplies modulo a fixed prime, a product every few clocks.

* :mod:`~.ranges`: digits of integers and of intervals. :mod:`~.primes`: the primes, by their form.
* :mod:`~.model`, :mod:`~.folding_model`, :mod:`~.koblitz_model`: what each datapath computes, on
  integers, and on intervals, which give registers their widths.
* :mod:`~.columns`: products of digits, and their sums by place. :mod:`~.core`: for a prime that is
  -1 modulo a power of the digits; Montgomery's reduction, from below. :mod:`~.folding_core`: for a
  prime just below a power of two, from above. :mod:`~.koblitz_core`: for that of secp256k1.
"""
