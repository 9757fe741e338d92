"""From formulas in Python to the steps over numbers on a stack that ``montgomery.h`` lists."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from montgomery.core import Field, Message

__all__ = ["Program", "Untranslated", "named", "names_in"]

_STEPS = {ast.Add: "ADD", ast.Sub: "SUB", ast.Mult: "MUL", ast.FloorDiv: "DIV", ast.Mod: "MOD",
          ast.LShift: "SHL", ast.RShift: "SHR", ast.BitOr: "OR", ast.Lt: "LESS", ast.Eq: "EQUAL"}
#: Steps that do not take a number from the stack, and by how many they make it higher.
_RISES = {**dict.fromkeys(("PUSH", "CONSTANT", "NAME", "ABSENT", "EACH", "WORD", "JOIN"), 1),
          **dict.fromkeys(("NEG", "BITS", "RANDOM", "LOOP", "NEXT"), 0), "POW": -2}


def parsed(formula: str) -> ast.expr:
    """Return the syntax of a formula."""
    return ast.parse(formula.strip(), mode="eval").body


def names_in(formula: str) -> set[str]:
    """Return the names in a formula."""
    return {node.id for node in ast.walk(parsed(formula)) if isinstance(node, ast.Name)}


def named(message: Message) -> set[str]:
    """Return the names that the formulas of a message have."""
    return set().union(*(names_in(number.formula) for number in message.numbers),
                       *(names_in(field.formula or field.name) for field in message.fields))


class Untranslated(ValueError):
    """A formula has no steps."""


class Program:
    """The steps that make a message, or make numbers of one.

    Each of the ``steps`` is followed by its operands. They name ``names`` by their index, of which
    the inputs are those from ``first`` on; ``highest`` is the most numbers on the stack.
    """

    def __init__(self, pool: list[int], source: Message, names: list[str], first: int):
        self.pool, self.source, self.names, self.first = pool, source, names, first
        self.steps: list[list[str]] = []
        self.highest = self._height = 0
        self._constants: dict[str, Any] = {"math": math}
        self._turns: dict[str, str] = {}  # steps for the names of a loop

    def optional(self, names: Iterable[str]) -> int:
        """Return a bit for each name of an input, the first one's lowest, that may be missing."""
        absent = {int(step[1]) for step in self.steps if step[0] == "MONT_ABSENT"}
        return sum(1 << index for index, name in enumerate(names)
                   if name == "exponent_bits" or index in absent)

    def message(self, before: str) -> None:
        """Make the message, after what is computed before."""
        if not self.source.words:
            return
        self._statements(before)
        self._numbers()
        first = place = 0
        for field in self.source.fields:
            self._field(field, first, place)
            if self.source.beside:
                place += field.bits
            else:
                first += field.words

    def numbers(self, after: str, formulas: Iterable[str]) -> None:
        """Make numbers of the message, which are left where inputs were."""
        self._numbers()
        self._statements(after)
        for index, formula in enumerate(formulas, self.first):
            self._add(parsed(formula))
            self.names += [""] * (index + 1 - len(self.names))
            self._step("STORE", index)

    def _numbers(self) -> None:
        for number in self.source.numbers:
            self._statements(f"{number.name} = {number.formula.strip()}")

    def _statements(self, source: str) -> None:
        """Add the steps of assignments, and of assertions whose message is an error's name."""
        for statement in ast.parse(source).body:
            match statement:
                case ast.Assign([ast.Name(id=name)], value) if self._is_constant(value):
                    self._constants[name] = self._value(value)
                case ast.Assign([ast.Name(id=name)], value):
                    self._add(value)
                    if name not in self.names:
                        self.names.append(name)
                    self._step("STORE", self.names.index(name))
                case ast.Assert(test, error):
                    self._all("CHECK", test)
                    self.steps[-1].append(f"MONT_{ast.unparse(error) if error else 'RANGE'}")

    def _field(self, field: Field, first: int, place: int) -> None:
        node, bits = parsed(field.formula or field.name), field.bits or self.source.width
        if field.listed:
            self._loop(node, lambda: self._step("EMIT", first, 1, bits, place))
        elif field.highest_first:
            self._add(node)
            self._step("EMIT_DOWN", first + field.words - 1, field.words, bits, place)
        else:
            self._add(node)
            self._step("EMIT", first, field.words, bits, place)

    def _step(self, step: str, *operands: object) -> None:
        self.steps.append([f"MONT_{step}", *map(str, operands)])
        self._height += _RISES.get(step, -1)
        self.highest = max(self.highest, self._height)

    def _is_constant(self, node: ast.AST) -> bool:
        names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
        own = {each.id for each in names if isinstance(each.ctx, ast.Store)}
        return all(each.id in self._constants or each.id in own for each in names)

    def _value(self, node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), "<formula>", "eval"), dict(self._constants))

    def _push(self, value: int) -> None:
        if value < 1 << 16:
            self._step("PUSH", value)
        elif value & value - 1 == 0:
            self._step("PUSH", 1)
            self._step("PUSH", value.bit_length() - 1)
            self._step("SHL")
        else:
            if value not in self.pool:
                self.pool.append(value)
            self._step("CONSTANT", self.pool.index(value))

    def _add(self, node: ast.expr) -> None:
        """Add the steps of an expression, which leave a number on the stack."""
        match node:
            case ast.UnaryOp(ast.USub(), operand):
                self._all("NEG", operand)
            case _ if self._is_constant(node):
                self._push(self._value(node))
            case ast.Name(id=name) if name in self._turns:
                self._step(self._turns[name])
            case ast.Name(id=name) if name in self.names:
                self._step("NAME", self.names.index(name))
            case ast.BinOp(left, op, right) | ast.Compare(left, [op], [right]) if (
                    type(op) in _STEPS):
                self._all(_STEPS[type(op)], left, right)
            case ast.BoolOp(ast.Or(), [first, second]):
                self._all("ELSE", first, second)
            case ast.IfExp(ast.Compare() as test, body, other):
                is_so, yes, no = map(ast.unparse, (test, body, other))
                self._add(parsed(f"({is_so}) * ({yes}) + (1 - ({is_so})) * ({no})"))
            case ast.Compare(ast.Name(id=name), [ast.Is()], [ast.Constant(value=None)]):
                self._step("ABSENT", self.names.index(name) - self.first)
            case ast.Call(ast.Name(id="pow"), [x, ast.UnaryOp(ast.USub(), ast.Constant(1)), m]):
                self._all("INV", x, m)
            case ast.Call(ast.Name(id="pow"), [x, exponent, m]):
                self._all("POW", x, exponent, m)
            case ast.Call(ast.Name(id="random"), [bits]):
                self._all("RANDOM", bits)
            case ast.Call(ast.Name(id="max"), [first, *others]):
                self._add(first)
                for other in others:
                    self._all("MAX", other)
            case ast.Call(ast.Attribute(attr="gcd"), [first, second]):
                self._all("GCD", first, second)
            case ast.Call(ast.Attribute(value, "bit_length"), []):
                self._all("BITS", value)
            case ast.Call(ast.Name(id="join"), [ast.Name(id="words")]):
                self._step("JOIN")
            case ast.Call(ast.Name(id="sum"), [terms]):
                self._push(0)
                self._loop(terms, lambda: self._step("ADD"))
            case _:
                raise Untranslated(ast.unparse(node))

    def _all(self, step: str, *nodes: ast.expr) -> None:
        for node in nodes:
            self._add(node)
        self._step(step)

    def _loop(self, node: ast.expr, each: Callable[[], None]) -> None:
        """Add the steps of a list of numbers, one for each constant of a list."""
        match node:
            case ast.ListComp(term, [ast.comprehension(ast.Name(id=name), numbers)]):
                self._turns = {name: "EACH"}
            case ast.GeneratorExp(term, [ast.comprehension(
                    ast.Tuple([ast.Name(id=word), ast.Name(id=name)]),
                    ast.Call(ast.Name(id="zip"), [ast.Name(id="words"), numbers]))]):
                self._turns = {word: "WORD", name: "EACH"}
            case _:
                raise Untranslated(ast.unparse(node))
        values = self._value(numbers)
        self._step("LOOP", len(self.pool), len(values))
        self.pool.extend(values)
        self._add(term)
        each()
        self._turns = {}
        self._step("NEXT")
