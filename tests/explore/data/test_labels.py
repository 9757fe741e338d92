from measurements import row

from explore.data.frame import medians, tidy
from explore.data.labels import labels


def test_labels_name_only_what_differs_within_an_architecture():
    measured = medians(tidy([
        row("alpha", params={"style": "plain", "word": 8, "fold": True}),
        row("alpha", params={"style": "fancy", "word": 16, "fold": False}),
        row("beta", params={"word": 32}), row("beta", params={"word": 32}, width=128)]))
    assert labels(measured) == ["alpha fold=True style=plain word=8",
                                "alpha fold=False style=fancy word=16",
                                "beta", "beta"]


def test_labels_leave_out_what_a_target_has_not():
    measured = medians(tidy([
        row("alpha", target="one", options={"placer": placer}) for placer in ("heap", "static")]
        + [row("alpha", target="two")]))
    assert labels(measured) == ["alpha placer=heap", "alpha placer=static", "alpha"]
