"""The programs in the documents run, with tools that stand for the real ones."""

import re
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.real_cores

DOCS = Path(__file__).parents[2] / "docs"
#: A block of code that begins with an import of the package, of lines that are indented or empty.
_BLOCK = re.compile(r"^    import explore\n(?:(?:    .*)?\n)*", re.MULTILINE)
PROGRAMS = [(path.name, textwrap.dedent(block)) for path in sorted(DOCS.glob("*.md"))
            for block in _BLOCK.findall(path.read_text())]


@pytest.mark.thorough
@pytest.mark.parametrize("program", [text for _, text in PROGRAMS],
                         ids=[f"{name} {place}" for place, (name, _) in enumerate(PROGRAMS)])
def test_programs_run(program, fakes, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "document", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out
