"""All measurements in one document, beside what papers and other projects publish."""

from .document import Document, Part, compose, write_html, write_markdown

__all__ = ["Document", "Part", "compose", "write_html", "write_markdown"]
