"""Builds the stores of each kind from their layers: types, cache, changelog, uncommitted changes.
Java: the store builders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

from penstock._engine.planner.plan import StorePlan
from penstock._engine.runtime.output.collector import Collect, Collector
from penstock._engine.runtime.output.row_sender import (
    log_to,
    log_with_headers_to,
    log_without_time_to,
)
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.records import ChangelogRecord
from penstock._engine.runtime.stores.row_forms import RowForm, form_of
from penstock._engine.state.cache.entries import CacheBudget
from penstock._engine.state.cache.record_cache import CachedStore, QuietCache
from penstock._engine.state.codec import (
    Codec,
    RowCodec,
    pack_timestamp,
    plain_codec,
    timestamped_codec,
    untimed_codec,
)
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.header_codec import values_behind_headers
from penstock._engine.state.logged import (
    Log,
    LoggedStore,
    RecordStore,
)
from penstock._engine.state.overlay import Overlay, Reserve
from penstock._engine.state.segments.rows import RowPlace, Rows
from penstock._engine.state.segments.versioned import VersionedRows, VersionedState
from penstock._engine.state.segments.window_rows import WindowRows
from penstock._engine.state.suppression_buffer import SuppressionBuffer
from penstock._engine.state.views.join_buffer import JoinBuffer
from penstock._engine.state.views.key_value import TypedKeyValueStore
from penstock._engine.state.views.lru import LimitedStore
from penstock._engine.state.views.outer_join import OuterJoinState
from penstock._engine.state.views.session import SessionRows, SessionState
from penstock._engine.state.views.subscriptions import SubscriptionStore
from penstock._engine.state.views.suppression import SuppressionState
from penstock._engine.state.views.table import TableState
from penstock._engine.state.views.typed import (
    TypedSessionStore,
    TypedVersionedStore,
    TypedWindowStore,
)
from penstock._engine.state.views.window import WindowState
from penstock.settings import StreamsConfig
from penstock.stores._builders import StoreKind
from penstock.windows import END_OF_TIME

L = TypeVar("L")

_TABLES = frozenset({"timestamped_key_value", "timestamped_key_value_with_headers"})
"""The kinds that tables and aggregates are kept in."""

MakeEngine: TypeAlias = Callable[[StorePlan], StoreEngine]
"""Opens the engine of a store; the host knows where it lives."""

StoredRow: TypeAlias = tuple[bytes, bytes, int | None, int | None, int | None]
"""(key, value, timestamp if it has one, start and end of its window, session or validity)."""


def _count_nothing() -> None:
    """The default of `StoreSite.drop`."""


@dataclass(frozen=True, slots=True)
class StoreSite:
    """What the stores of a task need to be opened."""

    partition: int
    config: StreamsConfig
    collector: Collector
    position: Position
    make_engine: MakeEngine
    budget: CacheBudget
    drop: Callable[[], None] = field(default=_count_nothing)
    """Counts a record that is too old for a store as dropped."""
    reserve: Reserve | None = None
    """Limits how many committed changes stores may write to their engines later; None: none."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An open store, with each of its views."""

    face: Any
    """The store as processors see it."""
    values: Any
    """The same without the times and headers of values, where it keeps any."""
    state: object
    """The store as its operators see it."""
    cache: CachedStore | SuppressionBuffer | None
    """What must be flushed before a commit."""
    commit: Callable[[int | None], None]
    """`commit(changelog_offset)` writes all changes to the engine, with the next offset of the
    changelog.
    """
    restore: Callable[[Iterable[ChangelogRecord], int], None]
    """`restore(records, offset)` applies changelog records; the store is then complete up to
    `offset`.
    """
    rows: Callable[[], Iterator[StoredRow]] | None = None
    """Yields all rows of the store, uncommitted ones too; None if only the engine can."""
    read_as: Callable[[RowCodec], Any] | None = None
    """Returns the store as processors see it, with other types; None if it cannot be queried."""
    timed: Any = None
    """The store with the times of values but without their headers; None if it keeps no times and
    is not of a join, whose rows Java shows with the time -1.
    """
    read_first: Callable[[], None] | None = None
    """Reads a row, if there is one, and raises if that cannot be done; None if `rows` do."""
    row_of: Callable[[bytes, bytes], tuple[bytes, bytes] | None] | None = None
    """`row_of(key, data)` returns key and value of an entry of the engine, None if it is no row;
    None where one entry holds several, or none of the user's.
    """


def open_committed(plan: StorePlan, site: StoreSite, overlay: Overlay) -> Opened:
    """Put a store together over its committed content, for readers: no cache, no changelog."""
    builder = replace(plan.builder, cached=False, max_entries=None)
    quiet = replace(plan, builder=builder, changelog=None)
    committed = overlay.committed()
    return _KINDS[builder.kind](quiet, site, committed, committed.engine)


def open_store(plan: StorePlan, site: StoreSite, engine: StoreEngine) -> tuple[Opened, Overlay]:
    """Put a store together over its engine."""
    # Changes that no topic can restore must not wait: they would be lost with the process.
    overlay = Overlay(engine, None if plan.restored_from is None else site.reserve)
    return _KINDS[plan.builder.kind](plan, site, overlay, engine), overlay


def _key_value(plan: StorePlan, site: StoreSite, overlay: Overlay, engine: StoreEngine) -> Opened:
    builder, form = plan.builder, form_of(plan.builder.kind)
    store: RecordStore = LoggedStore(overlay, _log(plan, site, form.log))
    is_table = builder.kind in _TABLES
    limited = None
    if builder.max_entries is not None:
        # As in Java, the evictions of a table's store are not in its changelog.
        store = limited = LimitedStore(
            store, builder.max_entries, overlay.delete if is_table else None
        )
    cache = None
    if builder.cached and site.budget.limit_bytes > 0:
        store = cache = CachedStore(
            store, site.budget, site.position, counts_reads=site.config.records_debug_metrics
        )
    codec, make_row = _codec(plan, site), form.restored

    def restore(records: Iterable[ChangelogRecord], offset: int) -> None:
        changes: dict[bytes, bytes | None] = {}
        for key, value, timestamp in records:
            row = value if value is None or make_row is None else make_row(value, timestamp)
            changes[key] = row
            if limited is not None and (gone := limited.restored(key, row)) is not None:
                changes[gone] = None
        engine.write(changes, offset)

    def rows() -> Iterator[StoredRow]:
        for key, row in store.scan(None, None, reverse=False):
            yield (key, *form.apart(row), None, None)

    def view(codec: Codec, store: RecordStore = store) -> TypedKeyValueStore:
        return TypedKeyValueStore(
            builder.name, codec, store, site.position, keeps_headers=form.keeps_headers
        )

    queried = store if cache is None else QuietCache(cache)
    operators = _codec_of_operators(plan, codec)
    return Opened(
        face=view(form.face(codec)),
        values=view(form.values(codec)),
        state=TableState(builder.name, operators, store) if is_table else None,
        cache=cache,
        commit=overlay.apply,
        restore=restore,
        rows=rows,
        read_as=lambda codec: view(form.asked(codec), queried),
        timed=view(timestamped_codec(operators)) if is_table else None,
        row_of=lambda key, row: (key, form.apart(row)[0]),
    )


def _window(plan: StorePlan, site: StoreSite, overlay: Overlay, engine: StoreEngine) -> Opened:
    builder, form = plan.builder, form_of(plan.builder.kind)
    assert builder.times is not None
    is_of_join = builder.times.retain_duplicates and builder.kind == "window"
    log = _log(plan, site, log_with_headers_to if is_of_join else form.log)
    rows = WindowRows(builder, _place(site, overlay, log))
    codec = _codec(plan, site)

    def stored() -> Iterator[StoredRow]:
        found = rows.fetch_range(None, None, 0, END_OF_TIME, reverse=False, lazily=True)
        for key, start, row in found:
            yield (key, *form.apart(row), start, rows.end_of(start))

    def view(codec: Codec, rows: WindowRows = rows) -> TypedWindowStore:
        return TypedWindowStore(
            builder.name, codec, rows, site.position, keeps_headers=form.keeps_headers
        )

    timed = None
    queried = rows.for_queries()
    operators = _codec_of_operators(plan, codec)
    if is_of_join:
        timed = view(untimed_codec(codec))
    elif builder.kind != "window":
        timed = view(timestamped_codec(operators))
    return Opened(
        face=view(form.face(codec)),
        values=view(form.values(codec)),
        state=WindowState(builder.name, operators, rows),
        cache=rows.cache,
        commit=rows.rows.commit,
        restore=_restore_rows(rows.rows, engine, form.restored),
        rows=stored,
        read_as=lambda codec: view(form.asked(codec), queried),
        timed=timed,
        row_of=_row_of(rows.rows, form),
    )


def _session(plan: StorePlan, site: StoreSite, overlay: Overlay, engine: StoreEngine) -> Opened:
    builder, form = plan.builder, form_of(plan.builder.kind)
    rows = SessionRows(builder, _place(site, overlay, _log(plan, site, form.log)))
    codec = _codec(plan, site)

    def view(codec: Codec, rows: SessionRows = rows) -> TypedSessionStore:
        return TypedSessionStore(
            builder.name, codec, rows, site.position, keeps_headers=form.keeps_headers
        )

    def stored() -> Iterator[StoredRow]:
        for key, start, end, row in rows.find_range(None, None, 0, END_OF_TIME, reverse=False):
            yield (key, *form.apart(row), start, end)

    face, queried = view(form.face(codec)), rows.for_queries()
    return Opened(
        face=face,
        values=view(form.values(codec)) if form.keeps_headers else face,
        state=SessionState(
            builder.name,
            _codec_of_operators(plan, codec),
            rows,
            # As in Java, what leaves the cache has the headers of the row, and verbs keep none.
            forwards_headers=not form.keeps_headers,
        ),
        cache=rows.cache,
        commit=rows.rows.commit,
        restore=_restore_rows(rows.rows, engine, form.restored),
        rows=stored,
        read_as=lambda codec: view(form.asked(codec), queried),
        row_of=_row_of(rows.rows, form),
    )


def _versioned(plan: StorePlan, site: StoreSite, overlay: Overlay, engine: StoreEngine) -> Opened:
    builder = plan.builder
    assert builder.times is not None
    rows = VersionedRows(overlay, builder.times, _log(plan, site, log_to), site.drop)
    codec = _codec(plan, site)
    face = TypedVersionedStore(builder.name, codec, rows)
    state = VersionedState(builder.name, codec, rows)

    def stored() -> Iterator[StoredRow]:
        for key, value, since, until in rows.every_version():
            yield key, value, since, since, until

    def read_as(codec: RowCodec) -> TypedVersionedStore:
        return TypedVersionedStore(builder.name, codec, rows)

    return Opened(face, face, state, None, rows.commit, rows.restore, stored, read_as)


def _outer_join(plan: StorePlan, site: StoreSite, overlay: Overlay, engine: StoreEngine) -> Opened:
    builder = plan.builder
    store = LoggedStore(overlay, _log(plan, site, log_to))
    left = _codec(plan, site)
    title = _title(plan)
    right_serde = site.config.value_serde(builder.other_value, title)
    key_serde = site.config.key_serde(builder.key, title)
    right = plain_codec(plan.serde_topic, key_serde, right_serde, plan.own_state)
    face = TypedKeyValueStore(builder.name, left, store, site.position)
    state = OuterJoinState(builder.name, left, right, store)

    def restore(records: Iterable[ChangelogRecord], offset: int) -> None:
        engine.write({key: value for key, value, _ in records}, offset)

    return Opened(face, face, state, None, overlay.apply, restore, read_first=state.read_first)


def _subscriptions(
    plan: StorePlan, site: StoreSite, overlay: Overlay, engine: StoreEngine
) -> Opened:
    log = _log(plan, site, log_with_headers_to)
    assert log is not None
    store, codec, name = SubscriptionStore(overlay, log), _codec(plan, site), plan.builder.name
    face = TypedKeyValueStore(name, timestamped_codec(codec), store, site.position)

    def restore(records: Iterable[ChangelogRecord], offset: int) -> None:
        changes = {
            key: None if value is None else pack_timestamp(timestamp) + value
            for key, value, timestamp in records
        }
        engine.write(changes, offset)

    state = TableState(name, codec, store)
    return Opened(face, face, state, None, overlay.apply, restore)


def _join_buffer(plan: StorePlan, site: StoreSite, overlay: Overlay, engine: StoreEngine) -> Opened:
    name, codec = plan.builder.name, _codec(plan, site)
    buffer = JoinBuffer(name, codec, overlay, _log(plan, site, log_without_time_to), site.position)

    def restore(records: Iterable[ChangelogRecord], offset: int) -> None:
        engine.write(buffer.restored(records), offset)

    return Opened(
        buffer, buffer, buffer, None, buffer.commit, restore, read_first=buffer.read_first
    )


def _suppression(plan: StorePlan, site: StoreSite, overlay: Overlay, engine: StoreEngine) -> Opened:
    buffer = SuppressionBuffer(_log(plan, site, log_without_time_to))
    state = SuppressionState(plan.builder.name, _codec(plan, site), buffer)

    def restore(records: Iterable[ChangelogRecord], offset: int) -> None:
        buffer.restore((key, value) for key, value, _ in records)
        engine.write({}, offset)

    return Opened(state, state, state, buffer, overlay.apply, restore, read_first=state.read_first)


_KINDS: dict[StoreKind, Callable[[StorePlan, StoreSite, Overlay, StoreEngine], Opened]] = {
    "key_value": _key_value,
    "timestamped_key_value": _key_value,
    "timestamped_key_value_with_headers": _key_value,
    "versioned_key_value": _versioned,
    "window": _window,
    "timestamped_window": _window,
    "timestamped_window_with_headers": _window,
    "session": _session,
    "session_with_headers": _session,
    "outer_join": _outer_join,
    "subscriptions": _subscriptions,
    "join_buffer": _join_buffer,
    "suppression": _suppression,
}


def _restore_rows(
    rows: Rows, engine: StoreEngine, make_row: Callable[[bytes, int], bytes] | None
) -> Callable[[Iterable[ChangelogRecord], int], None]:
    def restore(records: Iterable[ChangelogRecord], offset: int) -> None:
        if make_row is None:
            changed = ((key, value) for key, value, _ in records)
        else:
            changed = (
                (key, None if value is None else make_row(value, timestamp))
                for key, value, timestamp in records
            )
        changes, dropped = rows.restored(changed)
        engine.write(changes, offset, dropped)

    return restore


def _row_of(rows: Rows, form: RowForm) -> Callable[[bytes, bytes], tuple[bytes, bytes] | None]:
    def row_of(engine_key: bytes, data: bytes) -> tuple[bytes, bytes] | None:
        key = rows.key_of(engine_key)
        return None if key is None else (key, form.apart(data)[0])

    return row_of


def _place(site: StoreSite, overlay: Overlay, log: Log | None) -> RowPlace:
    return RowPlace(
        overlay,
        log,
        site.drop,
        site.budget,
        site.position,
        counts_cache_reads=site.config.records_debug_metrics,
    )


def _codec(plan: StorePlan, site: StoreSite) -> RowCodec:
    return codec_of(plan, site.config)


def codec_of(plan: StorePlan, config: StreamsConfig) -> RowCodec:
    """Return what a store's keys and values are written with."""
    builder = plan.builder
    title = _title(plan)
    return plain_codec(
        plan.serde_topic,
        config.key_serde(builder.key, title),
        config.value_serde(builder.value, title),
        plan.own_state,
    )


def _codec_of_operators(plan: StorePlan, codec: RowCodec) -> RowCodec:
    keeps_headers = form_of(plan.builder.kind).keeps_headers
    return values_behind_headers(plan.serde_topic, codec) if keeps_headers else codec


def _title(plan: StorePlan) -> str:
    """Name a store in a message; those of a stream-stream join have no Materialized."""
    builder, times = plan.builder, plan.builder.times
    is_of_join = builder.kind == "outer_join" or (times is not None and times.retain_duplicates)
    where = f" (defined at {plan.location})" if plan.location else ""
    return f"{'join' if is_of_join else 'state'} store {builder.name!r}{where}"


def _log(plan: StorePlan, site: StoreSite, make: Callable[[Collect, str, int], L]) -> L | None:
    """Return the changelog of a store, None if it has none."""
    if plan.changelog is None:
        return None
    return make(site.collector.send, plan.changelog, site.partition)
