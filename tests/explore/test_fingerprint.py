import ast
import importlib.util
import itertools
import sys
from pathlib import Path

import pytest

from explore import fingerprint as sources
from explore.fingerprint import changed, fingerprint, own_fingerprint
from explore.fingerprint.statements import code_of

ROOT = Path(sources.__file__).parents[2]


def normalised(source):
    """Return what counts of a source."""
    text = importlib.util.decode_source(source)
    return "\n".join(line for _, line in code_of(text, ast.parse(text)))


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "inventions"
    folder.mkdir()
    for name, text in {"__init__": "", "a": "from . import b\nimport os", "b": "X = 1",
                       "late": "def f():\n    if True:\n        from .b import X", "c": "Y = 2",
                       "deep/__init__": "from .inner import Z", "deep/inner": "from ..c import Y",
                       "guarded": "try:\n    import os\nexcept ImportError:\n    from . import b",
                       }.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    # As if they were of this project.
    monkeypatch.setattr(sources, "_FOLDERS", [folder])
    sources.sources.cache_clear()
    yield folder
    sources.sources.cache_clear()


def now(*modules):
    sources.sources.cache_clear()
    sources.fingerprint.cache_clear()
    return fingerprint(*modules)


@pytest.mark.parametrize(("module", "changed", "matters"), [
    ("a", "a", True), ("a", "b", True), ("a", "c", False), ("late", "b", True),
    ("deep", "deep/inner", True), ("deep", "c", True), ("deep", "b", False),
    ("guarded", "b", True),
])
def test_changes_with_what_is_imported(package, module, changed, matters):
    before = now(f"inventions.{module}")
    assert now(f"inventions.{module}") == before
    path = package / f"{changed}.py"
    path.write_text(path.read_text() + "\nchanged = True")
    # A process keeps to what it has seen first.
    assert fingerprint(f"inventions.{module}") == before
    assert (now(f"inventions.{module}") != before) == matters


def test_own_fingerprint_is_of_the_module_alone(package):
    own_fingerprint.cache_clear()
    before = own_fingerprint("inventions.a"), own_fingerprint("inventions.a", "inventions.b")
    (package / "b.py").write_text("X = 2")
    own_fingerprint.cache_clear()
    assert own_fingerprint("inventions.a") == before[0]
    assert own_fingerprint("inventions.a", "inventions.b") != before[1]


# What counts

PLAIN = '''\
import os
def f(x):
    y = x + 1
    return y
class A:
    """It."""
'''


@pytest.mark.parametrize("text", [
    PLAIN.replace("It.", "Another\n\n    # text, of more lines   \n    "),
    PLAIN.replace("import os\n", '"""Docstring."""\n\n\nimport os  # why\n   # because\n'),
    PLAIN.replace("y = x", '"""Add one: ü."""  # so\n\n    y = x'),
    PLAIN.replace("return y", "return y  \t"),
    PLAIN.replace("y = x", "'Add' \\\n    'one'\n    y = x"),
    PLAIN.replace("\n", "\r\n"),
    "# coding: latin-1\n" + PLAIN,
    "\N{ZERO WIDTH NO-BREAK SPACE}" + PLAIN,
])
def test_what_does_not_count(text):
    assert normalised(text.encode()) == normalised(PLAIN.encode())


#: Pairs that look alike.
DIFFERENT = [
    ("x = 'a # b'", "x = 'a # c'"),
    ("x = f'{y} # b'", "x = f'{y} # c'"),
    ("x = '''a\n# b\n'''", "x = '''a\n# c\n'''"),
    ("x = '''a\n\nb'''", "x = '''a\nb'''"),
    ("x = f'''{y} \n\n{'''z'''[0]}'''" if sys.version_info >= (3, 12) else "x = f'''{y} \n'''",
     "x = f'''{y}\n'''"),
    ("x = 1\n-1", "x = 1 \\\n-1"),
    ("def f():\n    'doc'\n    'more'", "def f():\n    'doc'\n    'less'"),
    ("def f():\n    b'no doc'", "def f():\n    b'no Doc'"),
    ("def f():\n    f'no doc'", "def f():\n    f'no Doc'"),
    ("x = 1\n'no doc'", "x = 1\n'no Doc'"),
    ("if x:\n    y\n    z", "if x:\n    y\nz"),
    ("x = '# a' '''\n''' # b", "x = '# a' '''\n\n''' # b"),
]


def test_where_a_statement_stands_does_not_count(package):
    (package / "a.py").write_text("from .b import f\n\n\ndef g():\n    return f() + 1\n")
    (package / "b.py").write_text("def f():\n    return 1\n\n\nX = 2\n")
    before = now("inventions.a")
    (package / "a.py").write_text("from .b import X\nfrom .c import f\n\n\n"
                                  "def g():\n    return f() + 1\n")
    (package / "b.py").write_text("X = 2\n")
    (package / "c.py").write_text("def f():\n    return 1\n")
    assert now("inventions.a") == before
    (package / "c.py").write_text("def f():\n    return 2\n")
    assert now("inventions.a") != before


def test_which_of_two_namesakes_is_imported_counts(package):
    (package / "a.py").write_text("from . import b, c\nfrom .b import f\n")
    (package / "b.py").write_text("def f():\n    return 1\n")
    (package / "c.py").write_text("def f():\n    return 2\n")
    before = now("inventions.a")
    (package / "a.py").write_text("from . import b, c\nfrom .c import f\n")
    assert now("inventions.a") != before


@pytest.mark.parametrize(("old", "new", "same"), [
    ("raise ValueError(f'{x} is no number')", "raise ValueError(\n        'no', x)", True),
    ("raise ValueError('no') from None", "raise ValueError('never') from None", True),
    ("raise ValueError('no')", "raise TypeError('no')", False),
    ("return 'no'", "return 'never'", False),
])
def test_messages_of_exceptions_do_not_count(package, old, new, same):
    (package / "a.py").write_text(f"def f(x):\n    {old}\n")
    before = now("inventions.a")
    (package / "a.py").write_text(f"def f(x):\n    {new}\n")
    assert (now("inventions.a") == before) == same


@pytest.mark.parametrize(("old", "new", "same"), [
    ("x = 1\nx = 2", "x = 2\nx = 1", False),
    ("raise ValueError(11)", "raise ValueError(15)", False),
    ("raise ValueError(11)", "raise ValueError(11)  # clocks", True),
])
def test_of_files_of_others_order_and_messages_count(package, monkeypatch, old, new, same):
    monkeypatch.setattr(sources, "_FOLDERS", [])
    (package / "a.py").write_text(f"{old}\n")
    before = now("inventions.a")
    (package / "a.py").write_text(f"{new}\n")
    assert (now("inventions.a") == before) == same


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_counts(one, other):
    assert normalised(one.encode()) != normalised(other.encode())


@pytest.mark.thorough
def test_nothing_but_comments_and_docstrings_is_lost():
    """The syntax tree of what is left is that of the source."""
    def plain(tree):
        for node in ast.walk(tree):
            if (isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef
                                 | ast.AsyncFunctionDef)
                    and ast.get_docstring(node, clean=False) is not None):
                del node.body[0]
        return ast.dump(tree)

    for path in modules():
        source = path.read_bytes()
        left = normalised(source)
        # A body of a docstring alone needs something.
        for _ in range(200):
            try:
                tree = ast.parse(left)
                break
            except IndentationError as error:
                lines = left.split("\n")
                row = int(error.msg.rpartition("line ")[2]) - 1
                while not lines[row].endswith(":"):
                    row += 1
                lines[row] += " 'docstring'"
                left = "\n".join(lines)
        assert plain(tree) == plain(ast.parse(source)), path


def modules():
    return sorted(itertools.chain.from_iterable(
        (ROOT / name).rglob("*.py") for name in sources.PROJECT))


# What has changed

def test_modules_that_changed(package):
    expected = sources.sources("inventions.a", "inventions.c")
    assert changed(expected) == []
    (package / "c.py").write_text("Y = 3")
    (package / "b.py").write_text("X = 1  # comment")
    assert changed(expected) == ["inventions.c"]
    (package / "b.py").unlink()
    (package / "c.py").write_text("Y = (")
    assert sorted(changed(expected)) == ["inventions.b", "inventions.c"]
