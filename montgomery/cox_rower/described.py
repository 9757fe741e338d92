"""What cores say of their operations."""

import dataclasses

from ..operations import Definition, Operand, plural

__all__ = ["exponentiation", "multiplication", "rsa_crt"]


def _listed(name, elements):
    """Return the :class:`~montgomery.operations.Definition` of a list of elements of a base."""
    rows = (map(hex, elements[start:start + 6]) for start in range(0, len(elements), 6))
    body = "".join(f"    {', '.join(row)},\n" for row in rows)
    return Definition(name, f"the {len(elements)} elements of base {name}", f"[\n{body}]")


def _exponents(names, length, count, r, window):
    """Return how the words of exponents come about.

    Parameters
    ----------
    names : list of :class:`str`
        Of the exponents.
    length : :class:`~montgomery.operations.Definition`
        What ``exponent_bits`` is.
    count : :class:`int`
        Words of each.
    r : :class:`int`
        Bits of a word.
    window : :class:`int`
        Bits of a digit.

    Returns
    -------
    constants : list of :class:`~montgomery.operations.Definition`
    operands : list of :class:`~montgomery.operations.Operand`
    """
    in_word = r // window
    places = in_word * count
    digits = Definition("digits", f"`exponent_bits` / {window}, rounded up, and at least 1, where "
                        f"`exponent_bits` is {length.meaning}",
                        f"max(-(-exponent_bits // {window}), 1)")
    unused = f", in the lowest {window * in_word} bits of each" if r % window else ""
    meaning = (f"{1 << window}^({places} - `digits`), {plural(in_word, 'digit')} of "
               f"{plural(window, 'bit')} per word{unused}, "
               f"**highest word first**: the highest digit of the first word is the highest digit "
               "of the exponent")
    return [digits], [
        Operand("digits", 1, digits.meaning, "[digits]"),
        *(Operand(name, count, f"{name} · {meaning}",
                  f"split({name} << {window} * ({places} - digits), {count}, "
                  f"{window * in_word})[::-1]") for name in names)]


def _key_sent(params):
    """Return how a key is sent, in a sentence."""
    return (f"A key is sent to port k in words of {params.k_width} bits, its parts in this order. "
            "Where nothing else is said, the lowest word of a part is sent first.")


def multiplication(params, said):
    """Return what its kind has said of a multiplier, and what its architecture adds."""
    n, below = params.rns.bases.n, params.bound_definition.meaning
    numbers = {"x": f"the first factor x, below {below}",
               "y": f"the second factor y, below {below}"}
    bases = params.rns.bases
    lists = [_listed(name, params.ordered(elements))
             for name, elements in (("A", bases.a), ("B", bases.b))]
    key_operands = [Operand(constant.name, n, constant.meaning, constant.name)
                    for constant in params.definitions]
    operands = [Operand(name, 2 * n, f"{meaning}, by its remainders: {name} mod each element "
                        f"of base A, and then of base B", f"[{name} % e for e in A + B]")
                for name, meaning in numbers.items()]
    return dataclasses.replace(
        said, key_operands=key_operands, operands=operands,
        key_sent=f"A key is sent to port k in {2 * n} words of {params.k_width} bits, its parts "
                 "in this order.",
        definitions=[*lists, params.r_definition,
                     Definition("AB", "the product of all elements", "math.prod(A + B)")],
        sent=f"{said.sent} A number is sent as its remainders modulo {2 * n} fixed elements, "
             "those of bases A and B, in the order in which the Python code below lists them.",
        received=f"{said.received} They are numbers congruent to the result modulo each "
                 "element of base A, and then of base B. The result is the number below the "
                 "product of all elements with these remainders, by the Chinese remainder "
                 "theorem.",
        decoded="sum(word * pow(AB // e, -1, e) * (AB // e) for word, e in zip(words, A + B)) "
                "% AB")


def exponentiation(params, said):
    """Return what its kind has said of an exponentiator, and what its architecture adds."""
    n = params.result_words
    constants, operands = _exponents(["exponent"], said.constants[0],
                                    params.exponent_words, params.word_width, params.window)
    return dataclasses.replace(
        said, constants=[*said.constants, *constants],
        definitions=[_listed("B", params.multiplier.rns.bases.b)],
        key_sent=_key_sent(params),
        key_operands=[*operands, Operand("modulus", n, "the modulus m",
                                         f"split(modulus, {n}, bits=K_WIDTH)")],
        operands=[Operand("base", n, "the base", f"split(base, {n})")],
        advice=f"{said.advice} It counts in digits of {plural(params.window, 'bit')}. The time "
               "that a key takes depends on the length of the modulus in words.")


def rsa_crt(params, said):
    """Return what its kind has said of a core for RSA with CRT, and what its architecture adds."""
    n = params.bases[-1].n
    constants, operands = _exponents(["exponent_p", "exponent_q"], said.constants[0],
                                    params.exponent_words, params.word_width, params.window)
    operands += [Operand(name, count, meaning, f"split({python}, {count}, bits=K_WIDTH)")
                 for name, count, meaning, python in (
            ("p", n, "the factor p", "p"), ("q", n, "the factor q", "q"),
            ("q_inverse", n, "q⁻¹ mod p: the number below p whose product with q is 1 modulo p",
             "pow(q, -1, p)"),
            ("p_inverse", n, "p⁻¹ mod q: the number below q whose product with p is 1 modulo q",
             "pow(p, -1, q)"),
            ("modulus", 2 * n, "the modulus m = p q", "p * q"))]
    if params.single_factor:
        operands.insert(0, Operand("factors", 1, "2 for a key with CRT; 1 for one without, where "
                                   "q is 1", "[1 if q == 1 else 2]"))
    elements = sorted({element for bases in params.bases for element in bases.b}, reverse=True)
    return dataclasses.replace(
        said, constants=[*said.constants, *constants], key_sent=_key_sent(params),
        key_operands=operands,
        operands=[Operand("message", 2 * n, "the message", f"split(message, {2 * n})")],
        definitions=[_listed("B", elements)],
        advice=f"{said.advice} It counts in digits of {plural(params.window, 'bit')}. The time "
               "that a key takes depends on the lengths of p and q in words.")
