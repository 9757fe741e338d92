"""Imports run one way, between the packages and inside of ``explore``."""

import ast
import graphlib
from collections import defaultdict
from pathlib import Path

import pytest

import explore

ROOT = Path(explore.__file__).parents[1]
PACKAGES = ("explore", "boards", "montgomery")


def modules():
    """Yield the name of each module, the package it imports from, and its syntax."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            yield name, name if is_package else name.rpartition(".")[0], path


def imported(package, path):
    """Yield the absolute name of everything that a module imports at any time."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[:len(package.split(".")) - node.level + 1]
            base = ".".join([*(above if node.level else ()), *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def for_types_only(path):
    """Return the names that a module imports for its annotations alone."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            found |= {alias.name for each in ast.walk(node) if isinstance(each, ast.ImportFrom)
                      for alias in each.names}
    return found


def in_order(needs):
    """Return places in an order in which each imports those before it."""
    try:
        return list(graphlib.TopologicalSorter(needs).static_order())
    except graphlib.CycleError as error:
        pytest.fail(f"imports go round: {' <- '.join(error.args[1])}")


def test_packages_import_one_way():
    for name, package, path in modules():
        above = PACKAGES[:PACKAGES.index(name.partition(".")[0])]
        for target in imported(package, path):
            assert target.partition(".")[0] not in above, f"{name} imports {target}"


def test_nothing_in_explore_imports_upwards():
    known = {name for name, _, _ in modules()}
    needs = defaultdict(set)
    for name, package, path in modules():
        if not name.startswith("explore."):
            continue
        place = name.split(".")[1]
        types = for_types_only(path)
        for target in imported(package, path):
            if target.startswith("explore.") and target.rpartition(".")[2] not in types:
                other = target.split(".")[1]
                assert f"explore.{other}" in known
                if other != place:
                    needs[place].add(other)
    order = in_order(needs)
    assert order[-1] == "cli"
    assert "commands" in order[-2:]


def test_no_modules_import_each_other():
    known = {name for name, _, _ in modules()}
    needs = {}
    for name, package, path in modules():
        types = for_types_only(path)
        found = {target if target in known else target.rpartition(".")[0]
                 for target in imported(package, path) if target.rpartition(".")[2] not in types}
        needs[name] = (found & known) - {name}
    in_order(needs)


def test_the_top_of_explore_can_be_taken_in_at_a_glance():
    places = [path for path in (ROOT / "explore").iterdir()
              if path.suffix == ".py" or (path / "__init__.py").is_file()]
    assert len(places) <= 25
