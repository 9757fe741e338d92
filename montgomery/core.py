"""The contract that every core keeps: ports, parameters and cycle counts."""

import abc
import dataclasses
import types

from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .arithmetic import shown
from .operations import Example, plural

__all__ = ["LEAST_WIDTH", "CoreParameters", "Cycles", "Signature", "ceil_div",
           "from_words", "parameter", "to_words"]

#: Bits of the largest modulus of the smallest cores.
LEAST_WIDTH = 4


def ceil_div(a, b):
    """Return the smallest integer not below ``a / b``."""
    return -(-a // b)


def to_words(value, word_width, count):
    """Split ``value`` into ``count`` words of ``word_width`` bits, least significant first."""
    return [(value >> (word_width * index)) & ((1 << word_width) - 1) for index in range(count)]


def from_words(words, word_width):
    """Join words of ``word_width`` bits, least significant first."""
    return sum(word << (word_width * index) for index, word in enumerate(words))


class Signature(wiring.Signature):
    """The ports of every core.

    Parameters
    ----------
    word_width : :class:`int`
        Bits per word of either stream.
    i_width, o_width : :class:`int` or ``None``
        Bits per word of one of them, where a word holds more than one number; ``word_width`` if
        None.
    k_width : :class:`int`
        Bits per word of the keys; 0 for a core without port ``k``.

    Members
    -------
    i : :py:`In(stream.Signature(i_width))`
        Words of one operation after another, as :meth:`CoreParameters.encode` lists them.
    k : :py:`In(stream.Signature(k_width))`
        Words of keys, as :meth:`CoreParameters.encode_key` lists them. A key is what operations
        have in common: the modulus and its constants, and the exponent if there is one. It stays
        until another key has been received in full, or the core is reset. Operations whose first
        word is accepted after that use the new key; operations before use the old one. While the
        core has only a part of a key, or none, it accepts no first word. A key that is offered goes
        before operations that have not begun, and waits for those that have, but not for their
        results to be taken.
    o : :py:`Out(stream.Signature(o_width))`
        Words of the results, for :meth:`CoreParameters.decode`.
    """

    def __init__(self, word_width, *, i_width=None, o_width=None, k_width=0):
        self.word_width = word_width
        self.k_width = k_width
        self.i_width = word_width if i_width is None else i_width
        self.o_width = word_width if o_width is None else o_width
        super().__init__({
            "i": In(stream.Signature(self.i_width)),
            "o": Out(stream.Signature(self.o_width)),
            **({"k": In(stream.Signature(k_width))} if k_width else {}),
        })

    def __eq__(self, other):
        return type(other) is type(self) and (
            (other.word_width, other.i_width, other.o_width, other.k_width)
            == (self.word_width, self.i_width, self.o_width, self.k_width))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cycles:
    """Clocks of one operation in an environment that never waits.

    Attributes
    ----------
    load_key : :class:`int`
        From the clock that accepts the first word of a key to the first one that may accept a word
        of an operation. 0 for a core without port ``k``.
    load : :class:`int`
        From the clock that accepts the first operand word to the one that accepts the last, both
        counted.
    compute : :class:`int`
        From the clock that accepts the last operand word to the one in which the first result word
        is ready. This is what papers call the time of a multiplication.
    unload : :class:`int`
        From the clock in which the first result word is ready to the one that hands over the last,
        both counted.
    interval : :class:`int`
        From the first result word of one operation to the first of the next, when the next one
        depends on the result of this one and has the same key. A word of the next operation follows
        the word of the result at the same place, one clock later. On a multiplier that keeps
        results as operands (:attr:`CoreParameters.chains`) they are not sent. On a core without
        port ``k`` the next operation follows the whole result.
    """

    load_key: int = 0
    load: int
    compute: int
    unload: int
    interval: int


def parameter(default=dataclasses.MISSING, help="", *, minimum=None, maximum=None, choices=None):
    """Declare a field of :class:`Parameters` together with its rule.

    Parameters
    ----------
    default
        Value if none is given; the field is required without it.
    help : :class:`str`
        One line for ``montgomery list``.
    minimum, maximum : :class:`int` or ``None``
        Inclusive bounds of an integer.
    choices : sequence or ``None``
        The legal values, where they can be listed.
    """
    return dataclasses.field(default=default, metadata={
        "help": help, "minimum": minimum, "maximum": maximum, "choices": choices})


@dataclasses.dataclass(frozen=True, kw_only=True)
class CoreParameters(abc.ABC):
    """What a core is instantiated with, and everything that can be said without hardware.

    This is what the kinds of cores have in common: :class:`montgomery.kinds.multiplier.Multiplier`,
    :class:`montgomery.kinds.exponentiator.Exponentiator` and
    :class:`montgomery.kinds.rsa_crt.RsaCrt`. Each core derives one frozen class named
    ``Parameters`` from one of these, in a module of its own; see :meth:`name`.

    Whatever uses cores asks them what it has to know, here or by a method, and never which kind
    they are. So a new kind is a class derived from this one, in a module of
    :mod:`montgomery.kinds`.

    Parameters
    ----------
    width : :class:`int`
        Every odd modulus from 3 to ``2**width - 1`` works, unless the architecture's documentation
        says which do not; see :meth:`usable_modulus`.
    word_width : :class:`int`
        Bits per word of the streams.

    Raises
    ------
    TypeError
        For a parameter that is unknown or of the wrong type.
    ValueError
        For a value that breaks its rule; the message names the nearest legal one.
    """

    #: Name of the kind of core, a key of :data:`montgomery.KINDS`.
    kind = ""
    #: What stands before the name of a core of this kind where all kinds are named; may be empty.
    prefix = ""
    #: What commands call all cores of this kind together.
    group = ""
    #: What a core of this kind is called in a sentence, and what several are.
    noun, nouns = "core", "cores"
    #: Names that the kind had, which commands and files may still have.
    formerly = ()
    #: The noun for one operation of the core.
    operation = ""
    #: The result of an operation, as a formula of the names of its inputs.
    formula = ""
    #: The hardware is the same for every :class:`~montgomery.technology.Technology`.
    portable = True
    #: A line of help for each input of an operation, by its name, in the order in which methods
    #: take the inputs.
    input_help = types.MappingProxyType({})
    #: The names of the inputs alone.
    inputs = ()
    #: Names of the inputs that make up a key, the last ones of :attr:`inputs`; empty for a core
    #: without port ``k``. See :class:`Signature`.
    key_inputs = ()
    #: Bits of the longest exponent; 0 if the core takes no exponent.
    longest_exponent = 0
    #: Whether an operation of the core makes an RSA signature or half of one; see
    #: :meth:`rsa_operations`.
    does_rsa = False
    #: Whether an operand can be the result of the operation before, which is not sent; only of
    #: multipliers, see :meth:`Parameters.encode`.
    chains = False
    #: Number of registers that only delay operands, which papers may leave out of their areas. None
    #: if they are not counted apart from other registers.
    skew_bits = None
    #: Clocks from the first word of a result to the first word of the next result, for independent
    #: operations that are sent back to back in an environment that never waits. None if unknown.
    initiation = None
    #: :class:`Cycles` of every operation, or of the slowest operation if they hardly differ. None
    #: if they depend on the inputs.
    common_cycles = None
    #: Citation of the paper, and the algorithm or figure in it that the architecture follows.
    source = ""
    #: One line for ``montgomery list``.
    summary = ""
    #: Width of the core in the preset ``quick``: one that people use, if tools take seconds for it.
    quick_width = 64

    width: int = parameter(help="bits of the largest modulus", minimum=LEAST_WIDTH, maximum=4096)
    word_width: int = parameter(16, "bits per word of the streams", minimum=1, maximum=4096)

    def __post_init__(self):
        for field in dataclasses.fields(self):
            self._check(field, getattr(self, field.name))
        self.check_parameters()

    @staticmethod
    def _check(field, value):
        rule, label = field.metadata, field.name.replace("_", " ").capitalize()
        if not isinstance(value, field.type) or (field.type is int and isinstance(value, bool)):
            wanted = "an integer" if field.type is int else f"a {field.type.__name__}"
            raise TypeError(f"{label} must be {wanted}, not {value!r}")
        if rule["choices"] is not None and value not in rule["choices"]:
            raise ValueError(f"{label} must be one of {', '.join(map(str, rule['choices']))}, "
                             f"not {value!r}")
        low, high = rule["minimum"], rule["maximum"]
        if low is not None and value < low:
            raise ValueError(f"{label} must be {low} or more, not {value}; the nearest legal value "
                             f"is {low}")
        if high is not None and value > high:
            raise ValueError(f"{label} must be {high} or less, not {value}; the nearest legal "
                             f"value is {high}")

    def check_parameters(self):
        """Check rules that involve several parameters; raise :exc:`ValueError`."""

    @classmethod
    def name(cls):
        """Name in the registry: that of the core's module.

        A module in a folder that is called as its :attr:`kind`, such as ``multiplier.py``, gives
        its core the name of the folder.
        """
        *folders, last = cls.__module__.split(".")
        return folders[-1] if len(folders) > 1 and last == cls.kind else last

    def modules(self):
        """Return the modules that the core is made of: measurements hold until they change.

        Returns
        -------
        tuple of :class:`str`
            Absolute names of the modules that define the hardware and the integer model. Modules
            that these import are found by their sources and need not be listed. A core that finds
            another core by name adds the modules of that core.
        """
        return (type(self).__module__,)

    @property
    @abc.abstractmethod
    def result_words(self):
        """Number of words of a result."""

    @property
    def i_width(self):
        """Bits per word of port ``i``, as :meth:`encode` returns them."""
        return self.word_width

    @property
    def o_width(self):
        """Bits per word of port ``o``, as :meth:`decode` takes them."""
        return self.word_width

    @property
    def k_width(self):
        """Bits per word of port ``k``, as :meth:`encode_key` returns them; 0 without the port."""
        return self.word_width if self.key_inputs else 0

    @property
    def signature(self):
        """:class:`Signature` of the component."""
        return Signature(self.word_width, i_width=self.i_width, o_width=self.o_width,
                         k_width=self.k_width)

    def key_of(self, *inputs):
        """Return the inputs that make up the key of an operation, in order."""
        return inputs[len(self.inputs) - len(self.key_inputs):]

    @abc.abstractmethod
    def compute(self, *inputs):
        """Return the result of the hardware, by the steps of the paper's algorithm.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """

    @abc.abstractmethod
    def golden(self, *inputs):
        """Return the result by the definition of the operation, as Python's own integers have it.

        It is below the modulus, even where :meth:`compute` may return a larger number.
        """

    def contradiction(self, result, *inputs):
        """Return what a result of :meth:`compute` should have been; empty if it is right."""
        golden = self.golden(*inputs)
        return "" if result == golden else f"{self.formula} = {golden:#x}"

    def encode_key(self, *key):
        """Return the list of words to send to port ``k``, in order, for the key of :meth:`key_of`.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """
        raise TypeError(f"{self.name()} takes no key; send its inputs with each {self.operation}")

    @abc.abstractmethod
    def encode(self, *inputs):
        """Return the list of words to send to port ``i``, in order.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """

    def decode(self, words):
        """Return the result from the list of words received from port ``o``.

        Raises
        ------
        ValueError
            If the number of words is not :attr:`result_words`, or one has more than
            :attr:`o_width` bits.
        """
        if len(words) != self.result_words:
            raise ValueError(f"A result has {plural(self.result_words, 'word')}, not {len(words)}; "
                             f"collect all words of one operation")
        for index, word in enumerate(words):
            if not 0 <= word < 1 << self.o_width:
                raise ValueError(f"Word {index} of a result must be from 0 to 2**{self.o_width} - "
                                 f"1, not {shown(word)}; give each word as it comes from the core")
        return from_words(words, self.o_width)

    def result(self, *inputs):
        """Return the list of words that come from port ``o``, in order.

        Raises
        ------
        TypeError, ValueError
            As :meth:`check_operands` does.
        """
        return to_words(self.compute(*inputs), self.o_width, self.result_words)

    @abc.abstractmethod
    def cycles_of(self, *inputs):
        """Return the :class:`Cycles` of one operation, exactly."""

    @property
    @abc.abstractmethod
    def longest(self):
        """The inputs of an operation that takes the most words and the most clocks."""

    @staticmethod
    @abc.abstractmethod
    def lengths(*inputs):
        """Return the lengths, in bits, on which the time of an operation may depend.

        They are public.
        """

    def shorter_cores(self):
        """Return the parameters of some shorter cores whose words the core takes as well.

        It takes as long for them as the shorter core. There are none by default.
        """
        return []

    def fitted(self, *inputs, **options):
        """Return the parameters whose words give the core the least time for an operation.

        These are its own parameters, unless the core takes the words of shorter cores as well.

        Raises
        ------
        ValueError
            If the numbers are too long for the core.
        """
        return self

    @property
    def constants_of_core(self):
        """Numbers, by name, on which a result depends beside the inputs."""
        return {}

    @abc.abstractmethod
    def edge_operands(self):
        """Return the inputs that are most likely to be computed wrongly or to take more clocks."""

    def solved_operands(self):
        """Return inputs that were solved for what random ones hardly ever give inside of a core.

        These are quotients and results of long carries, and results at the ends of their range. The
        list is the same in each call.
        """
        return []

    @abc.abstractmethod
    def random_operands(self, rng, *, shorter=False):
        """Return random inputs of an operation with a short exponent, which takes little time.

        Parameters
        ----------
        rng : :class:`random.Random`
        shorter : :class:`bool`
            The modulus has any length, instead of the full length.
        """

    def random_modulus(self, rng, *, shorter=False):
        """Return a random modulus of full length, or of any length; see :meth:`random_operands`."""
        bits = rng.randint(2, self.width) if shorter else self.width
        return self.usable_modulus(rng.getrandbits(bits) | (1 << (bits - 1)) | 1)

    @abc.abstractmethod
    def whole_operation(self, rng):
        """Return a :class:`~montgomery.operations.WholeOperation` with random numbers of full
        length.
        """

    def check_enumerable(self):
        """Refuse a core of which :meth:`every_operation` cannot list all operations.

        Raises
        ------
        ValueError
            If the core is one of these; the message has no advice.
        """
        raise ValueError(f"Only a multiplier can be tried with all operands, not the {self.noun} "
                         f"{self.name()}")

    def every_operation(self, size):
        """Return an iterable of the inputs of all operations, in blocks of about ``size``.

        A block has a length, can be iterated over, and can be sent to another process. There are no
        blocks if :meth:`check_enumerable` refuses the core.
        """
        return ()

    def rsa_operations(self, key, message):
        """Return the operations that raise a message to the private exponent of a key.

        Parameters
        ----------
        key : :class:`~montgomery.operations.RsaKey`
        message : :class:`int`
            Below its modulus.

        Returns
        -------
        list of pairs of :class:`tuple` and :class:`dict`
            Inputs and options of each: one operation, or two whose results
            :meth:`~montgomery.operations.RsaKey.join` joins. Empty if the core is too short, or
            :attr:`does_rsa` is false.
        """
        return []

    @staticmethod
    def rsa_clocks(bits, *, compute, interval):
        """Return the clocks of an RSA operation with a modulus and an exponent of ``bits`` bits.

        Parameters
        ----------
        compute, interval : number
            Those of :class:`Cycles`, for the longest operation of a core of ``bits`` bits.

        Returns
        -------
        number or None
            None if RSA does not consist of operations of this kind of core.
        """
        return None

    def example(self, rng):
        """Return an :class:`~montgomery.operations.Example` with random numbers.

        It takes little time: exponents are short.

        Parameters
        ----------
        rng : :class:`random.Random`
        """
        inputs = self.random_operands(rng)
        return Example(inputs=dict(zip(self.inputs, inputs, strict=True)),
                       operations=[(f"one {self.operation}", inputs)],
                       result=self.compute(*inputs), formula=self.formula)

    @abc.abstractmethod
    def describe(self):
        """Return the :class:`~montgomery.operations.Description` of the operations."""

    def moduli_text(self):
        """Return the rule for moduli, as text."""
        return f"odd, from 3 to 2^{self.width} - 1"

    def multipliers(self, technology):
        """Return the number of multiplier blocks that the core takes.

        Parameters
        ----------
        technology : :class:`~montgomery.technology.Technology`
            One that has multipliers.

        Raises
        ------
        ValueError
            If its multipliers cannot hold what the core multiplies.
        """
        return 0

    def usable_modulus(self, modulus):
        """Return the largest modulus up to an odd one that the core works with, at least 3.

        Where all moduli work it is that one.
        """
        return modulus

    @abc.abstractmethod
    def check_operands(self, *inputs):
        """Refuse operands that the core is not made for.

        Raises
        ------
        TypeError
            If one is not an integer.
        ValueError
            If one is out of range.
        """

    @abc.abstractmethod
    def create(self):
        """Return a new :class:`amaranth.lib.wiring.Component` with ports :class:`Signature`."""
