"""What the bases alone determine, and the memory it takes: Tables 2 and 3."""

from montgomery.cox_rower.bases import carmichael
from montgomery.cox_rower.conversion import RadixConstants

__all__ = ["VARIABLES", "VARIABLES_CRT", "of_rower", "own_constants", "ram_bytes", "rom_bytes",
           "table_2"]

#: What is kept for each pair of elements a_j, b_j while Figure 4 is done, and how many words it is.
VARIABLES = {"powers of x": 32, "y": 2, "B**2 mod N": 2, "to_xi": 1, "t_to_xi": 1, "s_a": 1,
             "s_b": 1, "t_a": 1, "digit": 1, "digit of N": 1}
#: What is kept in addition with CRT, where all of the above is that of p, and then of q.
VARIABLES_CRT = {"one, B**2, to_xi and t_to_xi of q": 6, "p": 2, "q": 2, "1/p mod q": 2,
                 "1/q mod p": 2, "t_p": 2, "t_q": 2, "upper digit": 1, "upper digit of N": 1,
                 "digits of C": 2}


def table_2(rns, *, crt):
    """Return Table 2: by name, for each pair a_j, b_j its words.

    Digits of Equation 9 are dealt out like the elements: a Rower has digit j - 1 where it has a_j,
    and with CRT, where there are twice as many, digit n + j - 1 also. Digits of -A are those of a
    number modulo 2**(rn), so that all sums are of positive numbers.

    Parameters
    ----------
    rns : :class:`~montgomery.cox_rower.rns.Rns`
    crt : bool
        Conversion from both bases is wanted too.

    Returns
    -------
    dict from :class:`str` to list of tuple of :class:`int`
    """
    bases, r, n = rns.bases, rns.bases.r, rns.bases.n
    single = RadixConstants(bases.a, r)
    table = {
        "A_j^-1 [a_j]": [(value,) for value in single.to_xi],
        "A_i [b_j]": [row for _, row, _ in rns.a_to_b],
        "-A [b_j]": [(negated,) for *_, negated in rns.a_to_b],
        "B_j^-1 [b_j]": [(value,) for value in RadixConstants(bases.b, r).to_xi],
        "B_i [a_j]": [row for _, row, _ in rns.b_to_a],
        "-B [a_j]": [(negated,) for *_, negated in rns.b_to_a],
        "2^(r i) [a_j]": [_powers(r, n, element) for element in bases.a],
        "2^(r i) [b_j]": [_powers(r, n, element) for element in bases.b],
        "A_i (j-1)": [row for row, _ in single.rows],
        "-A (j-1)": [(negated,) for _, negated in single.rows],
    }
    if crt:
        both = RadixConstants(bases.a + bases.b, r)
        pairs = list(zip(both.rows[:n], both.rows[n:], strict=True))
        table |= {
            "(AB/a_j)^-1 [a_j]": [(value,) for value in both.to_xi[:n]],
            "(AB/b_j)^-1 [b_j]": [(value,) for value in both.to_xi[n:]],
            "AB/a_i, AB/b_i (j-1)": [(*low, *high) for (low, _), (high, _) in pairs],
            "-AB (j-1)": [(low, high) for (_, low), (_, high) in pairs],
        }
    return table


def own_constants(rns):
    """Return, in the same form, what is kept here and is not in Table 2.

    Products of what would be multiplied by one after the other; and µ of both bases and λ - 1,
    which the paper has to keep somewhere too.
    """
    bases = rns.bases
    columns = {
        "(B A_j)^-1 [a_j]": rns.s_to_xi, "A_j [a_j]": rns.from_xi,
        "-B_j^-1 [b_j]": rns.negated_inverse_of_b_j,
        "mu_j": [bases.mu(element) for element in bases.a],
        "nu_j": [bases.mu(element) for element in bases.b],
        "lambda_j - 1": [carmichael(element) - 1 for element in bases.b],
    }
    return {name: [(value,) for value in values] for name, values in columns.items()}


def _powers(r, n, element):
    return tuple((1 << r * index) % element for index in range(1, n))


def of_rower(table, rower, u):
    """Return the part of such a table that Rower ``rower`` of ``u`` has: j = rower + u l."""
    return {name: column[rower::u] for name, column in table.items()}


def rom_bytes(systems, *, crt, own=False):
    """Return the bytes of Table 2 for several base sizes together.

    Parameters
    ----------
    systems : iterable of :class:`~montgomery.cox_rower.rns.Rns`
    crt : collection of :class:`int`
        Base sizes of which conversion from both bases is wanted.
    own : bool
        Count :func:`own_constants` too.
    """
    words = 0
    for rns in systems:
        tables = [table_2(rns, crt=rns.bases.n in crt)] + [own_constants(rns)] * own
        words += sum(len(row) for table in tables for column in table.values() for row in column)
        r = rns.bases.r
    return words * r // 8


def ram_bytes(rns, *, crt):
    """Return the bytes of the variables, with the largest of the bases."""
    words = sum(VARIABLES.values()) + (sum(VARIABLES_CRT.values()) if crt else 0)
    return words * rns.bases.n * rns.bases.r // 8
