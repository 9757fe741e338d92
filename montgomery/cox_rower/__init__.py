"""Residue number systems on the Cox-Rower: Nozaki, Motoyama, Shimbo and Kawamura's RSA processor.

Source: Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS Montgomery
Multiplication. Numbers are residues modulo the elements of two bases; u units, the Rowers, each
multiply and accumulate residues of n / u elements of either base, and hand residues round in a
ring; the Cox in each of them finds the multiple of the base's product that a base transformation
leaves over.

==================  ================================================================================
module              what it holds
==================  ================================================================================
``bases``           search and conditions of the bases (Sections 2.3, 3.1 and 4.1)
``sets``            the base sets of one circuit, and the choice among them by key length
``reduction``       the modular reduction unit (Figure 8)
``rns``             base transformation and multiplication (Figures 1 and 2)
``contents``        the same as a Rower has them
``conversion``      from radix 2**r and back (Equations 8 and 9)
``divider``         radix-2 division, word-serial; also as hardware
``key``             what depends on the modulus alone (Section 3)
``exponentiation``  windows, Figure 3
``rsa``             decryption without and with CRT (Figures 4 and 5)
``steps``           what a Rower multiplies by what
``schedule``        what a Rower does in each clock of a multiplication
``plans``           and in each clock of what else there is
``layout``          control words, and what is where in the memories
``control``         the clocks of a multiplication as control words
``stages``          the registers of a Rower
``rower``           hardware: multiplier, accumulator, reduction unit and Cox (Figures 7 and 8)
``runner``          hardware: one multiplication after the other
``sequencer``       hardware: operands in, results out
``places``          which number is where in the memories
``described``       what cores say of their operations
``clocks``          what RSA with CRT takes
``operations``      the list of what the Rowers do for a key and a message (Figures 3, 4 and 5)
``windows``         hardware: what walks that list
``exponent``        hardware: the digits of exponents
``correction``      hardware: the carries of Equation 9, and the correction to below N
``kept``            what the front keeps, and the clocks of its divisions
``front``           hardware: what comes before the Rowers, which is keys and messages
``phases``          hardware: what the phases of the front have in common
``intake``          hardware: the phases in which words come
``division``        hardware: the phases in which it divides
``rows``            hardware: the phases in which it loads the Rowers
``digits``          hardware: the Rowers and all around them, from digits to digits
``local``           hardware: a register beside the multiplier block that it feeds
``look_ahead``      hardware: a memory that is read a clock before its word is used
==================  ================================================================================

The integer models compute what the hardware's registers hold, in the order in which they come to
hold it: residues are below 2**r, not below their element, as in Section 4.1.

Operands and results of the multiplier are residues, so that conversions are not counted in a
multiplication. From digits to digits, RSA without CRT is
:mod:`montgomery.cox_rower.exponentiator`, and with it :mod:`montgomery.cox_rower.rsa_crt`. These
modules and :mod:`montgomery.cox_rower.multiplier` have the parameters of the cores; the hardware of
each core is in the module beside it whose name ends in ``_component``.
"""
