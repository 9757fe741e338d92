"""The contract that every core keeps: parameters, messages, ports and cycle counts."""

from .facts import (
    about,
    check_operands,
    cycles_of,
    expected_words,
    input_names,
    key_names,
    key_of,
    kind_of,
    name_in,
    name_of,
    option_names,
    results_of,
    traits,
)
from .features import About, Cycles, Kind, Products, Traits
from .messages import Field, Message, Number, ceil_div, from_words, listed, plural, to_words
from .parameters import LEAST_WIDTH, CoreParameters, parameter
from .ports import Core, Signature

__all__ = ["LEAST_WIDTH", "About", "Core", "CoreParameters", "Cycles", "Field", "Kind", "Message",
           "Number", "Products", "Signature", "Traits", "about", "ceil_div", "check_operands",
           "cycles_of", "expected_words", "from_words", "input_names", "key_names", "key_of",
           "kind_of", "listed", "name_in", "name_of", "option_names", "parameter", "plural",
           "results_of", "to_words", "traits"]
