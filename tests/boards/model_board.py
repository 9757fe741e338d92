"""A board whose core is a model."""

from boards.host import Client, Info, Result
from explore.simulation.kinds import adapter


class ModelBoard:
    """A board that multiplies by Python's integers, or does as it is told."""

    def __init__(self, core, operate=None):
        self.info = Info(parameters=core, clock_hz=10**6)
        self._operate = operate or adapter(core).golden

    require, __enter__ = Client.require, Client.__enter__

    def __exit__(self, *_):
        pass

    def operate(self, *operands):
        assert all(type(operand) is int for operand in operands)
        return Result(value=self._operate(*operands), clocks=7)
