"""Questions of people, and which cores are, and are never, an answer: by the program's own rows."""

import functools
import json
import shlex

import pytest
from measurements import row

from explore.data import frame
from explore.devices import targets

pytestmark = pytest.mark.real_cores

SM2 = "2^256 - 2^224 - 2^96 + 2^64 - 1"
BN254 = "21888242871839275222246405745257275088696311157297823662689037894645226208583"
BRAINPOOL = "0xA9FB57DBA1EEA9BC3E660A909D838D726E3BF623D52620282013481D1F6E5377"
_SCALAR, _ECDSA = "--kind scalar_multiplication", "--kind ecdsa_verification"
_X25519, _BASE = "--kind key_agreement", "--kind base_multiplication"


@pytest.fixture(scope="module", autouse=True)
def read_once():
    """Have the program's own rows be read once for all questions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame, "rows_of", functools.cache(frame.rows_of))
        yield


def answer(run, question):
    result = run("recommend", *shlex.split(question), "--top", "99", "--json")
    assert result.exit_code in (0, 1), result.stderr
    return json.loads(result.stdout)


#: What is asked, and the curves and moduli that cores which are named may be built for: of all of
#: them at least one is named.
FIXED = [
    *((f"-n {bits}", set()) for bits in (16, 192, 255, 256, 448, 521, 1024)),
    *((f"-n 256 -t {name}", set()) for name in ("ecp5-25k", "ecp5-85k-8", "nexus-lifcl-40")),
    ("-n 256 --objective throughput -t ecp5-85k", set()),
    ("-n 256 -t ecp5-85k --limit dsp=64", set()), ("-n 256 -t xc7 --objective area", set()),
    *((f"--modulus '{modulus}'", set()) for modulus in (SM2, BN254, BRAINPOOL, "secp256k1",
                                                        "2**256 - 189", "brainpoolp256R1")),
    *((f"--modulus {name}", {"P-256"}) for name in ("P-256", "prime256v1")),
    ("--curve p256 -n 256 -t ecp5-45k", {"P-256"}), ("--modulus P-384", {"P-384"}),
    ("--modulus 2^255-19", {"Curve25519"}), ("--curve Ed25519", {"Curve25519"}),
    (f"{_SCALAR} --curve nistp256", {"P-256"}), (f"{_SCALAR} --curve k-256", {"secp256k1"}),
    (f"{_SCALAR} -n 384 --curve secp384r1", {"P-384"}),
    (f"{_BASE} -n 255", {"Ed25519"}), (f"{_BASE} --modulus P-256 -t ecp5-85k", {"P-256"}),
    (f"{_ECDSA} --curve secp256r1 -t ecp5-45k", {"P-256"}),
    (f"{_X25519} -n 255", {"Curve25519"}), (f"{_X25519} --curve X448 -t ecp5-25k", {"Curve448"}),
    ("--kind exponentiator -n 2048", set()), ("--kind rsa_crt -n 2048", set()),
    ("--kind inversion -n 256", set())]


@pytest.mark.parametrize(("question", "right"), FIXED)
def test_what_is_built_for_one_modulus_or_curve_is_named_where_that_is_asked_for(
        run, question, right):
    found = answer(run, question)
    named = [*found["best"], *found["estimates"]]
    assert named
    for each in named:
        alone = {each["curve"]} if each["curve"] else (
            {_of(each["modulus"])} if each["modulus"] else set())
        assert alone <= right
    if not right:
        return
    assert any(each["curve"] or each["modulus"] for each in named)
    # Each line of text says for what it is.
    told = run("recommend", *shlex.split(question), "--top", "99").stdout.splitlines()
    names = [line for line in told if line[:1].isdigit() and ". " in line[:5] and "bits" in line]
    assert len(names) == len(named)
    assert sum(" alone" in line for line in names) == sum(
        bool(each["curve"] or each["modulus"]) for each in named)


def _of(modulus):
    return {2**256 - 2**224 + 2**192 + 2**96 - 1: "P-256",
            2**384 - 2**128 - 2**96 + 2**32 - 1: "P-384", 2**255 - 19: "Curve25519"}[
        int(modulus, 16)]


@pytest.mark.parametrize(("question", "said"), [
    (f"{_SCALAR} -n 224", "P-256 (256 bits)"), (f"{_SCALAR} -n 256", "secp256k1 (256 bits)"),
    (f"{_BASE} -n 192", "Ed25519 (255 bits)"), (f"{_ECDSA} -n 256", "--curve P-256"),
    (f"{_X25519} -n 256", "X25519 (255 bits)"), (f"{_X25519} -n 384", "--curve X25519"),
    (f"{_SCALAR} --curve SM2", "Unknown curve 'SM2'"),
    (f"{_ECDSA} --curve secp521r1", "known are P-256"),
    (f"{_SCALAR} --modulus 2^255-19", "is built for the prime of Curve25519"),
    (f"{_SCALAR} -n 384 --curve P-256", "P-256 has 256 bits, not 384"),
    ("-n 192 --modulus P-256", "256 bits"), ("--modulus 2^256", "must be odd"),
    ("--modulus 9**9**9", "such as 2^255-19"), ("--modulus __import__", "such as 2^255-19"),
    ("--curve P-256 --modulus P-384", "another one"), ("", "give -n, --modulus or --curve")])
def test_questions_without_an_answer_say_what_to_ask(run, question, said):
    result = run("recommend", *shlex.split(question))
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("question", [
    f"{_ECDSA} --curve P-256 -t nexus-lifcl-40", f"{_X25519} --curve X25519 -t nexus-lifcl-40",
    f"{_SCALAR} --curve brainpoolP256r1 -t ecp5-85k", "--kind rsa_crt -n 3072 -t ecp5-45k",
    "--kind rsa_crt -n 3072 -t ecp5-45k --limit dsp=7", "-n 4096 -t ice40-up5k",
    "--kind base_multiplication --curve Ed25519 -t nexus-lifcl-40"])
def test_a_hint_is_a_command_that_would_do(run, question):
    asked = shlex.split(question)
    result = run("recommend", *asked)
    told = [line for line in (result.stdout + result.stderr).splitlines() if "easure one: " in line]
    words = shlex.split(told[0].partition("easure one: ")[2])
    device = words[words.index("-t") + 1]
    assert device == asked[asked.index("-t") + 1]
    assert run(*words[1:], "--dry-run").exit_code == 0
    # What is exported instead says what does not fit, if anything.
    from explore.points.expand import expand
    from explore.points.possible import shortage

    params = {key: [value] for key, _, value in (
        words[place + 1].partition("=") for place, word in enumerate(words) if word == "-p")}
    point, = expand([words[3]], [words[5]], params, [device])
    assert shortage(point.parameters(), targets()[device], {}) == ""


@pytest.mark.parametrize("question", [
    "-n 256 -t ecp5-45k --limit lut=100", f"{_ECDSA} --curve P-256 -t ice40-hx8k",
    "-n 256 --limit us=0.001 -t ecp5-85k", "-n 64 --clock 900 -t ecp5-85k"])
def test_nothing_is_hinted_at_that_would_not_do(run, question):
    result = run("recommend", *shlex.split(question))
    assert result.exit_code in (1, 2)
    assert "montgomery sweep -a" not in result.stdout + result.stderr
    assert "othing that is known of" in result.stdout + result.stderr


def test_a_curve_finds_its_core_whose_width_is_another_one(run):
    found = answer(run, "--kind base_multiplication --curve Ed25519 -t ecp5-85k")
    assert {each["curve"] for each in found["best"]} == {"Ed25519"}
    assert found["estimates"] == []
    assert not any("exactly" in note for note in found["notes"])


def test_what_one_far_width_says_is_no_estimate(run):
    assert answer(run, "--kind hash -n 160")["estimates"] == []


def test_devices_of_the_same_cells_answer_for_one_another(run):
    for size, fits in ((45, True), (25, False)):
        found = answer(run, f"{_ECDSA} --curve P-256 -t ecp5-{size}k")
        assert bool(found["best"]) == fits
        assert found["ruled_out"].get("device", 0) == (0 if fits else 3)
        for each in found["best"]:
            assert (each["target"], each["measured_on"]) == (f"ecp5-{size}k", "ecp5-85k")
            assert f"-t ecp5-{size}k" in each["command"]
    text = run("recommend", *shlex.split(f"{_ECDSA} --curve P-256 -t ecp5-45k")).stdout
    assert "measured on ecp5-85k, which has the same cells" in text
    assert "33 of 72 DSP" in text
    # Another speed grade is made of other cells.
    assert not answer(run, "-n 64 -t ecp5-45k-8")["best"] or all(
        each["measured_on"].endswith("-8") for each in answer(run, "-n 64 -t ecp5-45k-8")["best"])


def test_times_at_a_clock(run):
    question = f"{_X25519} --curve X25519 -t ecp5-45k --objective area"
    at_60 = answer(run, f"{question} --clock 60")["best"]
    for each in at_60:
        assert each["fmax_usable_mhz"] >= 60
        assert each["latency_us"] == pytest.approx(each["cycles_compute"] / 60)
        assert each["interval_us"] == pytest.approx(each["cycles_interval"] / 60)
    assert len(answer(run, f"{question} --clock 187")["best"]) < len(at_60)
    # The smallest that takes at most so long.
    limit = sorted(each["latency_us"] for each in at_60)[1]
    best, *_ = answer(run, f"{question} --clock 60 --limit us={limit}")["best"]
    assert best["lut"] == min(each["lut"] for each in at_60 if each["latency_us"] <= limit)
    assert "at 60 MHz" in run("recommend", *shlex.split(question), "--clock", "60").stdout


def test_registers_on_a_bus_count_for_areas_and_times(run):
    question = "-n 256 -t ecp5-85k --objective area --from program"
    before = {each["command"]: each for each in answer(run, question)["best"]}
    for more, own in ((" --clock 60", False), (" --clock 60 --own-clock", True)):
        found = answer(run, f"{question} --bus axi-lite{more}")["best"]
        assert found
        for each in found:
            option = " --bus axi-lite" + " --own-clock" * own
            assert each["command"].endswith(option)
            core, shell = before[each["command"].removesuffix(option)], each["shell"]
            lut = shell["lut"]
            assert each["lut"] - core["lut"] == (lut["value"] if isinstance(lut, dict) else lut)
            assert (each["bram"] or 0) - (core["bram"] or 0) == shell["bram"] > 0
            mhz = each["fmax_usable_mhz"] if own else 60
            assert each["latency_us"] == pytest.approx(each["cycles_compute"] / mhz)
            assert shell["cycles_core"] > each["cycles_compute"]
            assert shell["operation_us"] == pytest.approx(
                shell["cycles_bus"] / 60 + shell["cycles_core"] / mhz)
        assert [each["lut"] for each in found] == sorted(each["lut"] for each in found)


def test_a_budget_is_for_core_and_registers(run):
    question = "-n 256 -t ecp5-85k -p word_width=17 --limit lut=400 --from program"
    assert any(" -a single_dsp " in each["command"] for each in answer(run, question)["best"])
    found = answer(run, f"{question} --bus apb")
    assert not found["best"]
    assert found["nearest"]["lut"] > 400
    text = run("recommend", *shlex.split(question.replace("400", "800")), "--bus", "apb").stdout
    single = text[text.index("single_dsp"):]
    assert "LUT and 3 BRAM of these are the registers on APB4" in single
    assert " of 83,640 LUT (" in single
    assert "% of the 800 LUT of --limit" in single


def test_a_core_that_is_slower_than_the_bus_has_a_clock_of_its_own(run):
    question = "-n 256 -t ecp5-85k --bus axi-lite --clock 250 --from program --top 99"
    shared, own = (answer(run, question + more) for more in ("", " --own-clock"))
    assert shared["ruled_out"]["clock"]
    assert len(own["best"]) > len(shared["best"])
    assert "clock" not in own["ruled_out"]
    assert "too slow for --clock without --own-clock" in run(
        "recommend", *shlex.split(question)).stdout


def test_where_no_registers_were_measured_nothing_is_claimed(run):
    question = "-n 64 -t xc7 --objective area --from program"
    assert answer(run, question)["best"]
    found = answer(run, f"{question} --bus apb")
    assert not found["best"]
    assert found["ruled_out"]["bus"] > 0


def test_rows_in_part_are_not_rows_that_are_missing(run, tmp_path):
    path = tmp_path / "rows.jsonl"
    frame.save([row("mmm_mx_1d", 64, "ecp5-45k", status="partial", lut=400)], path)
    result = run("recommend", "-n", "64", "-t", "ecp5-45k", "--from", path)
    assert result.exit_code == 1
    assert "other widths" not in result.stdout
    assert "1 that were measured in part" in result.stdout
    assert "montgomery sweep -a mmm_mx_1d -n 64 -t ecp5-45k" in result.stdout


def test_names_of_curves_choose_among_rows(run):
    for name in ("prime256v1", "P256"):
        result = run("table", "-a", "scalar_multiplication", "-p", f"curve={name}")
        assert result.exit_code == 0, result.stderr
    result = run("table", "-a", "key_agreement", "-p", "curve=P-256")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "known are Curve25519, Curve448" in result.stderr
