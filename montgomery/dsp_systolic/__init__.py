"""A systolic array of multiplier blocks, and the exponentiator around it.

Source: Morales-Romero et al.: Efficiency Evaluation of a Modified Montgomery Multiplication
Systolic Architecture Implemented on an FPGA.
"""
