"""Residue number systems on the Cox-Rower: Nozaki, Motoyama, Shimbo and Kawamura's RSA processor.

Source: Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS Montgomery
Multiplication. Numbers are residues modulo the elements of two bases; u units, the Rowers, each
multiply and accumulate residues of n / u elements of either base, and hand residues round in a
ring; the Cox in each of them finds the multiple of the base's product that a base transformation
leaves over.

===================================  ===============================================================
modules                              what they hold
===================================  ===============================================================
``bases``                            search and conditions of the bases (Sections 2.3, 3.1 and 4.1)
``reduction``, ``rns``               integers: units of the hardware (Figure 8); multiplication and
                                     conversion (Figures 1 and 2, Equations 7 to 9)
``steps``, ``schedule``              what a Rower multiplies by what, and in which clock
``layout``, ``control``              control words, and what is where in the memories
``rower``, ``runner``, ``ring``      hardware: a Rower (Figures 7 and 8); control words of one
                                     operation after the other; all Rowers, loading and unloading
``multiplier``                       parameters and hardware of the multiplier
``microcode``, ``model``             operations for a key and a message (Figures 3, 4 and 5) as a
                                     program; the integers that it leaves in the memories
``dispatcher``                       hardware: what goes through that program
``divider``, ``key_divider``,        hardware: radix-2 division; of B and B**2 by factors; digits in
``row_reader``, ``front``            the order of the Rowers; and what takes keys and messages
``correction``                       hardware: the carries of Equation 9, the correction to below N
``digit_core``, ``digit_parameters`` what cores from digits to digits have in common
``exponentiator``, ``rsa_crt``       RSA without CRT, and with it
===================================  ===============================================================

The integer models compute what the hardware's registers hold, in the order in which they come to
hold it. Operands and results of the multiplier are residues, so that conversions are not counted in
a multiplication.
"""
