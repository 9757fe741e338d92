"""Writes a document with all measurements and the figures that others published."""

from .document import Document, Part, compose, write_html, write_markdown

__all__ = ["Document", "Part", "compose", "write_html", "write_markdown"]
