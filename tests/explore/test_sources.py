import pytest

from explore.sources import fingerprint


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "inventions"
    folder.mkdir()
    for name, text in {"__init__": "", "a": "from . import b\nimport os", "b": "X = 1",
                       "late": "def f():\n    from .b import X", "c": "Y = 2",
                       "deep/__init__": "from .inner import Z", "deep/inner": "from ..c import Y",
                       }.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return folder


@pytest.mark.parametrize(("module", "changed", "matters"), [
    ("a", "a", True), ("a", "b", True), ("a", "c", False), ("late", "b", True),
    ("deep", "deep/inner", True), ("deep", "c", True), ("deep", "b", False),
])
def test_changes_with_what_is_imported(package, module, changed, matters):
    before = fingerprint.__wrapped__(f"inventions.{module}")
    assert fingerprint.__wrapped__(f"inventions.{module}") == before
    path = package / f"{changed}.py"
    path.write_text(path.read_text() + "\n# changed")
    assert (fingerprint.__wrapped__(f"inventions.{module}") != before) == matters


def test_no_such_module():
    with pytest.raises(ModuleNotFoundError, match=r"No source of module inventions\.none"):
        fingerprint("inventions.none")
