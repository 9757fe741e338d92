"""What blocks of the hardware do, to be proved: those of all cores, and those of some."""
