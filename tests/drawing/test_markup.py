"""Our own XML text is that of Python's library."""

from __future__ import annotations

from itertools import product
from xml.sax import saxutils

from treville.drawing.markup import escape, quoteattr


def test_text_and_attributes_are_those_of_the_library() -> None:
    for characters in product("&<>\"'\n\r\tx", repeat=4):
        text = "".join(characters)
        assert escape(text) == saxutils.escape(text)
        assert quoteattr(text) == saxutils.quoteattr(text)
