"""What each kind of store can do: what the engine gives is what the types say."""

from __future__ import annotations

import inspect

import pytest

from penstock import (
    KeyValueStore,
    SessionStore,
    ValueAndTimestamp,
    VersionedKeyValueStore,
    VersionedRecord,
    WindowStore,
)
from penstock._camel_case import snake_case
from penstock._engine.state.views.key_value import TypedKeyValueStore
from penstock._engine.state.views.typed import (
    TypedSessionStore,
    TypedVersionedStore,
    TypedWindowStore,
)

PAIRS: list[tuple[type, type]] = [
    (KeyValueStore, TypedKeyValueStore),
    (WindowStore, TypedWindowStore),
    (SessionStore, TypedSessionStore),
    (VersionedKeyValueStore, TypedVersionedStore),
]


def methods(kind: type) -> dict[str, list[str]]:
    """Return the public methods of a class with the names of their parameters."""
    return {
        name: list(inspect.signature(method).parameters)
        for name, method in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


@pytest.mark.parametrize(("said", "made"), PAIRS, ids=lambda kind: kind.__name__)
def test_a_store_can_do_what_its_type_says_and_nothing_else(said: type, made: type) -> None:
    assert methods(made) == methods(said)


@pytest.mark.parametrize("made", [made for _, made in PAIRS], ids=lambda kind: kind.__name__)
def test_java_s_names_lead_to_ours(made: type) -> None:
    name = "approximateNumEntries" if made is TypedKeyValueStore else "backwardFetch"
    if snake_case(name) in methods(made):
        with pytest.raises(AttributeError, match=snake_case(name)):
            getattr(object.__new__(made), name)


def test_values_with_times_are_tuples() -> None:
    assert ValueAndTimestamp("v", 5) == ("v", 5)
    assert VersionedRecord("v", 5).timestamp == 5
