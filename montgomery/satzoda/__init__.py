"""Radix-2 multipliers in one and two dimensions: six, each in a module with its name.

Source: Satzoda, Chang, Jong: High Speed Systolic Montgomery Modular Multipliers for RSA
Cryptosystems. The modules beside the six are what several of them are made of.
"""
