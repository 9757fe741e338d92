"""FPGAs that points are measured on."""
