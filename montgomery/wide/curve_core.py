"""What the parameters of all cores for curves on a wide multiplier have in common."""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import ClassVar

from ..core import parameter
from .datapath.core import FixedPrimeCore, dataflow
from .datapath.primes import PRIMES, Prime, check_prime, prime_of
from .datapath.ranges import BASE
from .units.held import HeldNumber

__all__ = ["Recipe", "WideCurve"]


@dataclasses.dataclass(frozen=True)
class Recipe:
    """What an engine for a prime of some form is made of."""

    # Takes the dataflow and the number of operations at a time, and returns the EngineProgram.
    program: Callable
    # Takes the parameters, and returns numbers by the names of their places in the memory.
    constants: Callable
    engine: type  # a WidePointEngine, or a class that is derived from it
    digits: Callable  # takes the parameters, and returns what makes digits of scalars
    products: tuple = ()  # what is multiplied beside the datapath
    held: Callable = HeldNumber  # takes the prime, and returns what holds numbers


@dataclasses.dataclass(frozen=True, kw_only=True)
class WideCurve:
    """What the parameters of a core are derived from, first.

    Each of the digits of 16 bits that are multiplied in a clock takes as many blocks as a number
    has digits; for P-384 there may be no more than two. Two operations may be in flight where there
    is a program for them: they take turns at the multiplier, which seldom waits then, and each
    takes longer.
    """

    word_width: int = parameter(BASE, "bits per word of the streams", minimum=BASE, maximum=BASE)
    digits_per_clock: int = parameter(2, "digits of 16 bits that are multiplied in a clock",
                                      choices=(2, 4))
    in_flight: int = parameter(1, "operations at the same time", choices=(1, 2))

    #: By the form of the prime: the :class:`Recipe`.
    _recipes: ClassVar[Mapping[type, Recipe]]
    #: The primes that there are, by name of a curve.
    _primes: ClassVar = PRIMES
    #: The curve on which two operations may be in flight, and what is done then.
    _pair: ClassVar = ("P-256", "two points are multiplied")

    def _check_parameters(self):
        check_prime(self.prime, self.width, self.digits_per_clock, self._primes)
        if self.in_flight == 1:
            return
        curve, done = self._pair
        if self.curve != curve:
            raise ValueError(f"in_flight must be 1 for {self.curve}; {done} at the same time on "
                             f"{curve} alone")
        if isinstance(self.prime, Prime) and self.digits_per_clock < 4:
            raise ValueError("in_flight must be 1 with two digits a clock, where one operation "
                             "keeps the multiplier busy; take digits_per_clock=4 with it")

    @property
    def prime(self):
        """The :class:`~.primes.FixedPrime` of the curve."""
        return prime_of(self.domain)

    @property
    def r(self):
        """What products are divided by."""
        return self._dataflow.r

    @property
    def short_divisor(self):
        """What short products are divided by: a factor in the highest digits counts as in the
        lowest ones.
        """
        return self._dataflow.short_divisor

    @property
    def _dataflow(self):
        return dataflow(self.prime, self.digits_per_clock)

    @property
    def _recipe(self):
        return self._recipes[type(self.prime)]

    @functools.cached_property
    def constants(self):
        """Numbers by the names of their places in the memory."""
        return self._recipe.constants(self)

    def _program(self, slots):
        """Return the program for so many operations at a time."""
        # Not all programs are made for two.
        return self._recipe.program(self._dataflow, *[slots] * (slots > 1))

    @property
    def _products(self):
        return self._dataflow.products, *self._recipe.products

    @property
    def _traits(self):
        program = self._program(self.in_flight)
        return dataclasses.replace(super()._traits, initiation=program.interval(self.i_words),
                                   products=self._products)

    @property
    def cycles(self):
        return self._program(self.in_flight).cycles(self.i_words, self.in_flight)

    def _computed(self, inputs, digits, opposite=None):
        """Return what must be 0, and what is sent, for numbers in the memory, and digits."""
        p, program = self.domain.p, self._program(1)
        constants = {name: number for name, number in self.constants.items()
                     if name in program.places}

        def divided(divisor):
            inverse = pow(divisor, -1, p)
            return lambda a, b: a * b * inverse % p

        return program.run(constants | inputs, digits, divided(self.r),
                           divided(self.short_divisor), p, opposite)

    def engine(self):
        """Return a new :class:`~.point_engine.WidePointEngine`."""
        return self._recipe.engine(self, FixedPrimeCore(self._dataflow),
                                   self._program(self.in_flight), self._recipe.digits(self),
                                   self._recipe.held(self.prime))

    def create(self):
        return self.engine()
