"""The page about `treville param` shows the example that it speaks of."""

from __future__ import annotations

import re

from tests.parameterised.systems import FLAGS, ROOT

PAGE = (ROOT / "docs" / "param.md").read_text(encoding="utf-8")


def test_the_system_on_the_page_is_the_example() -> None:
    shown = re.search(r"^```text\n(type place.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert shown is not None
    without_comment = FLAGS[FLAGS.index("*)") + 2 :]
    assert "".join(shown[1].split()) == "".join(without_comment.split())
