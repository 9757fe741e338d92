"""Writes a document with all measurements and the figures that others published."""

from .document import Document, Part, compose, write_html, write_markdown

__all__ = ["FORMATS", "Document", "Part", "compose", "write_html", "write_markdown"]

#: What the document can be written as.
FORMATS = ("html", "markdown")
