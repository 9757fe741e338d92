"""The registry, and that the tests reach what it holds."""

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import subprocess
import sys

import cases
import pytest
from new_cores import ABSTRACT, BROKEN, added

import montgomery
from montgomery import KINDS, Parameters, architectures, decryptions, exponentiators


def test_names_are_those_of_modules_in_order():
    assert list(architectures()) == sorted(architectures())
    modules = {info.name for info in pkgutil.iter_modules(montgomery.__path__)}
    assert set(architectures()) <= modules
    for name, cls in architectures().items():
        assert cls is importlib.import_module(f"montgomery.{name}").Parameters
        assert cls.name() == name
        assert issubclass(cls, Parameters)


def test_every_module_with_an_architecture_is_found():
    for info in pkgutil.iter_modules(montgomery.__path__):
        module = importlib.import_module(f"montgomery.{info.name}")
        # ``core`` declares the abstract class, and nothing else may be left out.
        if hasattr(module, "Parameters") and info.name != "core":
            assert info.name in architectures()


def test_exponentiators_are_a_dictionary():
    assert isinstance(exponentiators(), dict)
    assert not set(exponentiators().values()) & set(architectures().values())


def test_kinds_are_those_of_the_cores():
    assert [kind.cores() for kind in KINDS.values()] == [
        architectures(), exponentiators(), decryptions()]
    for kind in KINDS.values():
        assert list(kind.cores()) == sorted(kind.cores())
        for name, cls in kind.cores().items():
            full = kind.full_name(name)
            assert cls is importlib.import_module(f"montgomery.{full}").Parameters
            assert (cls.kind, cls.package, cls.name()) == (kind.name, kind.package, name)


def test_modules_list_what_they_export():
    for info in pkgutil.walk_packages(montgomery.__path__, "montgomery."):
        module = importlib.import_module(info.name)
        if len(ast.parse(inspect.getsource(module)).body) > 1:
            assert module.__all__, info.name
            assert all(hasattr(module, name) for name in module.__all__), info.name


def test_hardware_imports_neither_explorer_nor_boards():
    script = ("import sys, montgomery; montgomery.architectures(); montgomery.exponentiators();"
              "print({name.partition('.')[0] for name in sys.modules} & {'explore', 'boards'})")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          check=True)
    assert done.stdout.strip() == "set()"
    assert not done.stderr


@pytest.mark.parametrize("name", cases.NAMES)
def test_cases_reach_every_kind_of_configuration(name):
    cls = architectures()[name]
    for variant in cases.variants(cls):
        own = [case.values[0] for case in cases.small() if case.values[0].name() == name
               and all(getattr(case.values[0], key) == value for key, value in variant.items())]
        assert {params.width for params in own} == set(cases.WIDTHS)
        assert len({params.word_width for params in own}) >= 8
        if "word_width" in {field.name for field in dataclasses.fields(cls)}:
            # A number that is no digits has twice as many words, for two bases.
            assert {count if cls.positional else 2 * count for count in (1, 2, 3)} <= {
                params.result_words for params in own}


def test_every_file_that_looks_like_a_core_is_one():
    assert not [str(rejected) for kind in KINDS.values() for rejected in kind.rejected().values()
                if rejected.looks_like_core]


def test_a_file_that_is_no_core_says_why_and_leaves_the_others(tmp_path):
    before = architectures()
    helpers = {"t_base": ABSTRACT.replace("class Parameters", "class Shared"),
               "t_helper": "from montgomery.core import Parameters", "_t_own": ABSTRACT}
    texts = {name: text for name, (text, _) in BROKEN.items()}
    with added(tmp_path / "new", texts | helpers):
        assert architectures() == before
        rejected = KINDS["multiplier"].rejected()
        found = {name: each for name, each in rejected.items() if each.looks_like_core}
        assert list(found) == sorted(BROKEN)
        for name, (_, reason) in BROKEN.items():
            assert str(found[name]).startswith(f"montgomery/{name}.py {reason}")
            assert (found[name].error is not None) == ("imported" in reason)
        for name in ("t_base", "t_helper", "arithmetic"):
            assert str(rejected[name]) == (f"montgomery/{name}.py is not a core: it does not "
                                           "define a class Parameters")
        assert "_t_own" not in rejected
    assert not set(KINDS["multiplier"].rejected()) & set(texts)


def test_an_exponentiator_is_looked_for_in_its_folder(tmp_path):
    names = {"t_product": ABSTRACT, "t_syntax": BROKEN["t_syntax"][0]}
    before = exponentiators()
    with added(tmp_path / "new", names, montgomery.exponentiation):
        assert exponentiators() == before
        rejected = KINDS["exponentiator"].rejected()
        assert str(rejected["t_product"]) == (
            "montgomery/exponentiation/t_product.py is not a core: its Parameters is that of a "
            "core of kind multiplier, whose place is montgomery/")
        assert rejected["t_syntax"].looks_like_core
