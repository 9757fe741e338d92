"""What verification and documents know of the kind of :mod:`toy_kind`."""

from explore.simulation.kinds.base import Adapter as Base

__all__ = ["Adapter"]


class Adapter(Base):
    def golden(self, augend, addend, modulus):
        return (augend + addend) % modulus

    def longest(self):
        modulus = (1 << self.params.width) - 1
        return modulus - 1, modulus - 1, modulus

    def edges(self):
        return [(0, 0, 3), (2, 2, 3), self.longest()]

    def sample(self, rng, *, shorter=False):
        modulus = self.modulus(rng, shorter=shorter)
        return rng.randrange(modulus), rng.randrange(modulus), modulus

    def check_enumerable(self):
        """All of them are."""

    def every(self, size):
        for modulus in range(3, 1 << self.params.width, 2):
            yield [(x, y, modulus) for x in range(modulus) for y in range(modulus)]

    def document(self):
        return {"result": "augend + addend mod m.", "rules": [("modulus m", "odd")],
                "conversion": "There is nothing to convert.", "timed": "every addition"}
