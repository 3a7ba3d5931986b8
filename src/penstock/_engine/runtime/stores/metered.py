"""Views of a store whose operations are counted and timed, at the recording level DEBUG. Java: the
Metered stores.

A metered view is a twin of the plain one: an object of a subclass in which the operations of the
table below are replaced. So the plain views, and all that C does with them, stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any, Final, ParamSpec, TypeVar

from penstock._engine.metrics.store_meter import StoreMeter
from penstock._engine.runtime.position import Position
from penstock._engine.runtime.records import TIMESTAMP
from penstock._engine.runtime.stores.store_kinds import Opened
from penstock._engine.state.cache.fold import Fold, Peek, PutRow, plain_fold
from penstock._engine.state.segments.versioned import VersionedState
from penstock._engine.state.views.key_value import TypedKeyValueStore
from penstock._engine.state.views.outer_join import OuterJoinState
from penstock._engine.state.views.session import SessionState
from penstock._engine.state.views.suppression import SuppressionState
from penstock._engine.state.views.table import TableState
from penstock._engine.state.views.typed import (
    TypedSessionStore,
    TypedVersionedStore,
    TypedWindowStore,
)
from penstock._engine.state.views.window import WindowState

P = ParamSpec("P")
T = TypeVar("T")

_FETCHES: Final = (
    "fetch",
    "backward_fetch",
    "fetch_range",
    "backward_fetch_range",
    "fetch_all",
    "backward_fetch_all",
    "all",
    "backward_all",
)

OPERATIONS: Final[Mapping[type, Mapping[str, str]]] = {
    TypedKeyValueStore: {
        "put": "put",
        "put_if_absent": "put-if-absent",
        "put_all": "put-all",
        "get": "get",
        "delete": "delete",
        "range": "range",
        "reverse_range": "range",
        "all": "all",
        "reverse_all": "all",
        "prefix_scan": "prefix-scan",
    },
    TypedVersionedStore: {"put": "put", "get": "get", "delete": "delete"},
    TypedWindowStore: {"put": "put", **dict.fromkeys(_FETCHES, "fetch")},
    TypedSessionStore: {
        "put": "put",
        "remove": "remove",
        "fetch": "fetch",
        "backward_fetch": "fetch",
        "fetch_range": "fetch",
        "backward_fetch_range": "fetch",
        "fetch_session": "fetch",
        "find_sessions": "fetch",
        "backward_find_sessions": "fetch",
        "find_sessions_range": "fetch",
        "backward_find_sessions_range": "fetch",
        "find_sessions_ending": "fetch",
    },
    TableState: {"put": "put", "read": "get", "peek": "get", "scan": "range"},
    VersionedState: {"put": "put", "get": "get", "get_as_of": "get"},
    WindowState: {
        "put": "put",
        "put_row": "put",
        "put_plain": "put",
        "get": "fetch",
        "peek_row": "fetch",
        "fetch": "fetch",
        "backward_fetch": "fetch",
        "fetch_all": "fetch",
        "fetch_kept": "fetch",
    },
    SessionState: {
        "put": "put",
        "remove": "remove",
        "get": "fetch",
        "find_sessions": "fetch",
        "find_closed": "fetch",
        "find_kept": "fetch",
    },
    OuterJoinState: {"put": "put", "delete": "put", "discard": "put-if-absent", "all": "all"},
}
"""The sensor of each operation, by the kind of view."""


def metered(opened: Opened, meter: StoreMeter, position: Position) -> Opened:
    """Return an open store whose views are counted and timed."""

    def timed(view: Any) -> Any:
        return _timed(view, meter, position)

    if isinstance(opened.state, SuppressionState):
        _watch(opened.state, meter)
        return opened
    face = timed(opened.face)
    return replace(
        opened,
        face=face,
        values=face if opened.values is opened.face else timed(opened.values),
        state=timed(opened.state),
        commit=meter.timed("commit", opened.commit),
        restore=meter.timed("restore", opened.restore),
        timed=None if opened.timed is None else timed(opened.timed),
    )


def _timed(view: Any, meter: StoreMeter, position: Position) -> Any:
    operations = OPERATIONS.get(type(view))
    if operations is None:
        return view
    calls: dict[str, Any] = {}
    for name, operation in operations.items():
        call = getattr(view, name)
        if operation == "put":
            call = _aged(call, meter.take_age, position)
        calls[name] = meter.timed(operation, call)
    if isinstance(view, TableState):
        calls["folder"] = _folder(view, calls["peek"], calls["put"])
        calls["looker"] = _looker(view, calls["read"])
    elif isinstance(view, WindowState):
        calls["folder"] = _folder(view, calls["peek_row"], calls["put_row"])
    return _twin(view, calls)


def _watch(view: SuppressionState, meter: StoreMeter) -> None:
    """Take the size of a buffer after each change: as in Java, all that is measured of it."""
    buffer = view.buffer

    def size() -> tuple[int, int]:
        return buffer.size_bytes, len(buffer)

    view.put = meter.buffered(view.put, size)
    view.pop_first = meter.buffered(view.pop_first, size)


def _aged(
    put: Callable[P, T], take_age: Callable[[float], None], position: Position
) -> Callable[P, T]:
    """Return `put`, which also takes the age of the record in hand."""

    def put_aged(*arguments: P.args, **options: P.kwargs) -> T:
        result = put(*arguments, **options)
        raw = position.raw
        if raw is not None:
            take_age(position.wall_clock_ms - raw[TIMESTAMP])
        return result

    return put_aged


def _folder(view: TableState | WindowState, peek: Peek, put: PutRow) -> Callable[..., Fold]:
    """Return the `folder` of a metered view: in Python, since C would call neither function."""
    return partial(plain_fold, view.codec, peek, put)


def _looker(view: TableState, read: Peek) -> Callable[[], Callable[[bytes], Any]]:
    value_of = view.value_of
    return lambda: lambda raw_key: value_of(read(raw_key))


def _twin(view: Any, calls: Mapping[str, Any]) -> Any:
    """Return a copy of a view in which `calls` replace the functions of these names."""
    plain: Any = type(view)
    kind = _open_class(plain)
    twin = kind.__new__(kind)
    for above in plain.__mro__:
        for name in getattr(above, "__slots__", ()):
            setattr(twin, name, getattr(view, name))
    for name, value in (getattr(view, "__dict__", {}) | dict(calls)).items():
        setattr(twin, name, value)
    return twin


@cache
def _open_class(kind: type) -> Any:
    """Return a subclass whose objects have a dict: a class with slots has no room for others."""
    return type(f"Metered{kind.__name__}", (kind,), {})
