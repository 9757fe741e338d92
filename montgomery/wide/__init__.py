"""A wide pipelined multiplier for primes that are fixed when it is built."""
