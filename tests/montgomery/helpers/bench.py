"""Testbenches for anything with streams ``i`` and ``o``, and the checks of their results."""

import dataclasses
import functools
import random

from amaranth.hdl import ClockDomain, Module
from amaranth.sim import Simulator

from explore.simulation import AmaranthEngine, simulate
from montgomery.core import cycles_of, key_of

__all__ = ["Lax", "Simulated", "Transfer", "check_core", "drive", "keys_of", "offer", "receive",
           "run", "setter", "simulated", "stream", "transfer"]


@dataclasses.dataclass(frozen=True)
class Transfer:
    """What went through a component: the words, and the clocks in which each went in and out."""

    words: list
    sent: list
    received: list


class Lax:
    """Parameters whose ``encode`` passes words on as they are, given as a list instead of inputs.

    Words for port ``k`` may stand behind it.
    """

    def __init__(self, params):
        self._params = params

    def __getattr__(self, name):
        return getattr(self._params, name)

    def encode(self, *inputs):
        return inputs[0] if isinstance(inputs[0], list) else self._params.encode(*inputs)

    def encode_key(self, key):
        return key if isinstance(key, list) else self._params.encode_key(key)

    def _cycles_of(self, *inputs):
        return self._params.cycles


class Simulated:
    """A component in a simulator, which begins anew with each run.

    To build the simulator of a core takes longer than a few of its operations.
    """

    def __init__(self, component):
        self.component, self._testbenches, self._slots = component, (), 0
        m = Module()
        m.domains.sync = ClockDomain()  # which a component of wires does not bring
        m.submodules.dut = component
        self.simulator = Simulator(m)
        self.simulator.add_clock(1e-6)

    def run(self, *testbenches):
        """Simulate from a reset until all ``testbenches`` have ended."""
        self.simulator.reset()
        self._testbenches = testbenches
        while self._slots < len(testbenches):
            self._add(self._slots)
            self._slots += 1
        self.simulator.run()

    def _add(self, slot):
        async def testbench(ctx):
            if slot < len(self._testbenches):
                await self._testbenches[slot](ctx)

        self.simulator.add_testbench(testbench)


@functools.lru_cache(maxsize=4)
def simulated(params):
    """Return the simulator of a core: tests that follow each other share it."""
    return Simulated(params.create())


def run(component, *testbenches):
    """Simulate until all ``testbenches`` have ended."""
    Simulated(component).run(*testbenches)


def keys_of(params, vectors, **options):
    """Return the words of the key that goes before each operation: none where the key stays."""
    keys, before = [], None
    for vector in vectors:
        key = key_of(params, *vector)
        keys.append(params.encode_key(*key, **options) if key and key != before else [])
        before = key
    return keys


def stream(params, vectors, *, exponent_bits=None, **pauses):
    """Send operations one after the other, and return their results; see :func:`transfer`.

    Parameters
    ----------
    exponent_bits : :class:`int` or ``None``
        Length of the exponents of exponentiations that are to be hidden.
    """
    options = {} if exponent_bits is None else {"exponent_bits": exponent_bits}
    words, keys = [], {}
    for vector, key in zip(vectors, keys_of(params, vectors, **options), strict=True):
        keys[len(words)] = key
        words += params.encode(*vector, **({} if params.k_words else options))
    size = params.result_words
    count = len(vectors) * size
    done = transfer(params.create(), words, count, keys=keys, **pauses)
    return [params.decode(done.words[start:start + size]) for start in range(0, count, size)]


def transfer(component, words, count, *, keys=None, put_after=lambda index: 0,
             get_after=lambda index: 0, patience=1000):
    """Send ``words``, receive ``count`` words, and see that nothing follows.

    Parameters
    ----------
    component : component or :class:`Simulated`
    keys : dict from :class:`int` to list of :class:`int`, or ``None``
        Words for port ``k``, which are sent before the word of an index.
    put_after, get_after : callable
        Clocks for which the environment pauses before the word of an index.
    patience : :class:`int`
        Clocks after a pause in which a word must move.
    """
    core = component if isinstance(component, Simulated) else Simulated(component)
    component, done = core.component, Transfer([], [], [])

    async def sender(ctx):
        clock = 0

        async def put(port, word):
            nonlocal clock
            ctx.set(port.payload, word)
            ctx.set(port.valid, 1)
            for _ in range(patience):
                clock += 1
                if (await ctx.tick().sample(port.ready))[-1]:
                    break
            else:
                raise AssertionError(f"word {len(done.sent)} was not taken in {patience} clocks")
            ctx.set(port.valid, 0)

        for index, word in enumerate(words):
            for each in (keys or {}).get(index, ()):
                await put(component.k, each)
            pause = put_after(index)
            for _ in range(pause):
                await ctx.tick()
            clock += pause
            await put(component.i, word)
            done.sent.append(clock)

    async def receiver(ctx):
        clock = 0
        set_input = setter(ctx)
        for index in range(count):
            pause = get_after(index)
            held = None
            for waited in range(pause + patience):
                clock += 1
                set_input(component.o.ready, waited >= pause)
                *_, valid, word = await ctx.tick().sample(component.o.valid, component.o.payload)
                assert held is None or (valid and word == held), f"word {index} did not stay"
                held = word if valid else None
                if valid and waited >= pause:
                    break
            else:
                raise AssertionError(f"word {index} did not come in {patience} clocks")
            done.words.append(word)
            done.received.append(clock)
        ctx.set(component.o.ready, 1)
        for _ in range(8):
            assert not (await ctx.tick().sample(component.o.valid))[-1], "a word too many"

    core.run(sender, receiver)
    return done


def setter(ctx):
    """Return a function that sets an input, unless it has set it to that value before.

    The simulator settles each time that an input is set, whether its value changes or not.
    """
    values = {}

    def set_input(port, value):
        if values.get(id(port)) != value:
            values[id(port)] = value
            ctx.set(port, value)

    return set_input


async def offer(ctx, port, words, *, patience=10_000):
    """Offer words all the time, until each has been taken."""
    for word in words:
        ctx.set(port.payload, word)
        ctx.set(port.valid, 1)
        for _ in range(patience):
            if (await ctx.tick().sample(port.ready))[-1]:
                break
        else:
            raise AssertionError(f"a word was not taken in {patience} clocks")
    ctx.set(port.valid, 0)


async def receive(ctx, port, count, *, patience=20_000):
    """Return the next words of a port, each of which is taken at once."""
    words = []
    ctx.set(port.ready, 1)
    for _ in range(patience):
        *_, valid, word = await ctx.tick().sample(port.valid, port.payload)
        words += [word] * valid
        if len(words) == count:
            break
    else:
        raise AssertionError(f"{len(words)} of {count} words came in {patience} clocks")
    ctx.set(port.ready, 0)
    return words


async def drive(ctx, core, left, done, *, begins=0, found=None, patience=20_000):
    """Offer words of several ports at once, and take results, until it is done.

    Parameters
    ----------
    left : dict
        From names of ports to their words, which are taken out when they have been accepted.
    done : callable
        Says so, of the list that is returned.
    begins : int or dict
        Clock from which words are offered, or one for each port.
    found : list or None
        Where words of results go. Without it none is taken.

    Returns
    -------
    moved : list
        Clock and port of each word that was accepted.
    """
    set_input, moved = setter(ctx), []
    ports = {name: getattr(core, name) for name in left}
    set_input(core.o.ready, found is not None)
    for clock in range(patience):
        ended = done(moved)
        for name, port in ports.items():
            first = begins if isinstance(begins, int) else begins.get(name, 0)
            set_input(port.valid, bool(left[name]) and clock >= first and not ended)
            set_input(port.payload, left[name][0] if left[name] else 0)
        if ended:
            return moved
        moves = [name for name, port in ports.items() if ctx.get(port.valid & port.ready)]
        if found is not None and ctx.get(core.o.valid):
            found.append(ctx.get(core.o.payload))
        await ctx.tick()
        for name in moves:
            moved.append((clock, name))
            left[name] = left[name][1:]
    raise AssertionError(f"{found} came, and {left} was not taken in {patience} clocks")


def check_core(params, vectors, *, engine=None, seed):
    """Compare a core with its model and its formula: one operation after the other without stalls,
    and the same operations with random stalls, after a reset in the middle of the first one.
    """
    engine = engine or AmaranthEngine(params)
    expected = [params.compute(*vector) for vector in vectors]
    done = simulate(params, vectors, engine=engine, chained=True, seed=seed)
    assert done.products == expected, f"seed {seed}: {params!r} {vectors}"
    for vector, measured in zip(vectors, done.cycles, strict=True):
        formula = cycles_of(params, *vector)
        # The interval is that of results that are kept, of keys that stay, or of this environment.
        found = dataclasses.replace(measured, interval=formula.interval,
                                    load_key=measured.load_key or formula.load_key)
        assert found == formula, f"seed {seed}: {params!r} {vector}"
    first = cycles_of(params, *vectors[0])
    clock = random.Random(seed).randrange(1, first.load + first.compute + first.unload)
    done = simulate(params, vectors, engine=engine, seed=seed, prelude=clock,
                    i_gap=0.3, o_gap=0.4, k_gap=0.2)
    assert done.products == expected, f"seed {seed}, reset in clock {clock}: {params!r} {vectors}"
