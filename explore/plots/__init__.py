"""The plots: each module without an underscore is the plot of its name.

:mod:`explore.plots._drawing` describes the contents of such a module.
"""
