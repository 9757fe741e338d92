"""One multiplier block and one block RAM: the smallest multiplier, and RSA with it.

Source: Song, Kawakami, Nakano, Ito: An RSA Encryption Hardware Algorithm using a Single DSP Block
and a Single Block RAM on the FPGA.
"""
