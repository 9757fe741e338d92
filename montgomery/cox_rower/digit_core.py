"""The hardware of RSA without CRT, and with it: from digits to digits."""

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import wiring

from ..blocks.skid import Skid
from .correction import Correction
from .dispatcher import Dispatcher
from .front import Front
from .result_gate import ResultGate
from .ring import Load, RowerRing

__all__ = ["CoxRowerCore"]


class CoxRowerCore(wiring.Component):
    """RSA in a residue number system, on parallel units in a ring, the Rowers: Figures 4 and 5.

    A number is the list of its remainders modulo the elements of two bases, A and B. When a key has
    come, a divider finds what the product of base B and its square are modulo the modulus, and the
    Rowers find the inverse of the modulus modulo the elements of base B; all of this stays with the
    key. For a message, the base of the power is converted to remainders, brought into Montgomery's
    form, and raised to the exponent by windows of some bits: as many squares and one product for
    each digit of so many bits, whatever the digit. The power leaves Montgomery's form, is converted
    to an ordinary number, and is corrected to below the modulus.

    With CRT, all is done modulo p first and then modulo q, on the same Rowers. A message is
    converted to remainders in both bases together. Montgomery's reduction of it gives a number
    below twice the factor, which the cube of B brings into Montgomery's form; the paper divides the
    message by the factor instead. The two powers are each multiplied by the inverse of the other
    factor, and then by that factor, and added; the sum is converted from both bases together, and
    corrected to below p q.

    The paper's LSI (Table 1) does RSA without and with CRT on the same Rowers. So does
    ``rsa_crt.cox_rower`` with ``keys="both"``: a key without CRT is one of a single factor N, of
    the length that p and q may have. The last conversion is the same, of the sum of the result
    and N.

    With a check, the result is raised to the public exponent, which brings the message back unless
    there was a fault; the result leaves after that, or ones instead.

    Latency: for each digit of the exponent, as many multiplications as it has bits and one more, by
    each factor; beside these, the powers, the conversions and the correction. Throughput: one
    operation at a time; the words of the next message are taken while the result is handed over.

    Parameters
    ----------
    params : :class:`~montgomery.cox_rower.digit_parameters.DigitParameters`

    Members
    -------
    i, k, o : see :class:`montgomery.Signature`
    """

    def __init__(self, params):
        self.params = params
        super().__init__(params.signature)

    def elaborate(self, platform):
        m = Module()
        p, at = self.params, self.params.places
        sets = list(zip(p.sets, p.layouts, strict=True))
        slots = p.bases[-1].n // p.u
        m.submodules.front = front = Front(p.bases, p.u, p.header_words, crt=at.crt,
                                           both=p.single_too, check=p.checks)
        runs = len(p.programs[0])
        m.submodules.dispatcher = dispatcher = Dispatcher(
            p.microcode, at, width=p.word_width, header=p.header, runs=runs, both=p.single_too)
        m.submodules.ring = ring = RowerRing(
            [program for programs in p.programs for program in programs], sets,
            latency=p.latency, loads=(Load(at.unit, 2 * at.loaded * slots),
                                      Load(at.digits, (1 + at.crt) * slots)))
        m.submodules.correction = correction = Correction(
            p.word_width, p.sets[0].reduction.width, p.result_words, doubles=at.crt)
        m.submodules.result = result = Skid(p.word_width)
        for source, target in ((wiring.flipped(self.i), front.i), (wiring.flipped(self.k), front.k),
                               (front.header, dispatcher.i), (front.modulus, correction.modulus),
                               (front.rows, ring.i), (ring.sum, correction.i)):
            wiring.connect(m, source, target)
        gives = correction.o.valid
        if p.checks:
            m.submodules.gate = gate = ResultGate(p.word_width, p.result_words)
            for source, target in ((correction.o, gate.i), (gate.copy, front.copy),
                                   (gate.o, result.i)):
                wiring.connect(m, source, target)
            m.d.comb += [gate.message.payload.eq(self.i.payload),
                         gate.message.valid.eq(self.i.valid & self.i.ready)]
            gives = gate.gives
        else:
            wiring.connect(m, correction.o, result.i)
        if p.single_too:
            m.d.comb += dispatcher.single.eq(front.single)
        # Programs of a size are numbered from its first one on.
        program = Signal(range(runs * len(sets)), name="program")
        m.d.sync += program.eq(dispatcher.next.program
                               + Array(range(0, runs * len(sets), runs))[front.set])
        m.d.comb += [
            dispatcher.is_key.eq(front.is_key), dispatcher.begin.eq(front.begin),
            dispatcher.takes.eq(ring.takes), ring.more.eq(dispatcher.more),
            ring.load.eq(front.is_message), ring.next.eq(dispatcher.next),
            ring.next.program.eq(program), front.ready.eq(self.o.valid),
            front.gives.eq(gives | result.o.valid),
        ]
        last_sums = [(1 + at.crt) * bases.n - 1 for bases in p.bases]
        if len(sets) == 1:
            m.d.comb += correction.last_sum.eq(last_sums[0])
        else:
            with m.If(~front.gives):  # the next key may come while digits go out
                m.d.sync += correction.last_sum.eq(Array(last_sums)[front.set])

        # A result waits until the Rowers have nothing to do, but not for those of the next key.
        free, was_free = Signal(name="free"), Signal(name="was_free")
        m.d.sync += was_free.eq(result.o.valid & free)
        m.d.comb += [free.eq(ring.i.ready | was_free), self.o.payload.eq(result.o.payload),
                     self.o.valid.eq(result.o.valid & free),
                     result.o.ready.eq(self.o.ready & free)]
        return m
