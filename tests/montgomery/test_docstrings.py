"""Every component of the package says its latency and its throughput."""

import importlib
import inspect
import pkgutil

import pytest
from amaranth.lib import wiring

import montgomery


def _components():
    for info in pkgutil.walk_packages(montgomery.__path__, "montgomery."):
        module = importlib.import_module(info.name)
        for name, cls in vars(module).items():
            if (inspect.isclass(cls) and issubclass(cls, wiring.Component)
                    and cls.__module__ == info.name):
                yield pytest.param(cls, id=f"{info.name.removeprefix('montgomery.')}.{name}")


@pytest.mark.parametrize("component", list(_components()))
def test_says_what_it_is(component):
    text = "".join(cls.__doc__ for cls in component.__mro__[:component.__mro__.index(
        wiring.Component)]).lower()
    assert [word for word in ("latency", "throughput") if word not in text] == []
