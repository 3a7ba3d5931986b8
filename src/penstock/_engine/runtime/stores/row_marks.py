"""Rows on disk that cannot be trusted: they are never read, but rebuilt.

They were written by a store of another kind, or before the store's first checkpoint: those have no
offset, so the changelog is read from its beginning over them, and what was deleted long ago may be
missing there.

Each store on disk is marked with its kind. `dsl.store.format`, for one, changes the kind of the
stores of verbs: their rows get room for headers, while their changelogs stay as they are. Java
converts such rows one by one when they are read, and refuses the way back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock.errors import StateError
from penstock.stores._builders import StoreKind

_log = logging.getLogger(__name__)

_UNMARKED = "unknown"
_WITHOUT_OFFSET = "unfinished"
_REORDERED: frozenset[StoreKind] = frozenset(
    {"timestamped_key_value_with_headers", "timestamped_window_with_headers"}
)
"""Their parts were in another order, as long as there were no marks."""


def open_for_rows_of(
    kind: StoreKind,
    title: str,
    open_engine: Callable[[], StoreEngine],
    *,
    rebuilt_from: str | None,
) -> StoreEngine:
    """Open a store; an empty one in its place if its rows cannot be trusted and there is a topic to
    rebuild them from.

    Raises:
        StateError: They are of another kind, and there is no such topic.
    """
    engine = open_engine()
    if not isinstance(engine, RocksDbStore):
        return engine
    try:
        written = engine.rows_kind() or (_UNMARKED if kind in _REORDERED else kind)
        if rebuilt_from is not None and engine.changelog_offset() is None:
            written = _WITHOUT_OFFSET
        if written == kind or next(engine.scan(None, None, reverse=False), None) is None:
            engine.mark_rows(kind)
            return engine
        if rebuilt_from is None:
            raise _lost(title, engine, written, kind)
    except BaseException:
        engine.close()
        raise
    engine.close()
    RocksDbStore.destroy(engine.path)
    if written != _WITHOUT_OFFSET:
        _log.warning(
            "%s has rows of kind %s and is of kind %s now: it is rebuilt from %s",
            title,
            written,
            kind,
            rebuilt_from,
        )
    fresh = open_engine()
    assert isinstance(fresh, RocksDbStore)
    fresh.mark_rows(kind)
    return fresh


def _lost(title: str, engine: RocksDbStore, written: str, kind: StoreKind) -> StateError:
    if written == _UNMARKED:
        msg = (
            f"{title} in {engine.path} was written by an earlier version, which kept headers in "
            "another form, and it has no changelog (logging=False) to be rebuilt from; move the "
            "directory away to begin with an empty store"
        )
        return StateError(msg, engine.path)
    msg = (
        f"{title} in {engine.path} has rows of kind {written!r} and is of kind {kind!r} now, and "
        "it has no changelog (logging=False) to be rebuilt from; take back what changed its kind, "
        "as 'dsl.store.format', or move the directory away to begin with an empty store"
    )
    return StateError(msg, engine.path)
