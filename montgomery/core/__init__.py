"""The contract that every core keeps: ports, parameters and cycle counts.

A core derives from :class:`CoreParameters`, whose members stand in three classes, each derived from
the one before: :class:`.rules.Rules` has the parameters and what they may be,
:class:`.ports.Ports` the words on the streams, and :class:`.operands.Operands` the operation and
numbers to try it with.
"""

from .cycles import Cycles
from .parameters import CoreParameters
from .ports import Signature
from .rules import LEAST_WIDTH, parameter
from .words import ceil_div, from_words, to_words

__all__ = ["LEAST_WIDTH", "CoreParameters", "Cycles", "Signature", "ceil_div",
           "from_words", "parameter", "to_words"]
