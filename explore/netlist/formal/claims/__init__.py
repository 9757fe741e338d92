"""What blocks of the hardware do, to be proved: a module for each of their folders."""
