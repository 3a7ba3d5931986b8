"""Rows of another kind are rebuilt from the changelog, or refused; never read."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from penstock._engine.runtime.stores.row_marks import open_for_rows_of
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock.errors import StateError
from penstock.stores._builders import StoreKind

TIMED: StoreKind = "timestamped_key_value"
WITH_HEADERS: StoreKind = "timestamped_key_value_with_headers"
ROWS = {b"a": b"1", b"b": b"2"}


def opened(path: Path, kind: StoreKind, rebuilt_from: str | None = "topic 'log'") -> RocksDbStore:
    engine = open_for_rows_of(
        kind, "store 'counts' of task 0_1", lambda: RocksDbStore(path), rebuilt_from=rebuilt_from
    )
    assert isinstance(engine, RocksDbStore)
    return engine


def written(path: Path, kind: StoreKind | None) -> None:
    """Leave a store with rows, marked with a kind or from before there were marks."""
    engine = RocksDbStore(path) if kind is None else opened(path, kind)
    engine.write(ROWS, 2)
    engine.close()


def content(engine: RocksDbStore) -> tuple[dict[bytes, bytes], int | None]:
    try:
        return dict(engine.scan(None, None, reverse=False)), engine.changelog_offset()
    finally:
        engine.close()


@pytest.mark.parametrize(
    ("before", "now"),
    [(TIMED, WITH_HEADERS), (WITH_HEADERS, TIMED), (None, WITH_HEADERS), ("key_value", TIMED)],
)
def test_rows_of_another_kind_are_restored_anew(
    before: StoreKind | None, now: StoreKind, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    written(tmp_path, before)
    with caplog.at_level(logging.WARNING, "penstock"):
        assert content(opened(tmp_path, now)) == ({}, None)
    assert f"and is of kind {now} now: it is rebuilt from topic 'log'" in caplog.text
    written(tmp_path, now)
    assert content(opened(tmp_path, now)) == (ROWS, 2)


@pytest.mark.parametrize("before", [TIMED, None])
def test_rows_of_the_same_kind_are_kept(before: StoreKind | None, tmp_path: Path) -> None:
    written(tmp_path, before)
    assert content(opened(tmp_path, TIMED)) == (ROWS, 2)
    assert content(opened(tmp_path, WITH_HEADERS)) == ({}, None)  # it was marked


def test_sessions_with_headers_have_always_been_written_as_now(tmp_path: Path) -> None:
    written(tmp_path, None)
    assert content(opened(tmp_path, "session_with_headers", rebuilt_from=None)) == (ROWS, 2)


def test_rows_without_an_offset_are_restored_anew(tmp_path: Path) -> None:
    """The changelog would be read over them, and no longer knows what was deleted long ago."""
    engine = opened(tmp_path, TIMED)
    engine.write(ROWS, None)
    engine.close()
    assert content(opened(tmp_path, TIMED)) == ({}, None)


def test_rows_without_a_changelog_have_no_offset_and_are_kept(tmp_path: Path) -> None:
    engine = opened(tmp_path, TIMED, rebuilt_from=None)
    engine.write(ROWS, None)
    engine.close()
    assert content(opened(tmp_path, TIMED, rebuilt_from=None)) == (ROWS, None)


def test_rows_that_no_topic_has_are_refused_and_kept(tmp_path: Path) -> None:
    written(tmp_path, TIMED)
    with pytest.raises(StateError) as refused:
        opened(tmp_path, WITH_HEADERS, rebuilt_from=None)
    assert str(refused.value) == (
        f"store 'counts' of task 0_1 in {tmp_path} has rows of kind 'timestamped_key_value' and is "
        "of kind 'timestamped_key_value_with_headers' now, and it has no changelog (logging=False) "
        "to be rebuilt from; take back what changed its kind, as 'dsl.store.format', or move the "
        "directory away to begin with an empty store"
    )
    assert content(opened(tmp_path, TIMED, rebuilt_from=None)) == (ROWS, 2)


def test_an_empty_store_may_become_one_of_another_kind(tmp_path: Path) -> None:
    opened(tmp_path, TIMED).close()
    opened(tmp_path, WITH_HEADERS, rebuilt_from=None).close()
    written(tmp_path, WITH_HEADERS)


def test_other_engines_have_no_marks() -> None:
    engine = MemoryStore()
    assert open_for_rows_of(TIMED, "store 'a'", lambda: engine, rebuilt_from=None) is engine
