"""RSA with the factors of the modulus, one core a module, found by
:func:`montgomery.decryptions`.
"""
