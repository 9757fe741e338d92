"""Ports of memories whose signals are named by the caller."""

from amaranth.lib.memory import ReadPort, WritePort
from amaranth.utils import ceil_log2

__all__ = ["read_port", "write_port"]


def read_port(memory, name, *, domain="sync"):
    """Return what ``memory.read_port(domain=domain)`` does.

    Parameters
    ----------
    memory : :class:`amaranth.lib.memory.Memory`
    name : :class:`str`
        What the names of the signals of the port begin with. ``memory.read_port()`` takes no name:
        Amaranth looks for one in the bytecode of the caller.
    """
    signature = ReadPort.Signature(addr_width=ceil_log2(memory.depth), shape=memory.shape)
    return ReadPort(signature, memory=memory, domain=domain, path=(name,))


def write_port(memory, name):
    """Return what ``memory.write_port()`` does, with a name as :func:`read_port` takes it."""
    signature = WritePort.Signature(addr_width=ceil_log2(memory.depth), shape=memory.shape)
    return WritePort(signature, memory=memory, domain="sync", path=(name,))
