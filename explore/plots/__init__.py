"""The plots: each module is one, named as the module.

:mod:`explore.plots._drawing` says what a module holds.
"""
