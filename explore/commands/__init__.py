"""The commands of the console script: a module is a command, named as the module."""
