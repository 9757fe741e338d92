"""Rows files that are wrong in one way each."""

import json

from measurements import row, rows

__all__ = ["ACCEPTED", "REFUSED", "write"]


def _line(**changes):
    return json.dumps(row() | changes) + "\n"


def _raw(name, text):
    """Return a line whose column ``name`` is the JSON ``text``."""
    return json.dumps(row() | {name: "HERE"}).replace('"HERE"', text) + "\n"


def _without(name):
    return json.dumps({key: value for key, value in row().items() if key != name}) + "\n"


def _least(**changes):
    """Return a line with what a row must have alone."""
    return json.dumps({"arch": "a", "kind": "multiplier", "width": 256, "target": "t", "seed": 1,
                       "status": "ok"} | changes) + "\n"


_DEEP = "[" * 100_000 + "]" * 100_000

#: From names of files to their contents, and to what the message says.
REFUSED = {
    "rubbish.jsonl": ("rubbish", "line 1: JSON is malformed"),
    "number.jsonl": ("1\n", "line 1: Expected `object`, got `int`"),
    "second_line.jsonl": (_line() + '{"arch": \n', "line 2: Input data was truncated"),
    "deep.jsonl": (_raw("params", _DEEP), "recursion"),
    "latin1.jsonl": ('{"arch": "\xe9"}'.encode("latin-1"), "in UTF-8"),
    "nan.jsonl": (_line() + _raw("fmax_mhz", "NaN"), "line 2: JSON is malformed"),
    "zero.jsonl": (_line(fmax_mhz=0), "Expected `float` >= 1e-12 - at `$.fmax_mhz`"),
    "tiny.jsonl": (_line(fmax_mhz=1e-300), "`$.fmax_mhz`"),
    "digits.jsonl": (_raw("lut", "1" * 400), "at `$.lut`"),
    "fraction.jsonl": (_line(width=64.5), "at `$.width`"),
    "no_width.jsonl": (_without("width"), "Object missing required field `width`"),
    "nothing_wide.jsonl": (_line(width=0), "width must be 1 or more, except of a design, not 0"),
    "text_width.jsonl": (_line(width="64"), "Expected `int`, got `str` - at `$.width`"),
    "no_seed.jsonl": (_without("seed"), "missing required field `seed`"),
    "list_arch.jsonl": (_line(arch=["a"]), "Expected `str`, got `array` - at `$.arch`"),
    "long_arch.jsonl": (_line(arch="a" * 10_000), "Expected `str` of length <= 200 - at `$.arch`"),
    "escape_arch.jsonl": (_line(arch="\x1b[2J"), "at `$.arch`"),
    "status.jsonl": (_line(status="fine"), "Invalid enum value 'fine' - at `$.status`"),
    "kind.jsonl": (_line(kind="adder"),
                   "Invalid enum value 'adder' - at `$.kind`"),
    "list_params.jsonl": (_line(params=[1]), "at `$.params`"),
    "deep_params.jsonl": (_line(params={"a": [1]}), "at `$.params[...]`"),
    "nan_params.jsonl": (_raw("params", '{"a": NaN}'), "JSON is malformed"),
    "many_params.jsonl": (_line(params=dict.fromkeys(map(str, range(1000)), 1)),
                          "length <= 100 - at `$.params`"),
    "versions_inside.jsonl": (_line(versions={"yosys": {"a": 1}}), "at `$.versions[...]`"),
    "log.jsonl": (_line(log=["a"]), "at `$.log`"),
    "constant_time.jsonl": (_line(constant_time="yes"), "at `$.constant_time`"),
    "schema.json": ('{"schema": 2, "rows": []}', "schema must be 1, not 2"),
    "schema_row.json": ('{"schema": 1, "rows": [7]}', "row 1: Expected `object`, got `int`"),
}

_ODD = ("</script><script>document.title='PWNED'</script>", "<img src=x onerror=alert(1)>",
        "a|b`c`", "$x^2$ $\\frac", "_hidden", "=cmd|' /C calc'!A0", "%{y}\"'&amp;{{7*7}}",
        "\U0001F600 中文", "[a](javascript:alert(1))", "\\begin{x}", "--option")

#: Contents of files that are read.
ACCEPTED = {
    "empty.jsonl": "", "blank.jsonl": "\n \n",
    "no_rows.json": '{"schema": 1, "rows": []}',
    "bom.jsonl": "\ufeff" + _line(), "crlf.jsonl": _line().replace("\n", "\r\n"),
    "least.jsonl": _least(), "least_area.jsonl": _least(status="area_only", lut=1),
    "least_failed.jsonl": _least(width=1, status="oom"),
    "null_params.jsonl": _line(params=None, options=None, versions=None, arguments=None),
    "no_params.jsonl": _without("params"), "no_versions.jsonl": _without("versions"),
    "zeros.jsonl": _line(width=256, lut=0, ff=0, lut_us=0, cycles_compute=0, cycles_interval=0,
                         seconds_place=0),
    "largest.jsonl": _line(width=10**18, lut=10**18, latency_us=1e15, lut_us=1e15, fmax_mhz=1e15),
    "smallest.jsonl": _line(width=1, latency_us=1e-12, fmax_mhz=1e-12, fmax_usable_mhz=1e-12),
    "unknown.jsonl": _line(extra={"a": [1, {"b": None}]}, label="x", seeds="many", lut_min=[1],
                           blocks={}, core=7, tied=[]),
    "board.jsonl": _line(status="on_board", target="icebreaker"),
    "mixed.jsonl": "".join(_line(arch="multi_step", target="ecp5-85k", width=width, params={
        "steps": steps, "processors": steps, "processing_elements": steps, "rowers": steps})
        for width in (64, 256, 1024) for steps in (16, "many", True, None, -1, 0, 1.5, "")),
    "names.jsonl": "".join(_line(arch=name, target=name, params={name: name}, options={name: name},
                                 versions={name: name}, host=name, log=name, width=width)
                           for name in _ODD for width in (64, 256)),
    "papers.jsonl": "".join(
        json.dumps({"arch": arch, "kind": kind, "width": width, "target": "ecp5-85k", "seed": 1,
                    "status": "ok", "params": {"steps": 16, "processors": 1, "rowers": 11},
                    "fmax_usable_mhz": 100, "latency_us": 1}) + "\n"
        for arch in ("multi_step", "single_dsp", "cox_rower", "dsp_systolic", "mmm_mx_1d",
                     "mmm_op_1d") for kind in ("multiplier", "exponentiator", "rsa_crt")
        for width in (256, 1024, 2048)),
    "good.jsonl": "".join(json.dumps(each) + "\n" for each in rows()),
}


def write(path, contents):
    """Write the contents of a file."""
    path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    return path
