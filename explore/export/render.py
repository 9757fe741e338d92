"""The templates of exported files, filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["document", "render"]


def render(template: str, context: Mapping[str, Any]) -> str:
    """Return a template with what it asks for; ``template`` is the name of what it becomes."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("explore.export"), undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)
    return environment.get_template(f"{template}.j2").render(context)


def document(context: Mapping[str, Any]) -> str:
    """Return the documentation of a core, with Python functions for its words in it."""
    return render("document.md", {**context, "helper": render("helper.py", context)})
