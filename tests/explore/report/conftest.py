"""The report on committed measurements, and one on measurements whose names are HTML."""

import pytest
from measurements import row

from explore.data.frame import load, save
from explore.report import compose, write_html, write_markdown


@pytest.fixture(autouse=True)
def registry():
    """The real one, in place of toys."""


@pytest.fixture(scope="package")
def measured(saved_registry):
    return load(saved_registry)


@pytest.fixture(scope="package")
def document(measured):
    return compose(measured)


@pytest.fixture(scope="package")
def page(document, tmp_path_factory):
    """The page as one text."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_html(document, path)
    return path.read_text()


_SCRIPT = "mmm</script><script>document.title='PWNED'</script>"
_IMAGE = "<img src=x onerror=\"document.title='PWNED'\">"


@pytest.fixture(scope="package")
def hostile_report(tmp_path_factory):
    """Return the folder of a report on cores, targets and programs with names that are HTML."""
    folder = tmp_path_factory.mktemp("hostile")
    measured = [row(arch=arch, target=target, width=width, params={_IMAGE: _SCRIPT},
                    options={_SCRIPT: _IMAGE}) | {"versions": {_SCRIPT: _IMAGE}}
                for arch, target in ((_SCRIPT, _IMAGE), (_IMAGE, _SCRIPT), ("a|b`c`", "t|`u`"))
                for width in (64, 256, 1024)]
    save(measured, folder / "rows.jsonl")
    report = compose(load(folder / "rows.jsonl"))
    write_html(report, folder / "report.html")
    write_markdown(report, folder)
    return folder
