"""Check and open an engine of the user's own; its contract is `penstock.stores.engine`.

Databases like to return other buffers than bytes, as `lmdb` and drivers of PostgreSQL do. The
layers above need bytes, C among them: `InBytes` copies what is something else.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from penstock.errors import StreamsError, TopologyError, text_of
from penstock.stores.engine import KeyRange, OpenEngine, StoreEngine, StorePlace

_METHODS = (
    "get",
    "scan",
    "collect",
    "approximate_num_entries",
    "write",
    "changelog_offset",
    "close",
)


def check_open_engine(opens: Callable[..., Any]) -> None:
    """Refuse what cannot open an engine, as far as one can see without opening it."""
    made = _made_by(opens)
    if made is not None and (missing := _missing(made)):
        msg = (
            f"store={_shown(opens)} must open an engine with the methods of "
            f"penstock.state.StoreEngine; {made.__name__} has no {', '.join(missing)}; inherit "
            "from StoreEngine and write what is missing"
        )
        raise TopologyError(msg)
    try:
        inspect.signature(opens).bind(object())
    except (TypeError, ValueError) as error:
        if isinstance(error, ValueError) and not isinstance(opens, functools.partial):
            return  # its signature is unknown
        msg = (
            f"store={_shown(opens)} must be callable with a StorePlace alone; got {error}; pass "
            "the rest with functools.partial"
        )
        raise TopologyError(msg) from None


class InBytes(StoreEngine):
    """An engine of the user's own, all of whose keys and values are bytes."""

    def __init__(self, engine: StoreEngine, place: StorePlace) -> None:
        self.engine = engine
        self._place = place

    def get(self, key: bytes) -> bytes | None:
        value = self.engine.get(key)
        return value if value is None or type(value) is bytes else self._copied(value)

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        # Not a generator: the entries are those of now.
        return map(self._entry, self.engine.scan(start, end, reverse=reverse))

    def collect(self, start: bytes, end: bytes) -> list[tuple[bytes, bytes]]:
        return [self._entry(entry) for entry in self.engine.collect(start, end)]

    def approximate_num_entries(self) -> int:
        return self.engine.approximate_num_entries()

    def write(
        self,
        changes: Mapping[bytes, bytes | None],
        changelog_offset: int | None,
        dropped: Sequence[KeyRange] = (),
    ) -> None:
        try:
            self.engine.write(changes, changelog_offset, dropped)
        except StreamsError:
            raise
        except Exception as error:
            msg = (
                f"the engine of store {self._place.store!r}, task {self._place.task_id}, failed to "
                f"write: {type(error).__name__}: {text_of(error)}"
            )
            raise StreamsError(msg) from error

    def changelog_offset(self) -> int | None:
        return self.engine.changelog_offset()

    def close(self) -> None:
        self.engine.close()

    def _entry(self, entry: tuple[Any, Any]) -> tuple[bytes, bytes]:
        key, value = entry
        if type(key) is bytes and type(value) is bytes:
            return entry
        return self._copied(key), self._copied(value)

    def _copied(self, got: object) -> bytes:
        if isinstance(got, (bytes, bytearray, memoryview)):
            return bytes(got)
        msg = (
            f"the engine of store {self._place.store!r}, task {self._place.task_id}, must return "
            f"keys and values as bytes; {type(self.engine).__name__} returned "
            f"{type(got).__name__}: {got!r:.100}"
        )
        raise StreamsError(msg)


def open_engine(opens: OpenEngine, place: StorePlace) -> StoreEngine:
    """Open the engine of a place; refuse what does not have the methods of one."""
    return InBytes(_open(opens, place), place)


def _open(opens: OpenEngine, place: StorePlace) -> StoreEngine:
    try:
        engine = opens(place)
    except StreamsError:
        raise
    except Exception as error:
        msg = (
            f"the engine of store {place.store!r}, task {place.task_id}, cannot be opened with "
            f"{_shown(opens)}: {type(error).__name__}: {error}"
        )
        raise StreamsError(msg) from error
    if missing := _missing(engine):
        msg = (
            f"the engine of store {place.store!r} must have the methods of "
            f"penstock.state.StoreEngine; {type(engine).__name__} has no {', '.join(missing)}"
        )
        raise StreamsError(msg)
    return engine


def destroy_state(opens: OpenEngine, place: StorePlace) -> None:
    """Delete what an engine keeps outside the directory of its place."""
    engine = _open(opens, place)
    getattr(engine, "destroy", engine.close)()


def _missing(engine: object) -> list[str]:
    abstract: frozenset[str] = getattr(engine, "__abstractmethods__", frozenset())
    return [
        name for name in _METHODS if name in abstract or not callable(getattr(engine, name, None))
    ]


def _made_by(opens: Callable[..., Any]) -> type | None:
    """Return the class of the engines, None if it is unknown before one is opened."""
    while isinstance(opens, functools.partial):
        opens = opens.func
    if inspect.isclass(opens):
        return opens
    try:
        made = typing.get_type_hints(opens).get("return")
    except (NameError, TypeError):
        return None  # not a function, or its annotation cannot be resolved
    return made if inspect.isclass(made) else None


def _shown(opens: object) -> str:
    name = getattr(opens, "__qualname__", None)
    return name if isinstance(name, str) else repr(opens)
