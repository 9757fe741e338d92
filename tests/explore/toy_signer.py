"""A toy of the kind of cores for RSA with CRT, in a module that workers find."""

import dataclasses

import toy

__all__ = ["Signer"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Signer(toy.Toy):
    kind = "rsa_crt"
