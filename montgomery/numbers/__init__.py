"""Numbers that hardware is built for, and what is known of them, without hardware.

* :mod:`~.catalogue`: the primes and curves there are, as data, by all of their names;
* :mod:`~.curves`: curves of three forms, and their arithmetic.
"""
