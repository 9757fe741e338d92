"""Datapath shared by two or more architectures.

Only carry_save, block_ram, gather, memory_ports, multiply_add, streams and word_buffer serve the
architectures of two papers or more. algorithms, array, geometry, one_clock, one_clock_array,
radix2, result_queue, ring, sequencer and tally are the family of Satzoda, Chang and Jong; local and
look_ahead belong to the Cox-Rower alone.
"""
