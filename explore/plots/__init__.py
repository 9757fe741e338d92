"""The plots: a module is a plot, named as the module; see :mod:`explore.plot` for what it holds."""
