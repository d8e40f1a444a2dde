"""Wrong options, commands and choices are told in a line, with what may have been meant."""

from __future__ import annotations

import pytest

from treville.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["check", "x.c", "--enginee", "views"], "--engine"),
        (["check", "x.c", "--mod", "tso"], "--model"),
        (["check", "x.c", "--time=3"], "--timeout"),
        (["check", "x.c", "--engine", "view"], "views"),
        (["check", "x.c", "--solver", "cadicle"], "cadical"),
        (["chekc", "x.c"], "check"),
        (["litmus", "x.litmus", "--xyzzy"], ""),
        (["litmus"], ""),
    ],
)
def test_what_may_have_been_meant_is_told(
    arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert ("did you mean" in told) == bool(meant)
    assert not meant or f"did you mean {meant}?" in told
    assert len(told.splitlines()) == 2
    assert "--help` tells more" in told
