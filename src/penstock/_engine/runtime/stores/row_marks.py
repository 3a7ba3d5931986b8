"""Rows on disk that a store of another kind has written: they are never read, but rebuilt.

Each store on disk is marked with its kind. `dsl.store.format`, for one, changes the kind of the
stores of verbs: their rows get room for headers, while their changelogs stay as they are. Java
converts such rows one by one when they are read, and refuses the way back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from penstock._engine.runtime.stores.row_forms import form_of
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock.errors import StateError
from penstock.stores._builders import StoreKind

_log = logging.getLogger(__name__)

_UNMARKED = "unknown"


def open_for_rows_of(
    kind: StoreKind,
    title: str,
    open_engine: Callable[[], StoreEngine],
    *,
    rebuilt_from: str | None,
) -> StoreEngine:
    """Open a store; an empty one in its place if its rows are of another kind and there is a topic
    to rebuild them from.

    Raises:
        StateError: They are of another kind, and there is no such topic.
    """
    engine = open_engine()
    if not isinstance(engine, RocksDbStore):
        return engine
    try:
        written = engine.rows_kind() or _kind_before_marks(kind)
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


def _kind_before_marks(kind: StoreKind) -> str:
    """Return what the rows of a store without a mark are taken for. Those with headers were written
    in another order of their parts, as long as there were no marks.
    """
    return _UNMARKED if form_of(kind).keeps_headers else kind


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
