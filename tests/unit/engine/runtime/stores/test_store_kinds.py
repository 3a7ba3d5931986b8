"""How each kind of store is put together: what it is to whom, and what goes to its changelog."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from penstock import ValueAndTimestamp, serdes
from penstock._engine.runtime.stores.store_kinds import _KINDS
from penstock._engine.state.segments.versioned import VersionedState
from penstock._engine.state.views.session import SessionState
from penstock._engine.state.views.window import WindowState
from penstock.stores import StoreBuilder, VersionedRecord
from penstock.stores._builders import (
    StoreKind,
    join_store_builder,
    session_store_builder,
    versioned_store_builder,
    window_store_builder,
)
from penstock.windowed import Windowed
from tests.stores.bench import Bench
from tests.stores.engines import ENGINES

TEXT = serdes.string()
WINDOWS = window_store_builder("s", TEXT, TEXT, retention_ms=100, window_size_ms=10)
JOINED = join_store_builder("s", TEXT, TEXT, retention_ms=100, window_size_ms=10)
SESSIONS = session_store_builder("s", TEXT, TEXT, retention_ms=100)
VERSIONS = versioned_store_builder("s", TEXT, TEXT, history_retention_ms=100)


def opened(builder: StoreBuilder) -> Bench:
    return Bench(builder, ENGINES["memory"])


def test_every_kind_can_be_made() -> None:
    assert set(_KINDS) == set(get_args(StoreKind))


@pytest.mark.parametrize(
    ("builder", "state"),
    [
        (WINDOWS, WindowState),
        (JOINED, WindowState),
        (SESSIONS, SessionState),
        (VERSIONS, VersionedState),
    ],
    ids=lambda given: getattr(given, "kind", None),
)
def test_operators_see_their_kind(builder: StoreBuilder, state: type[Any]) -> None:
    bench = opened(builder)
    assert isinstance(bench.store.state(state), state)
    assert bench.store.kind == builder.kind
    assert bench.store.table is None


def test_a_windowed_aggregate_is_seen_with_times_and_without() -> None:
    bench = opened(WINDOWS)
    bench.face.put("k", ValueAndTimestamp("v", 5), 0)
    assert bench.face.fetch("k", 0) == ValueAndTimestamp("v", 5)
    assert bench.store.values.fetch("k", 0) == "v"
    bench.store.values.put("k", "w", 10)
    assert list(bench.face.fetch("k", 0, 99)) == [
        (0, ValueAndTimestamp("v", 5)),
        (10, ValueAndTimestamp("w", -1)),
    ]


def test_windows_sessions_and_versions_are_restored() -> None:
    windows, sessions, versions = opened(WINDOWS), opened(SESSIONS), opened(VERSIONS)
    windows.face.put("k", ValueAndTimestamp("v", 5), 0)
    sessions.face.put(Windowed("k", 1, 4), "s")
    versions.face.put("k", "old", 5)
    versions.face.put("k", "new", 9)
    for bench in (windows, sessions, versions):
        bench.commit()
    assert windows.restored(1).face.fetch("k", 0) == ValueAndTimestamp("v", 5)
    assert sessions.restored(1).face.fetch_session("k", 1, 4) == "s"
    restored = versions.restored(1).face
    assert restored.get("k") == VersionedRecord("new", 9)
    assert restored.get("k", 8) == VersionedRecord("old", 5)


def test_versions_between_two_times_have_ends_and_are_the_newest_first() -> None:
    face = opened(VERSIONS).face
    for value, timestamp in (("a", 5), ("b", 9), (None, 12), ("c", 20)):
        face.put("k", value, timestamp)
    a, b = VersionedRecord("a", 5, 9), VersionedRecord("b", 9, 12)
    c = VersionedRecord("c", 20)
    assert list(face.get("k", 0, 99)) == [c, b, a]
    assert list(face.get("k", 0, 19)) == [b, a]
    assert list(face.get("k", 9, 9)) == [b]
    assert list(face.get("k", 13, 15)) == list(face.get("z", 0, 99)) == []


@pytest.mark.parametrize(
    ("builder", "ask", "message"),
    [
        (WINDOWS, lambda store: store.put("k", ("v", 0), -1), "window's start must not be neg"),
        (SESSIONS, lambda store: store.put(Windowed("k", -1, 5), "v"), "session's start must not"),
        (SESSIONS, lambda store: store.remove(Windowed("k", 6, 5)), "end where they start or la"),
        (VERSIONS, lambda store: store.put("k", "v", -1), "version's timestamp must not be neg"),
        (VERSIONS, lambda store: store.delete("k", -1), "version's timestamp must not be negat"),
    ],
)
def test_times_that_cannot_be_are_refused(
    builder: StoreBuilder, ask: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ask(opened(builder).face)


def test_null_keys_are_refused_by_every_kind() -> None:
    asked: list[tuple[StoreBuilder, Callable[[Any], object]]] = [
        (WINDOWS, lambda store: store.fetch(None, 0)),
        (SESSIONS, lambda store: store.fetch(None)),
        (VERSIONS, lambda store: store.get(None)),
    ]
    for builder, ask in asked:
        with pytest.raises(ValueError, match="takes no null keys"):
            ask(opened(builder).face)
