"""Whatever is typed wrong: one line with a remedy, exit status 2, and no file is touched."""

import os

import pytest
from console import assert_refused
from measurements import rows

from explore.data.frame import save
from explore.store import Store

SWEEP = "sweep -a toy -n 8 -t ice40-hx8k"
VERIFY = "verify -a toy -n 8"
EXPORT = "export -a toy -n 8"
BUILD = "board build icebreaker -a toy -n 8"
RUN = "board run --port none"
BEST = "recommend --bits 64 --from rows.jsonl"
#: A command, and a part of the line on stderr. An underscore alone stands for an empty word.
CASES = [
    # Numbers
    ("sweep -a toy -n 1e3", "a number or a range such as 32-1024 or 32-128:16, not '1e3'"),
    ("sweep -a toy -n 0x40", "a number or a range such as 32-1024 or 32-128:16, not '0x40'"),
    ("sweep -a toy -n nan", "a number or a range such as 32-1024 or 32-128:16, not 'nan'"),
    ("sweep -a toy -n 32-64:-1", "a number or a range such as 32-1024"),
    ("sweep -a toy -n 99999999999999999999999", "the nearest legal value is 4096"),
    (f"{SWEEP} -p word_width=1e9", "Word width must be an integer, not '1e9'"),
    (f"{SWEEP} -p word_width=-1", "the nearest legal value is 1"),
    (f"{SWEEP} -p word_width=8,,16", "-p word_width must have a value before and after each comma, "
                                     "unlike '8,,16'; write A or A,B"),
    (f"{SWEEP} -p width=9", "use -n"),
    (f"{SWEEP} -o placer_weight=nan", "Placer weight must be an integer, not 'nan'"),
    (f"{SWEEP} -o multipliers=maybe", "must be one of blocks, logic, not 'maybe'"),
    (f"{SWEEP} --seeds 1.5", "--seeds"),
    (f"{SWEEP} --seeds 10001", "from 1 to 10000, not 10001"),
    (f"{SWEEP} -j 1000000", "from 1 to 1000, not 1000000"),
    (f"{SWEEP} --timeout 1e300", "up to 525600 (a year)"),
    (f"{VERIFY} --vectors 100000000000000000", "--vectors must be 10,000,000 or less"),
    (f"{VERIFY} --seed 1.5", "--seed"),
    (f"{VERIFY} --x -1 --y 1 --modulus 5", "must be 0 or more, not -1"),
    (f"{VERIFY} --x 0x --y 1 --modulus 5", "--x"),
    (f"{VERIFY} --x 1 --y 1 --modulus 1", "3 or larger, not 1; the smallest modulus is 3"),
    (f"{VERIFY} --x 1 --y 1 --modulus 4", "odd, not 4; Montgomery's method needs an odd one"),
    (f"{EXPORT} --vectors 99999999", "--vectors must be 10,000 or less"),
    ("recommend --bits 0 --from rows.jsonl", "--bits"),
    ("recommend --bits 99999 --from rows.jsonl", "no multiplier can have 99999 bits"),
    (f"{BEST} --max-lut nan", "--max-lut"), (f"{BEST} --max-us -1", "--max-us"),
    (f"{BEST} --min-mhz x", "--min-mhz"), (f"{BEST} --top 0", "--top"),
    (f"{BUILD} --clock nan", "Clock must be a number of MHz, not nan"),
    (f"{BUILD} --clock 0", "12 MHz or more, not 0; the nearest one is 12"),
    (f"{BUILD} --clock 1e30", "185 MHz or less"), (f"{BUILD} --baud 0", "--baud"),
    (f"{BUILD} --uart-pins a,a", "write them as pmod_0:1,pmod_0:2"),
    (f"{RUN} --self-test 0", "--self-test"), (f"{RUN} --baud x", "--baud"),
    (f"{RUN} --base 2 --exponent -1 --modulus 5", "must be 0 or more, not -1"),
    ("store prune --older-than -1", "--older-than"),
    # Names, empty ones among them
    ("sweep -a _ -n 8", "-a must have a value before and after each comma, unlike ''; write A or"),
    ("verify -a _ -n 8", "-a must have a value"), ("sweep -a \N{SNOWMAN} -n 8", "known are"),
    ("sweep -a exponentiation. -n 8", "'exponentiation.'"),
    ("sweep -a toy -n 8 -t ,", "-t must have a value"),
    (f"{SWEEP} -o =", "KEY=VALUE"), ("sweep --preset paper,quick", "did you mean 'quick'?"),
    (f"{VERIFY} --post-synth _", "Unknown target ''; known are ice40-hx8k"),
    (f"{VERIFY} --post-synth ice40-hx8k,ecp5-25k", "did you mean 'ice40-hx8k'?"),
    (f"{EXPORT} -t _", "Unknown target ''; known are ice40-hx8k"),
    (f"{EXPORT} --name _", "leave it out for ARCH_BITS"),
    (f"{EXPORT} --name ../x", "letters, digits and underscores"),
    (f"{EXPORT} --name module", "'module_core' would do"),
    (f"{EXPORT} --name {'x' * 300}", "200 characters or fewer, not 300; take a shorter one"),
    (f"table --from rows.jsonl --output {'x' * 300}", "is too long; take a shorter one"),
    ("table --from rows.jsonl --columns _", "--columns must have a value"),
    ("table --from rows.jsonl --format csv,latex", "table format"),
    ("plot --from rows.jsonl lut_width, --output out", "NAME must have a value"),
    ("plot --from rows.jsonl --format svg,exe --output out", "known are svg, png, pdf"),
    ("report --from rows.jsonl --format pdf", "html, markdown"),
    ("ecc --from rows.jsonl --method _", "known are double-and-add, window"),
    (f"{BEST} --objective latency,area", "did you mean 'latency'?"),
    (f"{BEST} --kind _", "known are multiplier, exponentiator, hash, rsa_crt"),
    (f"{BEST} -t nope", "known are ecp5-85k, ice40-hx8k"),
    ("list _", "''"),
    ("board build arty_a7 -a toy -n 8", "Unknown board 'arty_a7'; known are blackice"),
    ("board build icebraker -a toy -n 8", "did you mean 'icebreaker'?"),
    ("board build arty_a7_35 -a toy -n 8", "'montgomery board list' names"),
    (f"{BUILD} --uart-pins _", "write them as pmod_0:1,pmod_0:2"),
    ("board build icebreaker --row _", "the key of a row"),
    ("board build icebreaker --row 77", "No row of the store has a key that begins with '77'"),
    ("board run --port _", "'python -m serial.tools.list_ports' lists"),
    # Paths
    ("sweep no.toml", "'no.toml' does not exist"), ("sweep folder", "name a folder that"),
    ("sweep letter", "letter is not TOML"), ("sweep bytes", "bytes is not TOML"),
    ("sweep empty", "give -n, or 'widths' in a file"),
    ("sweep --dry-run --store letter", "letter"),
    ("sweep --dry-run --store letter/x", "name another one with --store"),
    ("table --from no", "'no' does not exist"), ("table --from empty", "'montgomery sweep' makes"),
    ("table --from letter", "must be CSV, JSON lines"), ("table --from bytes", "save it as UTF-8"),
    ("table --from pipe", "save what it says to a file first"),
    ("table --from rows.jsonl --output letter/x", "letter is none; name another"),
    ("table --from rows.jsonl --output rows.jsonl", "would replace the measurements"),
    ("ecc --from letter --output folder/../letter", "would replace the measurements"),
    ("table --store store --output store/store.sqlite", "would replace the measurements"),
    ("table --store empty", "empty"), ("plot --from empty --output out", "'montgomery table'"),
    ("report --from folder --output out", "'montgomery sweep' makes some"),
    (f"{VERIFY} --vcd folder", "is a folder; name another"),
    (f"{VERIFY} --vcd pipe", "is a device, pipe or socket; name another"),
    (f"{EXPORT} --output pipe", "Output must be a folder, but pipe is no folder; name another"),
    ("store info --store folder", "--store names another folder"),
    ("store check --store folder", "--store names another folder"),
    ("board program folder", "'montgomery board build' writes both"),
    ("board program letter", "letter"), (f"{RUN} --sign letter --key folder", "folder"),
    (f"{RUN} --sign letter --key letter --output letter", "the file of --sign; name another"),
    ("board run --port folder", "name the serial port of the board"),
    ("board run --port /dev/null", "name the serial port of the board"),
    ("board simulate -a toy -n 8 --link letter", "--link must"),
    ("board simulate -a toy -n 8 --link no/x", "needs the folder no, which does not exist"),
    # What has no effect together
    (f"{SWEEP} --replace", "--replace is for the folder of --output; name one, or leave"),
    (f"{VERIFY} -j 4", "-j is for --exhaustive; add that, or leave -j out"),
    (f"{VERIFY} --exhaustive --seed 3", "goes with neither --exhaustive nor a single operation"),
    (f"{VERIFY} --x 1 --y 1 --modulus 5 --seed 3", "--seed is for random operations"),
    (f"{VERIFY} --mutants 5 --post-synth ice40-hx8k", "goes with neither --vcd nor --post-synth"),
    (f"{EXPORT} -o multipliers=logic", "name one with -t"),
    (f"{BUILD} --row 77", "leave out -a, -n, -p"),
    (f"{RUN} --seed 3", "--seed is for --self-test; leave it out"),
    (f"{RUN} --output signature", "are for --sign; leave them out"),
    (f"{RUN} --password-file letter", "are for --sign; leave them out"),
    (f"{RUN} --self-test 3 --base 1", "exclude each other"), (f"{RUN} --sign letter", "--key"),
    ("sweep letter extra", "extra"), ("--nope", "--nope"), ("_", "known are board"),
]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Return a folder with what commands are given."""
    folder = tmp_path_factory.mktemp("prepared")
    save(rows(), folder / "rows.jsonl")
    with Store(folder / "store") as store:
        store.remember_rows({"one": rows()[0]})
    (folder / "folder").mkdir()
    (folder / "letter").write_text("Dear Sir,\n")
    (folder / "bytes").write_bytes(bytes(range(256)))
    (folder / "empty").touch()
    os.mkfifo(folder / "pipe")
    return folder


def contents(folder):
    """Return the bytes of each file."""
    return {path.relative_to(folder): path.read_bytes() if path.is_file() else None
            for path in folder.rglob("*")}


@pytest.mark.parametrize(("line", "message"), CASES, ids=[line for line, _ in CASES])
def test_one_line_that_helps(run, prepared, monkeypatch, line, message):
    before = contents(prepared)
    monkeypatch.chdir(prepared)
    monkeypatch.setenv("MONTGOMERY_STORE", str(prepared / "store"))
    result = run(*("" if word == "_" else word for word in line.split()))
    assert_refused(result, message)
    assert "Traceback" not in result.stderr
    assert contents(prepared) == before


@pytest.mark.parametrize(("text", "shown"), [
    ('"\\u001b]0;title\\u0007" = 1', r"Unknown key '\x1b]0;title\x07'"),
    ('archs = ["\\u009b2J"]\nwidths = [8]\ntargets = ["ecp5-25k"]', r"architecture '\x9b2J'"),
    ('preset = "\\u202e\\b"', r"Unknown preset '\u202e\x08'"),
    ('[[parts]]\n"\\u001b[2J" = 1', r"Unknown key '\x1b[2J'")])
def test_what_a_file_says_is_not_said_to_the_terminal(run, tmp_path, text, shown):
    (tmp_path / "sweep.toml").write_text(text, encoding="utf-8")
    result = run("sweep", "sweep.toml", "--dry-run")
    assert_refused(result, shown)
    assert result.stderr.rstrip("\n").isprintable()
