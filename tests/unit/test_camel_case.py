"""Java's spelling is answered with ours."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._camel_case import ExplainsCamelCase, ExplainsJavaNames, snake_case

WORDS = st.lists(st.from_regex(r"[a-z]{2,5}[0-9]?", fullmatch=True), min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("java", "ours"),
    [
        ("map", "map"),
        ("mapValues", "map_values"),
        ("flatMapValues", "flat_map_values"),
        ("addSource", "add_source"),
        ("toKTable", "to_k_table"),
        ("getURL", "get_url"),
        ("currentSystemTimeMs", "current_system_time_ms"),
        ("with_key", "with_key"),
        ("", ""),
    ],
)
def test_snake_case(java: str, ours: str) -> None:
    assert snake_case(java) == ours


@given(WORDS)
def test_snake_case_finds_the_words(words: list[str]) -> None:
    java = words[0] + "".join(word.capitalize() for word in words[1:])
    assert snake_case(java) == "_".join(words)


@given(st.text("abAB01_"))
def test_snake_case_changes_nothing_twice(name: str) -> None:
    assert snake_case(snake_case(name)) == snake_case(name)


class Subject(ExplainsCamelCase):
    """Something with verbs."""

    def map_values(self) -> None: ...
    def for_each(self) -> None: ...
    def _secret_verb(self) -> None: ...


def message(name: str, subject: Any = None) -> str:
    with pytest.raises(AttributeError) as caught:
        getattr(subject or Subject(), name)
    assert caught.value.name == name
    return str(caught.value)


def test_a_java_name_is_answered_with_ours() -> None:
    assert (
        message("mapValues") == "Subject has no 'mapValues'; in Python it is spelled 'map_values'"
    )
    assert message("foreach") == "Subject has no 'foreach'; in Python it is spelled 'for_each'"


def test_a_misspelled_name_is_answered_with_the_nearest() -> None:
    assert message("map_value") == "Subject has no 'map_value'; did you mean 'map_values'?"


def test_a_name_like_no_other_is_just_missing() -> None:
    assert message("aggregate") == "Subject has no 'aggregate'"


def test_private_names_are_not_suggested() -> None:
    assert message("secretVerb") == "Subject has no 'secretVerb'"


def test_hasattr_and_getattr_with_a_default_still_work() -> None:
    assert not hasattr(Subject(), "mapValues")
    assert getattr(Subject(), "mapValues", 5) == 5


def test_an_engine_class_is_spoken_of_by_its_public_name() -> None:
    class Internal(Subject):
        _spoken_name = "Public"

    assert message("mapValues", Internal()).startswith("Public has no 'mapValues'")


class Factory(ExplainsCamelCase, metaclass=ExplainsJavaNames):
    _java_names: ClassVar[dict[str, str]] = {"ofThings": "of(things)"}


@pytest.mark.parametrize("subject", [Factory, Factory()])
def test_a_name_that_is_another_word_in_java_is_explained(subject: Any) -> None:
    with pytest.raises(AttributeError) as caught:
        subject.ofThings  # noqa: B018
    assert str(caught.value) == (
        "Factory has no 'ofThings'; in Python it is spelled Factory.of(things)"
    )


def test_a_class_says_what_it_has_not() -> None:
    with pytest.raises(AttributeError, match="Factory has no 'ofStones'"):
        Factory.ofStones  # type: ignore[attr-defined]  # noqa: B018
