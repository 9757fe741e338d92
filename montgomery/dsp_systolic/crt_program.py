"""The steps of an RSA operation with CRT."""

from ..blocks.program import Flow
from .lane_program import Digits, Row, power, product, reduction, row, take_modulus, take_y

__all__ = ["COLUMNS", "crt_steps"]

#: Pairs of columns beside those of the key. ``exact`` has h and the result modulo q; ``total`` the
#: upper half of the result, and the lower one; ``message`` likewise.
COLUMNS = ("exact", "reduced", "total", "message", "work", "power")


def crt_steps(columns, *, window, scaled, rows, check, arrays):
    """Return the list of steps.

    First q, then p: the message modulo the factor, the powers up to 2**window - 1, and the private
    exponent by windows. The result modulo q leaves Montgomery's domain; that modulo p leaves it as
    h = (s_p - s_q) / q. Then s = s_q + h q, and of each factor s**e is compared with the message.

    With two arrays both factors have their turn at once, each in an array and a memory of its own.
    Only the step from which h comes is done twice: for s_q, and with that for h. Both memories take
    s_q, h and s from one place, and what s**e is compared with is the message that q had: if a
    fault were in what one half alone has, the check would pass if it had that too.

    The public exponent is no secret, so that its zeros may save products.

    Parameters
    ----------
    columns : :class:`~.lane_program.Columns`
        With :data:`COLUMNS` and those of a key; see :class:`~.rsa_crt.Parameters`.
    window : :class:`int`
    scaled : :class:`bool`
        The array takes another column than the factor.
    rows : :class:`int`
        Steps of an exact reduction.
    check : :class:`bool`
    arrays : :class:`int`
        1 or 2.
    """
    both = arrays == 2
    place = columns.place

    def of_half(name):
        return place(name, half=1)

    work, other = place("work"), place("work", 1)
    result, base, reduced = place("power"), place("power", 1), place("reduced")
    factor, squared, one = of_half("modulus"), of_half("squared_r"), of_half("one")
    of_array = of_half("scaled") if scaled else factor

    def conversion(number, by, target, label=""):
        """A number of two columns times ``by``, modulo the factor: high R**2 and low R are added.
        """
        return [take_y(squared, label=label), product(place(number), other),
                product(squared, other), take_y(squared), product(place(number, 1), work),
                row(Row.COPY, work, work), row(Row.ADD, other, work),
                take_y(by), product(work, target)]

    def exact(target, **options):
        """Z / b**rows modulo the factor."""
        return [*reduction(columns, factor, rows),
                row(Row.COPY, place("reduced", choice=1), target, **options)]

    def next_half(to):
        return {"flow": Flow.REPEAT, "loop": "half", "to": to}

    steps = [
        take_modulus(of_array, label="half"),
        *conversion("message", one, place("table", 1)),
        *power(columns, window, one=one),
        product(of_half("leaves"), work, label="powered"),
        # Modulo q from_q is 0, so that what was in the other column does not matter.
        take_y(of_half("from_q"), label="join"),
        product(place("exact", 1), other),
        row(Row.COPY, work, work), row(Row.ADD, other, reduced),
        *exact(of_half("exact"), shared=both, **next_half("join" if both else "half")),
        row(Row.COPY, place("exact", 1), work),
        row(Row.MULTIPLY, place("modulus", 1), place("total"), shared=both, label="row",
            flow=Flow.REPEAT, loop="place", to="row")]
    if not check:
        return steps
    message = [place("message"), place("message", 1)]
    return [
        *steps, *(row(Row.COPY, half, half, shared=True) for half in message if both),
        take_modulus(of_array, label="check"),
        *conversion("total", one, result),
        row(Row.COPY, result, base, flow=Flow.LEAVE, loop="public", to="compare"),
        product(result, result, label="public", digits=Digits.NEXT_PUBLIC,
                flow=Flow.REPEAT_IF, loop="public", to="public"),
        product(base, result, flow=Flow.REPEAT, loop="public", to="public"),
        *conversion("message", of_half("minus_one"), work, label="compare"),
        row(Row.COPY, work, work), row(Row.ADD, result, reduced),
        *exact(other, verdict=True, **({} if both else next_half("check")))]
