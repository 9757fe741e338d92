"""Cores whose modulus belongs to the hardware."""

import abc

from ..arithmetic import shown

__all__ = ["FixedModulus"]


class FixedModulus(abc.ABC):
    """What the parameters of a core are derived from, first, that is built for one modulus.

    The modulus is an input of operations as on any core of the kind, and another one is refused. It
    is no part of a message.
    """

    @property
    @abc.abstractmethod
    def only_modulus(self) -> int:
        """The modulus."""

    def _check_operands(self, *inputs):
        super()._check_operands(*inputs)
        *_, modulus = inputs
        if modulus != self.only_modulus:
            raise ValueError(f"The modulus must be {self.only_modulus:#x}, which the core is built "
                             f"for, not {shown(modulus)}; choose a core for any modulus")
