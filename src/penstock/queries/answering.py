"""From a request to its results: which read of a store each query is, and what its rows become."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from penstock._engine.queries.asking import AnsweredPart, Asker, ReadOptions
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.questions import GLOBAL, FailureKind, Read, Row
from penstock.queries.requests import (
    KeyQuery,
    MultiVersionedKeyQuery,
    Query,
    RangeQuery,
    StateQueryRequest,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
    VersionedKeyQuery,
    WindowKeyQuery,
    WindowRangeQuery,
)
from penstock.queries.results import FailureReason, Position, QueryResult, StateQueryResult
from penstock.queries.source import Source
from penstock.queries.views import QueryIterator, windowed
from penstock.settings import StreamsConfig

R = TypeVar("R")


def answer(
    request: StateQueryRequest[R],
    store: StoreEntry,
    asking: tuple[Asker, StreamsConfig, ReadOptions],
) -> StateQueryResult[R]:
    """Return the results of all partitions that a request is for.

    Raises:
        QueryError: the store's serde does not take the key of the query.
    """
    asked = store.tasks if store.is_global or request.partitions is None else request.partitions
    kind = store.plan.builder.kind
    plan = _plan_for(request.query, kind)
    if plan is None:
        msg = f"store {store.name!r} of kind {kind!r} does not answer {request.query}"
        return _results({each: _failed(FailureReason.UNKNOWN_QUERY_TYPE, msg) for each in asked})
    source = Source(store, *asking)
    read = plan.read(request.query, source)
    wanted = [partition for partition in asked if partition in store.tasks]
    parts = source.asker.answers(store, read, wanted, source.options)
    results: dict[int, QueryResult[Any]] = {}
    for partition in sorted(asked):
        if partition in parts:
            results[partition] = _result(request, source, plan, parts[partition])
        else:
            msg = f"store {store.name!r} has no partition {partition}; it has {len(store.tasks)}"
            results[partition] = _failed(FailureReason.DOES_NOT_EXIST, msg)
    return _results(results)


@dataclass(frozen=True, slots=True)
class _Plan:
    """How stores of some kinds answer a query."""

    kinds: frozenset[str]
    read: Callable[[Any, Source], Read]
    result: Callable[[Source, Iterator[Row]], Any]


def _plan_for(query: Query[Any], kind: str) -> _Plan | None:
    plans = (plan for plan in _PLANS.get(type(query), ()) if kind in plan.kinds)
    # A query for sessions has a key, one for windows has times.
    if isinstance(query, WindowRangeQuery) and (query.key is None) is (kind in _SESSION):
        return None
    return next(plans, None)


def _result(
    request: StateQueryRequest[Any], source: Source, plan: _Plan, part: AnsweredPart
) -> QueryResult[Any]:
    position = Position(part.position)
    if part.failure is not None:
        return _failed(_REASONS[part.failure], part.message, position)
    if not request.bound.is_reached_by(position, part.partition):
        msg = (
            f"store {source.store.name!r}, partition {part.partition}, is at {position.offsets}, "
            f"not yet at the bound {request.bound.offsets}"
        )
        return _failed(FailureReason.NOT_UP_TO_BOUND, msg, position)
    rows = source.asker.pages(source.store, part, source.options)
    result = plan.result(source, rows)
    return QueryResult(result, position=position, offsets_behind=part.offsets_behind)


def _results(results: Mapping[int, QueryResult[Any]]) -> StateQueryResult[Any]:
    if GLOBAL in results:
        return StateQueryResult({}, results[GLOBAL])
    return StateQueryResult(results)


def _failed(
    reason: FailureReason, message: str, position: Position | None = None
) -> QueryResult[Any]:
    return QueryResult(failure_reason=reason, failure_message=message, position=position)


_REASONS: dict[FailureKind, FailureReason] = {
    "absent": FailureReason.NOT_PRESENT,
    "elsewhere": FailureReason.NOT_PRESENT,
    "not_ready": FailureReason.NOT_ACTIVE,
    "unknown": FailureReason.DOES_NOT_EXIST,
    "refused": FailureReason.UNKNOWN_QUERY_TYPE,
    "failed": FailureReason.STORE_EXCEPTION,
}


def _read_key(query: KeyQuery | TimestampedKeyQuery, source: Source) -> Read:
    return Read("get", (source.raw_key(query.key),))


def _read_range(query: RangeQuery | TimestampedRangeQuery, source: Source) -> Read:
    bounds = source.bounds(query.lower, query.upper)
    return Read("range", (), *bounds, reverse=query.descending)


def _read_windows(query: WindowKeyQuery, source: Source) -> Read:
    key = source.raw_key(query.key)
    return Read("windows", (key,), time_from=query.time_from, time_to=query.time_to)


def _read_window_range(query: WindowRangeQuery, _source: Source) -> Read:
    assert query.time_from is not None
    assert query.time_to is not None
    return Read("window_range", time_from=query.time_from, time_to=query.time_to)


def _read_sessions(query: WindowRangeQuery, source: Source) -> Read:
    return Read("sessions", (source.raw_key(query.key),))


def _read_version(query: VersionedKeyQuery, source: Source) -> Read:
    keys = (source.raw_key(query.key),)
    if query.as_of is None:
        return Read("version", keys)
    return Read("version", keys, time_to=query.as_of, reverse=True)


def _read_versions(query: MultiVersionedKeyQuery, source: Source) -> Read:
    return Read(
        "versions",
        (source.raw_key(query.key),),
        time_from=query.time_from,
        time_to=query.time_to,
        reverse=query.newest_first,
    )


def _value(source: Source, rows: Iterator[Row]) -> Any:
    return next((source.timed_value(row) for row in rows), None)


def _bare_value(source: Source, rows: Iterator[Row]) -> Any:
    return next((source.bare_value(row) for row in rows), None)


def _version(source: Source, rows: Iterator[Row]) -> Any:
    return next((source.version(row) for row in rows), None)


def _entries(source: Source, rows: Iterator[Row]) -> Any:
    return QueryIterator((source.key(row[0]), source.timed_value(row)) for row in rows)


def _bare_entries(source: Source, rows: Iterator[Row]) -> Any:
    return QueryIterator((source.key(row[0]), source.bare_value(row)) for row in rows)


def _starts(source: Source, rows: Iterator[Row]) -> Any:
    return QueryIterator((row[3] or 0, source.timed_value(row)) for row in rows)


def _windowed(source: Source, rows: Iterator[Row]) -> Any:
    return QueryIterator(windowed(source, rows, source.timed_value))


def _versions(source: Source, rows: Iterator[Row]) -> Any:
    return QueryIterator(source.version(row) for row in rows)


_TIMED = frozenset({"timestamped_key_value", "timestamped_key_value_with_headers"})
_KEY_VALUE = frozenset({"key_value"}) | _TIMED
_WINDOW = frozenset({"window", "timestamped_window", "timestamped_window_with_headers"})
_SESSION = frozenset({"session", "session_with_headers"})
_VERSIONED = frozenset({"versioned_key_value"})

_PLANS: dict[type, tuple[_Plan, ...]] = {
    KeyQuery: (_Plan(_KEY_VALUE, _read_key, _bare_value),),
    TimestampedKeyQuery: (_Plan(_TIMED, _read_key, _value),),
    RangeQuery: (_Plan(_KEY_VALUE, _read_range, _bare_entries),),
    TimestampedRangeQuery: (_Plan(_TIMED, _read_range, _entries),),
    WindowKeyQuery: (_Plan(_WINDOW, _read_windows, _starts),),
    WindowRangeQuery: (
        _Plan(_SESSION, _read_sessions, _windowed),
        _Plan(_WINDOW, _read_window_range, _windowed),
    ),
    VersionedKeyQuery: (_Plan(_VERSIONED, _read_version, _version),),
    MultiVersionedKeyQuery: (_Plan(_VERSIONED, _read_versions, _versions),),
}
