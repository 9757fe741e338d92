"""Rows that are fit for plots, and what figures show."""

from explore.plots import _drawing as plot

__all__ = ["fit_for", "panel_texts", "series_of"]


def fit_for(name, measured):
    """Return rows with what a plot is about."""
    if name == "growth":
        return [each | {"width": width} for each in measured for width in (8, each["width"], 512)]
    if name.endswith("_parameter"):
        return [each | {"kind": "design", "params": each["params"] | {"depth": depth}}
                for each in measured for depth in (8, 64)]
    if name == "radix":
        return [each | {"params": each["params"] | {"steps": steps}} for each in measured
                for steps in (2, 4)]
    if name == "signatures_lut":
        return [each | {"kind": "exponentiator", "width": 1024} for each in measured]
    if name == "scalar_multiplications_lut":
        return [each | {"kind": "scalar_multiplication", "width": 256} for each in measured]
    column = plot.plots()[name].column
    if not column:
        return measured
    prefix, _, setting = column.partition("_")
    return [each | {f"{prefix}s": each[f"{prefix}s"] | {setting: 2}} for each in measured]


def series_of(figure):
    """Return the entries of a legend that are series."""
    return [text.get_text() for text in figure.legends[0].get_texts()
            if text.get_text() not in ("Pareto front", "as asked for",
                                       "with multiplier blocks", "core of others",
                                       "in its paper, own silicon",
                                       "reported by others, on other silicon")
            and not text.get_text().endswith(" bits")]


def panel_texts(figure):
    return [axes.get_title(loc="left") for axes in figure.axes]
