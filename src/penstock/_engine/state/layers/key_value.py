"""A typed key-value store over bytes, which tells its changelog what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from penstock._engine.state.contract import BytesStore
from penstock.camel_case import ExplainsCamelCase
from penstock.stores import StoreBuilder

LogChange: TypeAlias = Callable[[bytes, bytes | None], None]


class TypedKeyValueStore(ExplainsCamelCase):
    """The KeyValueStore a processor sees. Values are kept as bytes, so what a user mutates is never
    the store's.
    """

    def __init__(self, builder: StoreBuilder, engine: BytesStore, log_change: LogChange) -> None:
        self._name = builder.name
        self._engine = engine
        self._log_change = log_change
        self._encode_key, self._decode_key = builder.key.encode, builder.key.decode
        self._encode_value, self._decode_value = builder.value.encode, builder.value.decode

    @property
    def name(self) -> str:
        return self._name

    def get(self, key: Any) -> Any:
        data = self._engine.get(self._encode_key(self._checked(key)))
        return None if data is None else self._decode_value(data)

    def put(self, key: Any, value: Any) -> None:
        raw_key = self._encode_key(self._checked(key))
        raw_value = None if value is None else self._encode_value(value)
        if raw_value is None:
            self._engine.delete(raw_key)
        else:
            self._engine.put(raw_key, raw_value)
        self._log_change(raw_key, raw_value)

    def put_if_absent(self, key: Any, value: Any) -> Any:
        current = self.get(key)
        if current is None:
            self.put(key, value)
        return current

    def put_all(self, entries: Iterable[tuple[Any, Any]]) -> None:
        for key, value in entries:
            self.put(key, value)

    def delete(self, key: Any) -> Any:
        current = self.get(key)
        self.put(key, None)
        return current

    def range(self, start: Any, end: Any) -> Iterator[tuple[Any, Any]]:
        return self._scan(start, end, reverse=False)

    def reverse_range(self, start: Any, end: Any) -> Iterator[tuple[Any, Any]]:
        return self._scan(start, end, reverse=True)

    def all(self) -> Iterator[tuple[Any, Any]]:
        return self._scan(None, None, reverse=False)

    def reverse_all(self) -> Iterator[tuple[Any, Any]]:
        return self._scan(None, None, reverse=True)

    def prefix_scan(self, prefix: bytes) -> Iterator[tuple[Any, Any]]:
        return self._decoded(self._engine.scan(prefix, _after_prefix(prefix), reverse=False))

    def approximate_num_entries(self) -> int:
        return len(self._engine)

    def _scan(self, start: Any, end: Any, *, reverse: bool) -> Iterator[tuple[Any, Any]]:
        first = None if start is None else self._encode_key(start)
        # The smallest key after `end` is `end` with a zero byte behind it.
        last = None if end is None else self._encode_key(end) + b"\0"
        return self._decoded(self._engine.scan(first, last, reverse=reverse))

    def _decoded(self, entries: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[Any, Any]]:
        for key, value in entries:
            yield self._decode_key(key), self._decode_value(value)

    def _checked(self, key: Any) -> Any:
        if key is None:
            msg = f"state store {self._name!r} takes no null keys"
            raise ValueError(msg)
        return key


def _after_prefix(prefix: bytes) -> bytes | None:
    """Give the first key behind all keys with that prefix, None if there is none."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None
