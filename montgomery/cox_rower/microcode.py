"""What the Rowers do for a key and for a message, as a program; the integers that it leaves.

The program has steps 2 to 8 of Figure 4, or 4 to 11 of Figure 5. Each step is one operation of the
Rowers on numbers in their memories. Nothing but the places of numbers depends on a secret.
"""

import itertools
import math

from amaranth.lib import data, enum

from ..blocks.program import END, Flow, Loop, Program, Step
from ..blocks.windows import digits_of
from ..core import ceil_div, from_words, to_words
from ..kinds.rsa_crt import LONGEST_PUBLIC
from .rns import Residues

__all__ = ["Adds", "After", "Digits", "Places", "RowerModel", "Run", "correct", "microcode",
           "remainder", "runs_of"]


class Run(enum.IntEnum):
    """The control programs of the Rowers, by number. The last two are there with CRT alone."""

    #: The Montgomery product of x and y.
    MULTIPLICATION = 0
    #: Digits to residues, Equation 8: those of a number of a key.
    TO_RNS = 1
    #: Residues to digits, Equation 9: of x, with CRT of x + y.
    TO_DIGITS = 2
    #: A step of N**-1.
    INVERSION = 3
    #: A key, of N and N**-1.
    KEY = 4
    #: The product of x and y in both bases.
    PRODUCT = 5
    #: Equation 8 with twice as many digits: those of a message.
    MESSAGE_TO_RNS = 6


class Adds(enum.IntEnum):
    """What is added to the place of an operand, or takes its place.

    ``FACTOR`` adds 1 for the factor q, and ``ENTRY`` the number of the power that is computed.
    ``POWER`` is the place of the power that the digit of the exponent asks for. So is ``RESULT`` if
    there is one digit alone; else it is ``y``.
    """

    NOTHING, FACTOR, ENTRY, POWER, RESULT = range(5)


class After(enum.IntEnum):
    """What follows an operation: the same run, another one at once, or when numbers are loaded."""

    SAME, RUN, LOAD = range(3)


class Digits(enum.IntEnum):
    """What happens after an operation to digits of an exponent, or bits of the public one."""

    KEEP, REWIND, NEXT, REWIND_PUBLIC, NEXT_PUBLIC = range(5)


class Places:
    """Numbers of the numbers in the Rowers' memories.

    ==============  ================================================================================
    name            what is there
    ==============  ================================================================================
    ``key``         the constants of a factor N
    ``square``      what brings a number into Montgomery's form: B**2 mod N; with CRT B**3 mod N
    ``unit``        1
    ``powers``      powers of x; the first of them is that to the power of 0, with CRT the message
    ``t``           with CRT: the result for p; that for q is in ``y``, behind it
    ``y``           the power that is computed
    ``inverse``     N**-1, while the key is prepared: the place before ``y``
    ``factor``      with CRT: N itself
    ``other``       with CRT: the inverse of the other factor
    ``one``         B mod N, which is x to the power of 0; without CRT, the first one of the powers
    ==============  ================================================================================

    With CRT, ``key``, ``square``, ``factor``, ``other`` and ``one`` are the places of those of p,
    and those of q are in the next ones.

    Digits are loaded in place of residues in base a, with CRT of a message also in base b. Those of
    a key are in ``unit`` and behind it: 1; N, B mod N, B**2 mod N, and with CRT the inverse of the
    other factor: ``loaded`` numbers for each. Those of a message are in ``digits``. There are
    ``count`` places in all, with a digit of the exponent of ``window`` bits.
    """

    def __init__(self, window, *, crt):
        self.window, self.crt = window, crt
        pair = 2 * crt
        # Four powers have room for what is loaded.
        sizes = {"key": 1 + crt, "square": 1 + crt, "unit": 1, "powers": max(1 << window, 4),
                 "t": crt, "y": 1, "factor": pair, "other": pair, "one": pair}
        *starts, self.count = itertools.accumulate(sizes.values(), initial=0)
        (self.key, self.square, self.unit, self.powers, self.t, self.y, self.factor, self.other,
         self.one) = starts
        self.inverse, self.digits, self.loaded = self.y - 1, self.powers + 1, 4 + crt
        if not crt:
            self.one = self.powers


def _at(place, adds=Adds.NOTHING):
    return {"place": place, "adds": adds}


def _step(run, target, x, y=None, *, after=After.SAME, digits=Digits.KEEP, **flow):
    return Step(fields={"run": run, "target": target, "x": x, "y": x if y is None else y,
                        "after": after, "digits": digits}, **flow)


def _steps(at, *, crt, name="", check=False):
    """Return the steps for a key, and those for a message; labels begin with ``name``."""
    window, top = at.window, (1 << at.window) - 1
    unit, y, inverse, x = _at(at.unit), _at(at.y), _at(at.inverse), _at(at.powers + 1)
    power, result = _at(0, Adds.POWER), _at(0, Adds.RESULT)

    def of_factor(place):
        return _at(place, Adds.FACTOR)

    def to(flow, loop, label):
        return {"flow": flow, "loop": loop, "to": name + label}

    def multiply(target, x, y=None, **more):
        return _step(Run.MULTIPLICATION, target, x, y, **more)

    # -- A key: digits to residues, N**-1, the constants; with CRT B**3.
    pairs = [(at.powers + index, place) for index, place in enumerate((at.key, at.one, at.square))]
    if at.crt:
        pairs.append((at.powers, at.factor))
    if crt:
        pairs.append((at.powers + 3, at.other))
    steps = [_step(Run.TO_RNS, of_factor(target), _at(source),
                   after=After.RUN if (source, target) == pairs[-1] else After.SAME,
                   label="" if number else f"{name}key")
             for number, (source, target) in enumerate(pairs)]
    steps += [
        _step(Run.INVERSION, inverse, unit),
        _step(Run.INVERSION, inverse, inverse, label=f"{name}inverse",
              **to(Flow.REPEAT, "inverse", "inverse")),
        _step(Run.INVERSION, inverse, inverse, after=After.RUN),
        _step(Run.KEY, of_factor(at.key), inverse, after=After.RUN if crt else After.LOAD)]
    if crt:
        steps.append(multiply(of_factor(at.square), of_factor(at.square), after=After.LOAD,
                              **to(Flow.REPEAT, "factor", "key")))
    steps.append(END)

    # -- A message: to residues and into Montgomery's form.
    steps.append(_step(Run.MESSAGE_TO_RNS if at.crt else Run.TO_RNS, _at(at.powers) if crt else y,
                       _at(at.digits), after=After.RUN, digits=Digits.REWIND,
                       label=f"{name}message"))
    if crt:
        steps.append(multiply(y, _at(at.powers), unit, digits=Digits.REWIND, label="half"))
    # -- Figure 3: the powers, and for each digit but the first squares and a product.
    only_digit = to(Flow.LEAVE, "digit", "leave")
    steps.append(multiply(x, y, of_factor(at.square), **(only_digit if window == 1 else {})))
    if window > 1:
        steps += [
            multiply(_at(at.powers, Adds.ENTRY), _at(at.powers - 1, Adds.ENTRY), x,
                     label=f"{name}entry", **to(Flow.REPEAT, "entry", "entry")),
            multiply(_at(at.powers + top), _at(at.powers + top - 1), x, **only_digit)]
    steps += [
        multiply(y, power, digits=Digits.NEXT, **to(Flow.LEAVE, "bit", "multiply")),
        multiply(y, y, label=f"{name}square", **to(Flow.REPEAT, "bit", "square")),
        multiply(y, y, power, digits=Digits.NEXT, label=f"{name}multiply",
                 **to(Flow.REPEAT, "digit", "square"))]
    # -- Out of Montgomery's form, with CRT times the inverse of the other factor; and to digits.
    added = _at(at.t if crt else at.factor) if at.crt else y
    to_digits = _step(Run.TO_DIGITS, y, y, added, after=After.LOAD)
    if not crt:
        return [*steps, multiply(y, result, unit, after=After.RUN, label=f"{name}leave"), to_digits,
                END]
    joined = [_step(Run.PRODUCT, _at(at.t), _at(at.t), _at(at.factor + 1)),
              _step(Run.PRODUCT, y, y, _at(at.factor), after=After.RUN), to_digits]
    out = {"after": After.RUN, "flow": Flow.REPEAT, "loop": "factor"}
    steps += [multiply(of_factor(at.t), result, of_factor(at.other), label="leave", to="half",
                       **out), *joined]
    # -- The check: the result to the power of the public exponent, whose bits are no secret.
    if check:
        steps += [
            _step(Run.MESSAGE_TO_RNS, _at(at.powers), _at(at.digits), after=After.RUN,
                  label="check"),
            multiply(y, _at(at.powers), unit, digits=Digits.REWIND_PUBLIC, label="check factor"),
            multiply(x, y, of_factor(at.square)),
            multiply(y, y, of_factor(at.square), digits=Digits.NEXT_PUBLIC,
                     **to(Flow.LEAVE, "public", "checked")),
            multiply(y, y, digits=Digits.NEXT_PUBLIC, label="public",
                     **to(Flow.REPEAT_IF, "public", "public")),
            multiply(y, y, x, **to(Flow.REPEAT, "public", "public")),
            multiply(of_factor(at.t), y, of_factor(at.other), label="checked", to="check factor",
                     **out), *joined]
    return [*steps, END]


def microcode(params):
    """Return the :class:`~montgomery.blocks.program.Program`, with entries ``key`` and ``message``.

    With CRT the first part is done for p and then for q; of the second one, the steps from ``half``
    to ``leave`` are.

    Where keys with CRT and without are taken, the steps of those without begin at ``single key``
    and ``single message``. There, messages and sums have twice as many digits, and N is added to
    the result, which then is below 3N.
    """
    at = params.places
    place = data.StructLayout({"place": range(at.count), "adds": Adds})
    layout = data.StructLayout({"run": Run, "target": place, "x": place, "y": place,
                                "after": After, "digits": Digits})
    steps = _steps(at, crt=at.crt, check=params.checks)
    if params.single_too:
        steps += _steps(at, crt=False, name="single ")
    return Program(layout, steps, {
        "factor": Loop(range(2)), "inverse": Loop(range(params.word_width - 2)),
        "bit": Loop(range(at.window)), "entry": Loop(range(2, (1 << at.window) - 1)),
        "public": Loop(range(LONGEST_PUBLIC), given=True),
        "digit": Loop(range(ceil_div(params.exponent_limit, at.window)), given=True)})


def runs_of(walk):
    """Return each run of some steps: its :class:`Run`, how many operations, and what follows."""
    runs, count = [], 0
    for step, _ in walk:
        count += 1
        if step.fields["after"] is not After.SAME:
            runs.append((step.fields["run"], count, step.fields["after"]))
            count = 0
    return runs


def remainder(dividend, divisor, r):
    """Return ``dividend % divisor`` by the division of :class:`~.divider.Divider`.

    The upper words of the dividend are below the divisor; bits of the others follow one by one.
    """
    dividend_words, divisor_words = (ceil_div(each.bit_length(), r) for each in (dividend, divisor))
    left = r * max(dividend_words - divisor_words + 1, 0)
    rest = dividend >> left
    for index in reversed(range(left)):
        # rest < divisor
        rest = 2 * rest + (dividend >> index & 1)
        difference = rest - divisor
        rest = rest if difference < 0 else difference
    return rest


def correct(value, modulus, multiples):
    """Return ``value - c modulus`` below the modulus, for a value below ``multiples`` times it.

    Each multiple of a power of two is subtracted, and the difference taken if it is not negative.
    """
    for power in reversed(range((multiples - 1).bit_length())):
        difference = value - (modulus << power)
        value = value if difference < 0 else difference
    return value


class RowerModel:
    """The numbers in the memories of the Rowers, while these go through the microcode."""

    def __init__(self, params, factors):
        self.params, self.at, self.factors = params, params.places, factors
        self.rns = params.sets[params.index_of(factors)]
        # By place. Lists of digits where these have been loaded.
        self.memory = {}
        self._bit, self._digits, self._result = self.rns.bases.r, [], None

    def run(self, message, exponents, bits, public=1):
        """Return the message raised to the exponents, or None if it has not passed the check.

        There is an exponent of so many bits for each factor, and a public one for the check.
        """
        at, n, r = self.at, self.rns.bases.n, self.rns.bases.r
        digits = [digits_of(each, bits, self.params.window) for each in exponents]
        results = [message]
        for walk in self.params.walks(self.factors, bits, public):
            for step, turns in walk:
                factor = turns.get("factor", 0)
                match step.label.removeprefix("single "):
                    case "key":
                        self.memory[at.unit] = self.rns.residues(1)
                        self.memory |= {place: to_words(number, r, n) for place, number in
                                        enumerate(self._numbers(factor), at.unit + 1)}
                    case "message" | "check":
                        self.memory[at.digits] = to_words(results[-1], r, (1 + at.crt) * n)
                self._do(step, turns, digits[factor])
                if step.fields["run"] is Run.TO_DIGITS:
                    results.append(correct(from_words(self._result, r), math.prod(self.factors),
                                           4 if at.crt else 2))
        return None if self.params.checks and results[-1] != message else results[1]

    def _numbers(self, index):
        """Return the numbers that are loaded for a factor: B and B**2 are divided by it."""
        factor, b, r = self.factors[index], self.rns.bases.b_product, self.rns.bases.r
        numbers = [factor, remainder(b, factor, r), remainder(b ** 2, factor, r)]
        if len(self.factors) > 1:
            numbers.append(pow(self.factors[1 - index], -1, factor))
        return numbers

    def _do(self, step, turns, digits):
        """Do a step, with the digits of the exponent of the current factor."""
        rns, memory, fields = self.rns, self.memory, step.fields
        q = turns.get("factor", 0)
        target, x, y = (self._place(fields[name], q, turns) for name in ("target", "x", "y"))
        a, b, key = rns.bases.a, rns.bases.b, self.at.key + q
        x, y = memory[x], memory[y]
        match fields["run"]:
            case Run.MULTIPLICATION:
                memory[target] = rns.product(x, y, memory[key])
            case Run.TO_RNS | Run.MESSAGE_TO_RNS:
                memory[target] = rns.from_digits(x)
            case Run.TO_DIGITS:
                self._result = rns.to_digits(x, y if self.at.crt else None)
            case Run.INVERSION:
                # All square at the same time, and multiply where their own exponent has a one.
                self._bit = (self._bit or rns.bases.r) - 1
                chosen = (n if exponent >> self._bit & 1 else 1 for n, exponent in
                          zip(memory[key].b, rns.exponents, strict=True))
                memory[target] = Residues((), rns.each(b, rns.each(b, x.b, y.b), chosen))
            case Run.KEY:
                memory[target] = Residues(rns.each(a, memory[target].a, rns.s_to_xi),
                                          rns.each(b, x.b, rns.negated_inverse_of_b_j))
            case Run.PRODUCT:
                memory[target] = Residues(rns.each(a, x.a, y.a), rns.each(b, x.b, y.b))

        match fields["digits"]:
            case Digits.REWIND:
                self._digits = digits
            case Digits.NEXT:
                self._digits = self._digits[1:]

    def _place(self, field, q, turns):
        at, place = self.at, field["place"]
        match field["adds"]:
            case Adds.NOTHING:
                return place
            case Adds.FACTOR:
                return place + q
            case Adds.ENTRY:
                return place + turns["entry"]
            case Adds.RESULT if not self._digits:
                return at.y
        digit = self._digits[0]
        return at.powers + digit if digit else at.one + q
