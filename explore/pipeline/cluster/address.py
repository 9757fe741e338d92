"""The address of a Dask scheduler, checked before a client waits for what cannot come."""

from __future__ import annotations

import socket

from ...errors import ClusterLost

__all__ = ["check_address"]

_CONNECT_S = 5


def check_address(address: str) -> None:
    """Refuse an address at which nothing answers, or which Dask's configuration does not fit.

    Raises
    ------
    ClusterLost
    """
    from distributed.comm import get_address_host_port
    from distributed.security import Security

    options = Security().get_connection_args("client")
    if address.startswith("tls://") and options.get("ssl_context") is None:
        raise ClusterLost(f"{address} needs a certificate, and Dask's configuration names none; "
                          "name one as docs/many_machines.md does under TLS")
    if options.get("require_encryption") and not address.startswith("tls://"):
        raise ClusterLost(f"Dask's configuration requires encryption, which {address} has not; use "
                          "an address with tls://")
    try:
        host, port = get_address_host_port(address, strict=True)
        if address.startswith(("tcp://", "tls://")):
            socket.create_connection((host, port), _CONNECT_S).close()
    except (OSError, ValueError) as error:
        raise ClusterLost(f"No scheduler answers at {address} ({error}); start one with 'dask "
                          "scheduler', or correct the address") from None
