"""Which names Kafka allows."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import TopologyError
from penstock._names import check_name

ALLOWED = string.ascii_letters + string.digits + "._-"


@given(st.text(ALLOWED, min_size=1, max_size=249).filter(lambda name: name not in {".", ".."}))
def test_a_name_of_allowed_characters_is_given_back(name: str) -> None:
    assert check_name(name) == name


@given(st.text(min_size=1, max_size=20).filter(lambda name: set(name) - set(ALLOWED)))
def test_a_name_with_any_other_character_is_refused_by_that_character(name: str) -> None:
    with pytest.raises(TopologyError) as caught:
        check_name(name)
    assert all(repr(character) in str(caught.value) for character in set(name) - set(ALLOWED))


@pytest.mark.parametrize("name", ["", ".", "..", "n" * 250, None, 5, b"name"])
def test_other_names_are_refused(name: Any) -> None:
    with pytest.raises(TopologyError, match=r"^a name must "):
        check_name(name)


def test_what_is_named_may_be_said() -> None:
    with pytest.raises(TopologyError, match=r"^a topic's name must not be empty"):
        check_name("", "topic's name")
