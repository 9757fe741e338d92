"""Claims about a block: what its outputs are, for every input in every clock.

A module ``claims`` beside blocks has a list ``CLAIMS``. Whoever proves a claim asks for its
hardware: the block with free inputs, beside registers and logic that say what it should do.
"""

import dataclasses
import typing

from amaranth.hdl import Cat, Const, Fragment, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["LEMMA", "VIOLATED", "Checked", "Claim", "components", "keeps_handshake"]

#: How the names of the outputs begin that are never to be high.
VIOLATED = "violated_"
#: How one of them goes on.
LEMMA = "lemma"


class Checked(wiring.Component):
    """A component beside what is claimed of it; a violation shows in the clock in which it happens.

    Its ports are those of the component, with the parts of a path joined by underscores, and an
    output of one bit ``violated_NAME`` for each value that ``check`` returns by name, and one
    ``violated_lemma`` if there is a ``lemma``. Both are called with the
    :class:`~amaranth.hdl.Module` to add logic to and the component.

    The values of ``check`` are never to be high. One that is called ``unless`` is none of them:
    from the clock on in which it is high nothing is claimed. Those of ``lemma``, with other names,
    are never high, either, and whoever proves the values of ``check`` may assume that: nothing else
    is claimed from the clock on in which one of them is high. ``known`` are claims that are proved
    of components inside of this one: nothing is claimed from the clock on in which one of them does
    not hold.
    """

    def __init__(self, component, check, *, lemma=None, known=()):
        self._component, self._module, self._known = component, Module(), known
        self._lemma = lemma and dict(lemma(self._module, component))
        self._values = dict(check(self._module, component))
        self._unless = self._values.pop("unless", Const(0))
        self._ports = [("_".join(map(str, path)), member.flow, value) for path, member, value
                       in component.signature.flatten(component)]
        violated = [*self._values, *([LEMMA] if self._lemma else [])]
        super().__init__({name: flow(value.shape()) for name, flow, value in self._ports}
                         | {VIOLATED + name: Out(1) for name in violated})

    def elaborate(self, platform):
        m = self._module
        fragment = Fragment.get(self._component, platform)
        m.submodules.component = fragment
        for name, flow, value in self._ports:
            port = getattr(self, name)
            m.d.comb += value.eq(port) if flow is In else port.eq(value)
        unless = [self._unless]
        for component in components(fragment):
            for claim in self._known:
                if isinstance(component, claim.create) and component is not self._component:
                    unless += claim.check(m, component).values()
        void = self._ever(m, "void", unless)
        if self._lemma:
            violated = Cat(self._lemma.values()).any() & ~void
            m.d.comb += getattr(self, VIOLATED + LEMMA).eq(violated)
            void |= self._ever(m, "broken", [violated])
        for name, value in self._values.items():
            m.d.comb += getattr(self, VIOLATED + name).eq(value & ~void)
        return m

    @staticmethod
    def _ever(m, name, values):
        """Return whether one of some values is high or has been."""
        before = Signal(name=f"{name}_before", reset_less=True)
        now = Signal(name=name)
        m.d.comb += now.eq(before | Cat(values).any())
        m.d.sync += before.eq(now)
        return now


def components(fragment):
    """Yield the components in an elaborated design whose registers have its clock and reset."""
    yield from fragment.origins or ()
    for inner, *_ in fragment.subfragments:
        if not inner.domain_renames:
            yield from components(inner)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim about a block, and the sizes for which it is to be proved.

    The text says in one line what is claimed. ``create`` takes the parameters of the block, and
    returns it: it is the class of the block, if what is claimed is to be ``known`` of the blocks in
    a core: what is proved of the core may rely on the claim, once it is proved of these. See
    :class:`Checked` for ``check`` and ``lemma``. ``sizes`` are parameters of the block, the
    smallest ones first; each has an attribute of the same name.
    """

    text: str
    create: typing.Callable
    check: typing.Callable
    sizes: tuple
    lemma: typing.Callable | None = None
    known: bool = False

    @property
    def name(self):
        """Name of the block."""
        return self.create.__name__

    def hardware(self, size):
        """Return :class:`Checked` of a block with the parameters ``size``."""
        return Checked(self.create(**size), self.check, lemma=self.lemma)

    def size_of(self, component):
        """Return the parameters of a block."""
        return {name: getattr(component, name) for name in self.sizes[0]}


def keeps_handshake(m, component):
    """Claim that a word on offer at port ``o`` stays until it is taken, unless there is a reset."""
    o = component.o
    waits = Signal(name="waits")
    payload = Signal.like(o.payload, name="waiting", reset_less=True)
    m.d.sync += [waits.eq(o.valid & ~o.ready), payload.eq(o.payload)]
    return {"valid": waits & ~o.valid, "payload": waits & o.valid & (o.payload != payload)}
