"""The registry, and that the tests reach what it holds."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys

from new_cores import ABSTRACT, BROKEN, EXPONENTIATOR, WHOLE, added

import montgomery
from montgomery import KINDS, architectures, exponentiators, rsa_crt
from montgomery.core import kind_of, name_of
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


def test_a_core_of_each_kind_has_a_place_of_its_own_in_a_folder(tmp_path):
    files = {"t_paper/__init__": "", **{f"t_paper/{kind}": WHOLE for kind in KINDS}}
    with added(tmp_path / "new", files):
        named = {each.file for each in rejected() if "/t_paper/" in each.file}
    assert named == {f"montgomery/t_paper/{kind}.py" for kind in KINDS} - {
        "montgomery/t_paper/multiplier.py"}


def test_modules_list_what_they_export():
    for module in _modules():
        if len(ast.parse(inspect.getsource(module)).body) > 1:
            assert module.__all__, module.__name__
            assert all(hasattr(module, name) for name in module.__all__), module.__name__


def test_hardware_imports_neither_explorer_nor_boards():
    script = ("import sys, montgomery; montgomery.architectures(); montgomery.exponentiators();"
              "print({name.partition('.')[0] for name in sys.modules} & {'explore', 'boards'})")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          check=True)
    assert done.stdout.strip() == "set()"
    assert not done.stderr


def test_every_file_that_looks_like_a_core_is_one():
    assert not [str(each) for each in rejected() if each.looks_like_core]


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
        for name in ("t_base", "t_helper", "arithmetic"):
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


def test_a_folder_gives_its_name_to_a_core_of_each_kind(tmp_path):
    with added(tmp_path / "new", {"t_paper/__init__": "", "t_paper/multiplier": WHOLE,
                                  "t_paper/exponentiator": EXPONENTIATOR, "t_paper/t_own": WHOLE,
                                  "t_paper/t_helper": "", "t_other/__init__": WHOLE}):
        assert {"t_paper", "t_own", "t_other"} <= architectures().keys()
        assert name_of(architectures()["t_paper"]) == "t_paper"
        assert name_of(exponentiators()["t_paper"]) == "t_paper"
        assert not [str(each) for each in rejected() if each.name.startswith("t_")]


def test_a_core_in_the_wrong_place_of_a_folder_says_where_to_put_it(tmp_path):
    with added(tmp_path / "new", {"t_paper/__init__": "", "t_paper/multiplier": EXPONENTIATOR,
                                  "t_paper/exponentiator": BROKEN["t_syntax"][0],
                                  "t_paper/single_dsp": WHOLE}):
        assert "t_paper" not in exponentiators()
        assert architectures()["single_dsp"].__module__ == "montgomery.single_dsp.multiplier"
        power, product, same = (str(each) for each in rejected() if "/t_paper/" in each.file)
        assert power.startswith("montgomery/t_paper/exponentiator.py cannot be imported: Syntax")
        assert product == (
            "montgomery/t_paper/multiplier.py is not a core: its Parameters is that of a core of "
            "kind exponentiator, whose place is montgomery/t_paper/exponentiator.py")
        assert same == (
            "montgomery/t_paper/single_dsp.py is not a core: montgomery.single_dsp.multiplier is "
            "the multiplier single_dsp already; choose another name for the file")
