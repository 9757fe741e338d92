"""The contract that every core keeps: parameters, messages, ports and cycle counts."""

from .cycles import Cycles
from .kind import Kind
from .messages import Field, Message, Number, plural
from .parameters import CoreParameters, input_names, key_names, key_of, kind_of, option_names
from .ports import Signature
from .rules import LEAST_WIDTH, parameter
from .traits import About, Products, Traits
from .words import ceil_div, from_words, to_words

__all__ = ["LEAST_WIDTH", "About", "CoreParameters", "Cycles", "Field", "Kind", "Message", "Number",
           "Products", "Signature", "Traits", "ceil_div", "from_words", "input_names", "key_names",
           "key_of", "kind_of", "option_names", "parameter", "plural", "to_words"]
