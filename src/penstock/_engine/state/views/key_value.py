"""The key-value store that a processor sees: types over bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from penstock._camel_case import ExplainsCamelCase
from penstock._engine.state.cache.entries import RecordInHand
from penstock._engine.state.codec import Codec, wrong_type
from penstock._engine.state.logged import RecordStore
from penstock.serdes import Serde
from penstock.stores import StoreIterator


class TypedKeyValueStore(ExplainsCamelCase):
    """The KeyValueStore a processor sees; with a codec of ValueAndTimestamp, the
    TimestampedKeyValueStore. Values are kept as bytes, so what a user mutates is never the store's.
    """

    _spoken_name = "KeyValueStore"

    def __init__(
        self,
        name: str,
        codec: Codec,
        store: RecordStore,
        position: RecordInHand,
        *,
        keeps_headers: bool = False,
    ) -> None:
        self._name = name
        self._codec = codec
        self._store = store
        self._position = position
        self._keeps_headers = keeps_headers

    @property
    def name(self) -> str:
        return self._name

    def get(self, key: Any) -> Any:
        data = self._store.get(self._encoded(key))
        return None if data is None else self._codec.decode_value(data)

    def put(self, key: Any, value: Any) -> None:
        raw_key = self._encoded(key)
        try:
            data = None if value is None else self._codec.encode_value(value)
        except TypeError as error:
            raise wrong_type(self._name, "value", value, error) from error
        headers = self._position.headers if self._keeps_headers else ()
        self._store.write(raw_key, data, self._position.timestamp, headers)

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

    def range(self, start: Any, end: Any) -> StoreIterator[tuple[Any, Any]]:
        return self._scan(start, end, reverse=False)

    def reverse_range(self, start: Any, end: Any) -> StoreIterator[tuple[Any, Any]]:
        return self._scan(start, end, reverse=True)

    def all(self) -> StoreIterator[tuple[Any, Any]]:
        return self._scan(None, None, reverse=False)

    def reverse_all(self) -> StoreIterator[tuple[Any, Any]]:
        return self._scan(None, None, reverse=True)

    def prefix_scan(
        self, prefix: Any, serde: Serde[Any] | None = None
    ) -> StoreIterator[tuple[Any, Any]]:
        first = self._encoded_prefix(prefix, serde)
        return self._decoded(self._store.scan(first, after_prefix(first), reverse=False))

    def approximate_num_entries(self) -> int:
        return self._store.approximate_num_entries()

    def _scan(self, start: Any, end: Any, *, reverse: bool) -> StoreIterator[tuple[Any, Any]]:
        first = None if start is None else self._encoded(start)
        # The smallest key after `end` is `end` with a zero byte behind it.
        last = None if end is None else self._encoded(end) + b"\0"
        return self._decoded(self._store.scan(first, last, reverse=reverse))

    def _decoded(self, entries: Iterable[tuple[bytes, bytes]]) -> StoreIterator[tuple[Any, Any]]:
        decode_key, decode_value = self._codec.decode_key, self._codec.decode_value
        return StoreIterator((decode_key(key), decode_value(value)) for key, value in entries)

    def _encoded_prefix(self, prefix: Any, serde: Serde[Any] | None) -> bytes:
        if serde is None:
            return prefix if isinstance(prefix, bytes) else self._encoded(prefix)
        data = None if prefix is None else serde.serialize(self._name, prefix)
        if data is None:
            msg = f"state store {self._name!r}: a prefix must not be None; got {prefix!r}"
            raise ValueError(msg)
        return data

    def _encoded(self, key: Any) -> bytes:
        if key is None:
            msg = f"state store {self._name!r} takes no null keys"
            raise ValueError(msg)
        try:
            return self._codec.encode_key(key)
        except TypeError as error:
            raise wrong_type(self._name, "key", key, error) from error


def after_prefix(prefix: bytes) -> bytes | None:
    """Return the first key behind all keys with that prefix, None if there is none."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None
