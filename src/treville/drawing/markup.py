"""Text and attributes of XML, as `xml.sax.saxutils` writes them; to import that loads the libraries of the
network too, which takes longer than drawing."""

from __future__ import annotations

_ATTRIBUTE = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def escape(text: str) -> str:
    """Text between tags.

    >>> escape("1 < 2 & 3")
    '1 &lt; 2 &amp; 3'
    """
    return text.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")


def quoteattr(text: str) -> str:
    """The value of an attribute with its quotes: double ones, unless only those occur in it."""
    text = escape(text)
    for character, entity in _ATTRIBUTE.items():
        text = text.replace(character, entity)
    if '"' not in text:
        return f'"{text}"'
    return f"'{text}'" if "'" not in text else '"' + text.replace('"', "&quot;") + '"'
