"""Properties are about something, and can be told."""

from __future__ import annotations

import pytest

from treville.campaigns.check import _HOLDS, _SO_FAR
from treville.results.properties import Property


@pytest.mark.parametrize("prop", Property)
def test_a_property_about_errors_has_some(prop: Property) -> None:
    """With none of them every program would satisfy it."""
    assert bool(prop.errors) == prop.is_about_failures


@pytest.mark.parametrize("told", [_HOLDS, _SO_FAR])
def test_there_are_words_for_every_property(told: dict[Property, str]) -> None:
    assert set(told) == set(Property)
