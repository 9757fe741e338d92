"""Cores in files outside the package: by their files, from the environment, from other packages."""

from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "montgomery" / "_example.py"


@pytest.fixture
def run(alone, tmp_path):
    """Run a command in a folder with the example as my_core.py."""
    (tmp_path / "my_core.py").write_text(EXAMPLE.read_text())
    return alone


def test_the_environment_names_cores_for_all_commands(run):
    done = run("list", MONTGOMERY_CORES="my_core.py")
    assert "my_core" in done.stdout


def test_the_streams_of_a_core_are_proved(run):
    done = run("verify", "--method", "prove", "-a", "my_core.py", "-n", "4")
    assert done.stdout.count("proved by PDR") == 2


def test_cores_of_installed_packages_are_found(run, tmp_path):
    (tmp_path / "their_package").mkdir()
    (tmp_path / "my_core.py").rename(tmp_path / "their_package" / "their_core.py")
    (tmp_path / "their_package" / "__init__.py").touch()
    metadata = tmp_path / "their_package-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[montgomery.cores]\ntheirs = their_package.their_core\n")
    assert "their_core" in run("list").stdout


@pytest.mark.parametrize(("name", "text", "says"), [
    ("missing.py", None, "There is no file missing.py"),
    ("my-core.py", "", "and not my-core.py"),
    ("multi_step.py", "", "There is a module montgomery.multi_step already; choose"),
    ("broken.py", "import nothing_here", "broken.py cannot be imported: ModuleNotFoundError"),
    ("empty.py", "", "empty.py is not a core: it does not define a class Parameters"),
])
def test_what_is_no_core_is_told_in_a_line(run, tmp_path, name, text, says):
    if text is not None:
        (tmp_path / name).write_text(text)
    done = run("sweep", "-a", name, "-n", "8")
    assert done.returncode == 2
    line, = done.stderr.splitlines()
    assert says in line
