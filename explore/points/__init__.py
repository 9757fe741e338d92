"""Points, which are cores to be measured on devices, and specifications of sweeps."""
