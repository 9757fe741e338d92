"""Blocks of a device that have registers of their own."""

import sys

from amaranth.hdl import EnableInserter, Instance

__all__ = ["DeviceBlock"]


class DeviceBlock(Instance):
    """An instance of a block with registers.

    ``EnableInserter`` on what it is in is refused by :exc:`NotImplementedError`: all other
    registers would stop, and these go on. ``DomainRenamer`` and ``ResetInserter`` are right.
    """

    @property
    def type(self):
        # Amaranth copies instances as they are, and asks for their type first.
        if isinstance(sys._getframe(1).f_locals.get("self"), EnableInserter):
            raise NotImplementedError(
                f"EnableInserter must not be applied to a core with {self._type}, whose registers "
                "it cannot stop; pause the streams of the core, or elaborate it without a platform")
        return self._type

    @type.setter
    def type(self, value):
        self._type = value
