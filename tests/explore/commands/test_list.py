import json

from console import assert_refused


def test_list_names_everything(run):
    document = json.loads(run("list", "--json").stdout)
    assert {"architectures", "exponentiators", "targets", "boards", "presets", "plots",
            "table_formats"} <= set(document)
    toy = document["architectures"]["toy"]
    assert toy["parameters"]["style"] == {
        "type": "str", "default": "plain", "required": False, "minimum": None, "maximum": None,
        "choices": ["plain", "fancy"], "help": "nothing but a name"}
    assert toy["parameters"]["width"]["required"]
    assert document["targets"]["ecp5-85k"]["clock_limit_mhz"] == 257
    assert document["targets"]["ecp5-85k"]["options"]["placer_weight"]["choices"]
    xc7 = document["targets"]["xc7"]
    assert (xc7["placer"], xc7["clock_limit_mhz"], xc7["lut_name"]) == (None, None, "LUT6")
    shown = run("list").stdout
    for group in ("architectures", "targets", "presets", "plots", "table_formats", "columns"):
        for name in document[group]:
            assert name in shown


def test_list_one_group(run):
    assert list(json.loads(run("list", "--json", "plots").stdout)) == ["plots"]
    assert run("list", "exponentiators").stdout == "Exponentiators\n  none\n"
    assert run("list", "decryptions").stdout == "Decryptions\n  none\n"
    assert_refused(run("list", "decryption"), "Unknown group 'decryption'; did you mean")
