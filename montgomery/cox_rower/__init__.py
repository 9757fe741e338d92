"""Residue number systems on the Cox-Rower: Nozaki, Motoyama, Shimbo and Kawamura's RSA processor.

Source: Nozaki, Motoyama, Shimbo, Kawamura: Implementation of RSA Algorithm Based on RNS Montgomery
Multiplication. What it does is said at :class:`~.multiplier.CoxRowerMultiplier`.

=======================================  ===========================================================
modules                                  what they hold
=======================================  ===========================================================
``bases``                                search and conditions of the bases (Sections 2.3, 3.1 and
                                         4.1), reduction modulo their elements (Figure 8)
``rns``                                  integers: multiplication and conversion (Figures 1 and 2,
                                         Equations 7 to 9)
``schedule``                             what a Rower multiplies by what, and in which clock
``control``                              control words, and what is where in the memories
``rower``, ``ring``                      hardware: a Rower (Figures 7 and 8); all Rowers, and what
                                         loads them, runs programs on them, and unloads them
``microcode``                            operations for a key and a message (Figures 3 to 5) as a
                                         program; the integers that it leaves in the memories
``divider``, ``front``, ``result``       hardware: B and B**2 by factors; what takes keys and
                                         messages; correction to below N, check
``multiplier``, ``exponentiator``,       the cores: of residues; RSA without CRT, from digits to
``rsa_crt``                              digits, and with it
=======================================  ===========================================================
"""
