"""The registry, and that the tests reach what it holds."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys

from amaranth.lib import wiring
from new_cores import ABSTRACT, BROKEN, EXPONENTIATOR, WHOLE, added

import montgomery
from montgomery import KINDS, architectures, exponentiators, rsa_crt
from montgomery.core import CoreParameters, kind_of, name_of
from montgomery.registry import cores, rejected


def _modules():
    return [importlib.import_module(info.name)
            for info in pkgutil.walk_packages(montgomery.__path__, "montgomery.")
            if not info.name.startswith("montgomery._")]


def test_every_module_with_a_core_is_found():
    found = {cls for kind in KINDS.values() for cls in kind.cores().values()}
    assert found == {module.Parameters for module in _modules() if hasattr(module, "Parameters")}


def test_cores_are_called_as_their_module_or_the_folder_of_their_kind():
    for kind in KINDS.values():
        assert list(kind.cores()) == sorted(kind.cores())
        for name, cls in kind.cores().items():
            *_, folder, module = cls.__module__.split(".")
            assert name == (folder if module == kind.name else module)
            assert (kind_of(cls).name, name_of(cls)) == (kind.name, name)


def test_kinds_are_those_of_the_cores():
    named = {"multiplier": architectures, "exponentiator": exponentiators, "rsa_crt": rsa_crt}
    for name, found in named.items():
        assert KINDS[name].cores() == found() != {}
    assert cores("nothing") == {}


def test_modules_list_what_they_export():
    for module in _modules():
        if len(ast.parse(inspect.getsource(module)).body) > 1:
            assert module.__all__, module.__name__
            assert all(hasattr(module, name) for name in module.__all__), module.__name__


def test_every_component_says_its_latency_and_its_throughput():
    for module in _modules():
        for cls in vars(module).values():
            if (inspect.isclass(cls) and issubclass(cls, wiring.Component)
                    and cls.__module__ == module.__name__):
                bases = cls.__mro__[:cls.__mro__.index(wiring.Component)]
                text = "".join(base.__doc__ for base in bases).lower()
                assert "latency" in text, cls
                assert "throughput" in text, cls


def test_every_class_that_can_be_created_as_a_core_is_one_of_the_table():
    of_cores = {cls for kind in KINDS.values() for cls in kind.cores().values()}
    concrete = {value for module in _modules() for value in vars(module).values()
                if inspect.isclass(value) and issubclass(value, CoreParameters)
                and not value.__abstractmethods__}
    assert concrete == of_cores


def test_a_file_that_is_no_core_says_why_and_leaves_the_others(tmp_path):
    before = architectures()
    helpers = {"t_base": ABSTRACT.replace("class Parameters", "class Shared"),
               "t_helper": "from montgomery import Parameters", "_t_own": ABSTRACT}
    texts = {name: text for name, (text, _) in BROKEN.items()}
    with added(tmp_path / "new", texts | helpers):
        assert architectures() == before
        every = {each.name: each for each in rejected()}
        found = {name: each for name, each in every.items() if each.looks_like_core}
        assert list(found) == sorted(BROKEN)
        for name, (_, reason) in BROKEN.items():
            assert str(found[name]).startswith(f"montgomery/{name}.py {reason}")
            assert (found[name].error is not None) == ("imported" in reason)
        for name in ("t_base", "t_helper"):
            assert str(every[name]) == (f"montgomery/{name}.py is not a core: it does not "
                                        "define a class Parameters")
        assert "_t_own" not in every
    assert not {each.name for each in rejected()} & set(texts)


def test_a_file_may_have_a_core_of_any_kind(tmp_path):
    with added(tmp_path / "new", {"t_power": EXPONENTIATOR}):
        found = exponentiators()["t_power"]
        assert (name_of(found), kind_of(found).name) == ("t_power", "exponentiator")
        assert "t_power" not in architectures()
        assert "t_power" not in {each.name for each in rejected()}
    assert "t_power" not in exponentiators()


def test_a_file_with_the_name_of_a_core_says_which_it_is(tmp_path):
    with added(tmp_path / "new", {"mmm_mx_1d": WHOLE, "t_last": WHOLE}):
        assert architectures()["mmm_mx_1d"].__module__ == "montgomery.satzoda.mmm_mx_1d"
        assert "t_last" in architectures()
        assert [str(each) for each in rejected()] == [
            "montgomery/mmm_mx_1d.py is not a core: montgomery.satzoda.mmm_mx_1d is the "
            "multiplier mmm_mx_1d already; choose another name for the file"]
    assert rejected() == ()


def test_a_core_is_imported_when_it_is_asked_for():
    script = ("import sys, montgomery; cores = montgomery.architectures(); len(cores), list(cores);"
              "'dsp_systolic' in cores; cores['mmm_mx_1d'];"
              "print(*{name.split('.')[1] for name in sys.modules if '.multiplier' in name"
              " or '.mmm_' in name} - {'kinds'})")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          check=True)
    assert done.stdout.split() == ["satzoda"]
