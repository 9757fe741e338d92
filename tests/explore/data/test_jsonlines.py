"""Lines are read column by column as they are one by one."""

import json
from pathlib import Path

import hostile
import pytest
from measurements import row, rows

from explore.data.frame import load, tidy
from explore.data.jsonlines import Lines
from explore.data.part import Part
from explore.data.rowcheck import modern, modern_part
from explore.data.rowfiles import ResultsError, read, read_parts, save
from explore.data.seal import count_unsealed, is_sealed, seal, sealed, seals

RESULTS = Path(__file__).parents[3] / "results"
USUAL = [json.dumps(each) for each in rows()]


def _line(**values):
    return json.dumps(row() | values)


def _raw(name, text):
    """Return a line in which a column has a text for its value."""
    return _line(**{name: "HERE"}).replace('"HERE"', text)


#: Files of which some lines are not as they are written here.
FILES = {
    "one": USUAL[:1],
    "usual": USUAL,
    "reordered": [*USUAL, json.dumps(dict(reversed(row().items())))],
    "other columns": [_line(), _line(seed=2, extra=1), _line(seed=3), _line(seed=4, other=None),
                      _line(seed=5, extra=[{"a": 1}])],
    "no columns": ["{}", USUAL[0]],
    "compact": [USUAL[0], json.dumps(row(), separators=(",", ":"))],
    "spaced": [USUAL[0].replace("{", "{ "), f"  {USUAL[1]}\t\r", f"\ufeff{USUAL[2]}"],
    "blank": [USUAL[0], "", " \t", "\u2028", USUAL[1], "\x1c", ""],
    "twice": [USUAL[0], USUAL[1].replace("{", '{"lut": 1, ', 1)],
    "twice, compact": [USUAL[0].replace("{", '{"arch":"a", ', 1).replace('": ', '":', 40)],
    "twice within": [USUAL[0], _raw("params", '{"a": 1, "a": 2}')],
    "twice deep within": [USUAL[0], _raw("extra", '[{"a": 1, "a": 1}]')],
    "percent": [_line(**{"%b": 1, "%": "%b %s"})] * 2,
    "names": [_line(**{"µ": "µ", "\"": "\\"})] * 2,
    "names as they are": [json.dumps(row() | {"µ": "µ"}, ensure_ascii=False)] * 2,
    "texts": [_line(log=text) for text in
              ("\n\t\"\\", "\x00\x7f", "中文 \U0001F600", "\u2028", "", "a" * 1000)],
    "texts as they are": [json.dumps(row() | {"log": "中文"}, ensure_ascii=False)] * 2,
    "escapes": [_raw("log", text) for text in (r'"\/\u0041"', r'"\ud83d\ude00"', '"\x7f"')],
    "half a pair": [USUAL[0], _raw("log", r'"\ud800"')],
    "half a pair, unknown": [USUAL[0], _raw("extra", r'"\ud800"')],
    "controls": [USUAL[0], _raw("log", '"a\tb"')],
    "no row": [USUAL[0], "[1]"],
    "cut": [USUAL[0], USUAL[1][:-1]],
    "cut in a text": [USUAL[0], USUAL[1][:USUAL[1].index("alpha") + 2]],
    "two in a line": [USUAL[0] + USUAL[1]],
    "whole numbers": [_raw(name, text) for text in ("1.0", "1e2", "-0", "7", "1E+2")
                      for name in ("fmax_mhz", "lut_us", "extra")],
    "a count with a point": [USUAL[0], _raw("lut", "64.0")],
    "a negative count": [USUAL[0], _raw("lut", "-0")],
    "true for a count": [USUAL[0], _line(lut=True)],
    "a mapping for a count": [USUAL[0], _line(lut={"a": 1})],
    "a text for a mapping": [USUAL[0], _line(params="a")],
    "lists": [_line(arguments={"yosys": ["a", "b"]}), _line(arguments={"yosys": ["a", 1]})],
    "nulls": [_line(kind=None, params=None, options=None, versions=None, recipe=None, lut=None)],
    "empty": [_line(kind="", params={}, log="")],
    "deep": [USUAL[0], _raw("extra", "[" * 3000 + "]" * 3000)],
    "deep for a count": [USUAL[0], _raw("lut", "[" * 3000 + "]" * 3000)],
    **{f"{name} {text[:12]} of {len(text)}": [USUAL[0], _raw(name, text)]
       for name in ("lut", "fmax_mhz", "lut_us", "extra", "params")
       for text in ("NaN", "Infinity", "-Infinity", "1e400", "1e-400", "01", "1.", "-", "nul",
                    "0.1", "0.30000000000000004", "123456789.123456789123456789",
                    "5e-324", "-0.0", str(10**18), str(10**18 + 1), str(2**63), str(2**64),
                    str(-10**30), "9" * 99, "9" * 5000, '{"a": 18446744073709551616}')},
}


def _outcome(path):
    """Return the rows of a file with the order and the types of what they hold, or the message."""
    try:
        return list(map(repr, read(path)))
    except ResultsError as error:
        return str(error)


def _assert_alike(path, monkeypatch):
    quick = _outcome(path)
    with monkeypatch.context() as patch:
        patch.setattr(Lines, "read", lambda *_: (_ for _ in ()).throw(ValueError))
        assert quick == _outcome(path)
    if isinstance(quick, list):
        found = read(path)
        assert [each for part in read_parts(path) for each in part.rows()] == found
        # A copy of a row is no other seed.
        last = {json.dumps([each[name] for name in (
            "kind", "arch", "width", "target", "seed", "params", "options")], sort_keys=True): each
            for each in map(modern, found)}
        assert load(path).equals(tidy(list(last.values())))


@pytest.mark.parametrize("name", FILES)
def test_lines_are_read_as_one_by_one(name, tmp_path, monkeypatch):
    (tmp_path / "rows.jsonl").write_text("\n".join(FILES[name]) + "\n", encoding="utf-8")
    _assert_alike(tmp_path / "rows.jsonl", monkeypatch)


@pytest.mark.parametrize("name", [name for name in {**hostile.REFUSED, **hostile.ACCEPTED}
                                  if name.endswith(".jsonl")])
def test_odd_files_are_read_as_one_by_one(name, tmp_path, monkeypatch):
    contents = hostile.ACCEPTED.get(name) or hostile.REFUSED.get(name, [""])[0]
    _assert_alike(hostile.write(tmp_path / name, contents), monkeypatch)


@pytest.mark.parametrize("path", sorted(RESULTS.rglob("rows.jsonl")),
                         ids=lambda path: path.parent.name)
def test_measurements_are_read_as_one_by_one(path, monkeypatch):
    _assert_alike(path, monkeypatch)
    found = read(path)
    assert seals(found) == list(map(seal, found))
    assert count_unsealed(found) == sum(not is_sealed(each) for each in found) == 0
    part = modern_part(Part.of(found))
    assert list(map(repr, part.rows())) == [repr(modern(each)) for each in found]


def test_usual_lines_are_read_column_by_column(tmp_path, monkeypatch):
    save(rows(), tmp_path / "rows.jsonl")
    monkeypatch.setattr("explore.data.rowfiles.parsed", None)
    part, = read_parts(tmp_path / "rows.jsonl")
    assert part.whole
    assert part.rows() == read(tmp_path / "rows.jsonl") == rows()


def test_rows_of_other_columns_keep_their_own():
    given = [{"a": 1, "b": None}, {"b": 2}, {"c": float("nan")}]
    part = Part.of(given)
    assert not part.whole
    assert part.rows() == given
    assert part.filled() == {"a": [1, None, None], "b": [None, 2, None], "c": [
        None, None, given[2]["c"]]}


def test_seals_of_other_columns():
    given = [sealed(row()), sealed(row() | {"extra": 1}), row() | {"extra": 1}, {"arch": "a"}]
    assert count_unsealed(given) == 2
    assert count_unsealed([*given, row() | {"extra": float("nan")}, {}]) == 4
    assert count_unsealed([]) == 0
