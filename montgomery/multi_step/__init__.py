"""The multi-step multiplier.

Source: Zhang, Dong: A high speed Montgomery processor of 256-bit on FPGA.
"""
